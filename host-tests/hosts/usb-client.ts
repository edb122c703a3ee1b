/**
 * A USB host for the console: opens the device node as any program does, writes requests one per line, and sorts the
 * received lines into answers and events.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { SerialPort } from "serialport";
import { isBoard } from "./board.js";

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

/** How long to wait for an answer that is expected. */
const ANSWER_LIMIT_MS = 60_000;

type Message = UsbAnswer | UsbEvent;

export class UsbClient {
  readonly #port: SerialPort;
  readonly #isShared: boolean;
  readonly #waiting = new Set<() => void>();
  readonly answers: UsbAnswer[] = [];
  readonly events: UsbEvent[] = [];
  /** Number of bytes that the port has accepted. */
  sentBytes = 0;
  readonly #unsent: Buffer[] = [];
  #received = "";
  #nextId = 1;

  /**
   * Opens the port at its speed (docs/spec/usb.md#speed).
   *
   * @param isShared whether the boot log goes to the port as well, as to the UART of a board
   */
  static async open(path: string, isShared = isBoard): Promise<UsbClient> {
    const port = new SerialPort({ path, baudRate: 115200, autoOpen: false });
    await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
    return new UsbClient(port, isShared);
  }

  private constructor(port: SerialPort, isShared: boolean) {
    this.#port = port;
    this.#isShared = isShared;
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

  /** Writes raw bytes, in the order of the calls. */
  send(bytes: string | Uint8Array): void {
    this.#unsent.push(Buffer.from(bytes as string));
    if (this.#unsent.length === 1) this.#write();
  }

  /** Waits for an answer that matches, earlier ones included, and removes it from {@link answers}. */
  answer(matches: (answer: UsbAnswer) => boolean): Promise<UsbAnswer> {
    return this.#take(this.answers, matches, "an answer");
  }

  /** Waits for an event that matches, earlier ones included, and removes it from {@link events}. */
  event(matches: (event: UsbEvent) => boolean): Promise<UsbEvent> {
    return this.#take(this.events, matches, "an event");
  }

  /** Stops reading from the port, as a host that hangs does. */
  pause(): void {
    this.#port.pause();
  }

  resume(): void {
    this.#port.resume();
  }

  /** Closes the port and waits until it is closed; the console sees DTR drop. */
  async close(): Promise<void> {
    if (!this.#port.isOpen) return;
    const closed = once(this.#port, "close");
    this.#port.close();
    await closed;
  }

  // Bypasses the package's writer, which can block forever when it has more to write than the port takes at a time
  // while answers arrive (seen with 250 KB at once); tests send more than a well-behaved host does.
  #write(): void {
    const next = this.#unsent[0];
    if (!next || !this.#port.isOpen) return;
    const written = writeSome(this.#descriptor, next);
    this.sentBytes += written;
    if (written === next.length) this.#unsent.shift();
    else this.#unsent[0] = next.subarray(written);
    if (written === next.length) this.#write();
    else setImmediate(() => this.#write());
  }

  get #descriptor(): number {
    return (this.#port.port as unknown as { readonly fd: number }).fd;
  }

  async #take<Kind extends Message>(
    list: Kind[],
    matches: (message: Kind) => boolean,
    what: string,
  ): Promise<Kind> {
    const deadline = performance.now() + ANSWER_LIMIT_MS;
    for (;;) {
      const index = list.findIndex(matches);
      if (index >= 0) return list.splice(index, 1)[0] as Kind;
      if (!(await this.#arrival(deadline - performance.now())))
        throw new Error(`The console did not send ${what}`);
    }
  }

  /** Waits for the next message. @returns false if none arrived in time */
  #arrival(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (hasArrived: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(hasArrived);
      };
      const wake = () => settle(true);
      const timer = setTimeout(() => settle(false), limitMs);
      this.#waiting.add(wake);
    });
  }

  #receive(text: string): void {
    const lines = (this.#received + text).split("\n");
    this.#received = lines.pop() as string;
    for (const line of lines) {
      if (this.#isShared && !line.startsWith("{")) continue;
      const message = JSON.parse(line) as Message;
      if ("event" in message) this.events.push(message);
      else this.answers.push(message);
    }
    for (const wake of [...this.#waiting]) wake();
  }
}

/** Writes as many bytes as the port takes now. @returns their number */
function writeSome(descriptor: number, bytes: Buffer): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;
    throw error;
  }
}

/** Opens the USB port of a console while `use` runs. */
export async function overUsb<Result>(
  console: { readonly usb: string },
  use: (usb: UsbClient) => Promise<Result>,
): Promise<Result> {
  const usb = await UsbClient.open(console.usb);
  try {
    return await use(usb);
  } finally {
    await usb.close();
  }
}
