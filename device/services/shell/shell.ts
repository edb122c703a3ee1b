/**
 * The console's shell (docs/spec/shell.md#run): one line in, its output out. A failure of a command is part of the
 * output, with its code beside it. Only a line that is no command is refused.
 */
import { Fault, type FaultCode } from "../../../protocol/fault.js";
import { type Caller, COMMANDS, type Command, type ShellContext } from "./commands.js";
import { splitWords } from "./words.js";

/** What a command has printed, each line ended by LF. */
export interface ShellResult {
  readonly output: string;
  /** Why the command did not do what it says; left out where it did. */
  readonly error?: FaultCode;
}

/** Anyone in the network, asking by POST. */
const ANYONE: ShellCaller = Object.freeze({ transport: "http", isOwner: false, method: "POST" });

/** What the shell needs of the request that a line came with. */
export type ShellCaller = Caller & { readonly method: string };

export class Shell {
  readonly #context: ShellContext;

  constructor(context: ShellContext) {
    this.#context = context;
  }

  /**
   * Runs one command; the result comes later where the command waits for something.
   * @throws {Fault} `needs_post` for a command that changes something where `caller` only reads, `bad_parameter` for
   *   a line that {@link splitWords} does not take
   */
  run(line: string, caller: ShellCaller = ANYONE): ShellResult | Promise<ShellResult> {
    const words = splitWords(line);
    if (!words) return { output: "A quote is not closed.\n", error: "bad_request" };
    if (words.length === 0) return { output: "" };
    const command = COMMANDS.find((candidate) => isNamed(candidate, words));
    if (!command)
      return { output: `There is no command "${words.join(" ")}". Try "help".\n`, error: "not_found" };
    const rest = words.slice(nameWords(command).length);
    if (caller.method === "GET" && !isReading(command, rest))
      throw new Fault("needs_post", `"${command.name}" changes the console: use POST /api/cmd`);
    return this.#runCommand(command, rest, caller);
  }

  #runCommand(
    command: Command,
    words: readonly string[],
    caller: Caller,
  ): ShellResult | Promise<ShellResult> {
    if (words.length < command.least || words.length > command.most)
      return { output: `Usage: ${command.usage}\n`, error: "bad_request" };
    try {
      const output = command.run(this.#context, words, caller);
      return typeof output === "string" ? { output } : output.then((text) => ({ output: text }), resultOf);
    } catch (error) {
      return resultOf(error);
    }
  }
}

function isReading({ isReading }: Command, words: readonly string[]): boolean {
  return isReading === "bare" ? words.length === 0 : isReading;
}

/** A refusal is output; anything else is a bug, and goes on. */
function resultOf(error: unknown): ShellResult {
  if (error instanceof Fault) return { output: `${error.message}\n`, error: error.code };
  throw error;
}

function isNamed(command: Command, words: readonly string[]): boolean {
  return nameWords(command).every((word, index) => words[index] === word);
}

function nameWords(command: Command): string[] {
  return command.name.split(" ");
}
