/** Asks the user, a line of standard input for each question. The questions go to standard error, also with `--json`. */
import { createInterface, type Interface } from "node:readline";
import { SvcError } from "../svc-error.js";
import { printableLines } from "./printable.js";

export type Reply = "yes" | "no" | "skip";

/** By their first letters. */
const REPLIES: readonly Reply[] = Object.freeze(["yes", "no", "skip"]);

export class Questions {
  readonly #lines: Interface;
  readonly #next: AsyncIterator<string>;
  readonly #advice: string;

  /** @param options.advice what to do if the input ends before the last answer */
  constructor({ signal, advice }: { readonly signal: AbortSignal; readonly advice: string }) {
    const { stdin, stderr } = process;
    this.#lines = createInterface({ input: stdin, output: stderr, terminal: stdin.isTTY, signal });
    this.#lines.on("SIGINT", () => process.kill(process.pid, "SIGINT")); // readline intercepts Ctrl-C
    this.#next = this.#lines[Symbol.asyncIterator]();
    this.#advice = advice;
  }

  close(): void {
    this.#lines.close();
  }

  /** Asks again until the line is one of the replies. @throws {SvcError} `cancelled` at the end of the input */
  async ask(question: string): Promise<Reply> {
    for (;;) {
      const line = (await this.line(`${question} [yes/no/skip]`)).toLowerCase();
      const reply = REPLIES.find((word) => line !== "" && word.startsWith(line));
      if (reply) return reply;
    }
  }

  /** @returns the line without spaces around it; may be empty */
  async line(question: string): Promise<string> {
    process.stderr.write(`${printableLines(question)} `);
    const { value, done } = await this.#next.next();
    if (!done) return value.trim();
    throw new SvcError("cancelled", "There is no answer on standard input", { advice: this.#advice });
  }
}
