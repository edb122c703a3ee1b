/**
 * A host at the other end of the console's USB port: opens the device node as a program would, writes
 * requests a line each, and tells answers from events.
 */
import { once } from "node:events";
import { SerialPort } from "serialport";

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
  readonly #port: SerialPort;
  readonly #waiting = new Set<() => void>();
  readonly answers: UsbAnswer[] = [];
  readonly events: UsbEvent[] = [];
  #received = "";
  #nextId = 1;

  /** Opens the port at the speed of document 1. */
  static async open(path: string): Promise<UsbClient> {
    const port = new SerialPort({ path, baudRate: 115200, autoOpen: false });
    await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
    return new UsbClient(port);
  }

  private constructor(port: SerialPort) {
    this.#port = port;
    port.setEncoding("utf8");
    port.on("data", (text) => this.#receive(String(text)));
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
    this.#port.write(bytes);
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
    this.#port.pause();
  }

  resume(): void {
    this.#port.resume();
  }

  /** Closes the port and returns once it is closed, which the console sees as DTR dropping. */
  async close(): Promise<void> {
    if (!this.#port.isOpen) return;
    const closed = once(this.#port, "close");
    this.#port.close();
    await closed;
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
