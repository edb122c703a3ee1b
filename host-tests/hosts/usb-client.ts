/**
 * A host at the other end of the console's USB port: opens the device node as a program would, writes
 * requests a line each, and tells answers from events.
 */
import { closeSync, constants, openSync } from "node:fs";
import { ReadStream } from "node:tty";

export interface UsbAnswer {
  readonly jsonrpc: string;
  readonly id: number | null;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly body: any;
}

export interface UsbEvent {
  readonly jsonrpc: string;
  readonly id: null;
  readonly event: "log" | "status";
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly data: any;
}

type Message = UsbAnswer | UsbEvent;

export class UsbClient {
  readonly #stream: ReadStream;
  readonly #waiting = new Set<() => void>();
  readonly answers: UsbAnswer[] = [];
  readonly events: UsbEvent[] = [];
  #received = "";
  #nextId = 1;

  constructor(path: string) {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      this.#stream = new ReadStream(descriptor);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    this.#stream.setEncoding("utf8");
    this.#stream.on("data", (text) => this.#receive(String(text)));
    this.#stream.on("error", () => this.#stream.destroy());
  }

  /** Sends one request and waits for the answer with its id. */
  async request(
    method: string,
    path: string,
    params?: Record<string, unknown>,
    members: Record<string, unknown> = {},
  ): Promise<UsbAnswer> {
    const id = this.#nextId++;
    this.send(`${JSON.stringify({ jsonrpc: "2.0", id, method, path, params, ...members })}\n`);
    return this.answer((answer) => answer.id === id);
  }

  /** Writes bytes as they are. */
  send(bytes: string | Uint8Array): void {
    this.#stream.write(bytes);
  }

  /** Waits for an answer, the ones that have come already included; it is handed out once. */
  answer(matches: (answer: UsbAnswer) => boolean): Promise<UsbAnswer> {
    return this.#take(this.answers, matches, "an answer");
  }

  /** Waits for an event, the ones that have come already included; it is handed out once. */
  event(matches: (event: UsbEvent) => boolean): Promise<UsbEvent> {
    return this.#take(this.events, matches, "an event");
  }

  /** Stops taking bytes from the port, as a host that hangs does. */
  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Closes the port and returns once it is closed, which the console sees as DTR dropping. */
  async close(): Promise<void> {
    if (this.#stream.closed) return;
    await new Promise<void>((resolve) => {
      this.#stream.once("close", () => resolve());
      this.#stream.destroy();
    });
  }

  async #take<Kind extends Message>(
    list: Kind[],
    matches: (message: Kind) => boolean,
    what: string,
  ): Promise<Kind> {
    const deadline = AbortSignal.timeout(10_000);
    for (;;) {
      const index = list.findIndex(matches);
      if (index >= 0) return list.splice(index, 1)[0] as Kind;
      await new Promise<void>((resolve, reject) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
        deadline.addEventListener("abort", () => reject(new Error(`The console did not send ${what}`)));
      });
    }
  }

  #receive(text: string): void {
    const lines = (this.#received + text).split("\n");
    this.#received = lines.pop() as string;
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      if ("event" in message) this.events.push(message);
      else this.answers.push(message);
    }
    for (const wake of [...this.#waiting]) wake();
  }
}
