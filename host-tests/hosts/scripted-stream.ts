/** A serial stream whose other end is the test: it reads what was written, and sends the answers. */
import type { SerialStream } from "../../device-client/host-ports.js";

export interface WrittenRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly chunk?: number;
  readonly total?: number;
  readonly data?: string;
}

export class ScriptedStream implements SerialStream {
  readonly address = "usb:/dev/scripted";
  onBytes: (bytes: Uint8Array) => void = () => {};
  onClosed: (error?: Error) => void = () => {};
  /** Everything written so far, one entry per line. */
  readonly lines: string[] = [];
  /** Called for each request when it is written. */
  onRequest: (request: WrittenRequest) => void = () => {};
  /** Result of each write; tests replace it to make the port stall or fail. */
  writing: () => Promise<void> = () => Promise.resolve();
  isClosed = false;
  #begun = "";

  get requests(): readonly WrittenRequest[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  write(bytes: Uint8Array): Promise<void> {
    const parts = (this.#begun + new TextDecoder().decode(bytes)).split("\n");
    this.#begun = parts.pop() as string;
    for (const line of parts.filter((part) => part !== "")) {
      this.lines.push(line);
      this.onRequest(JSON.parse(line));
    }
    return this.writing();
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  /** Sends text as the console. */
  say(text: string): void {
    this.onBytes(new TextEncoder().encode(text));
  }

  /** Sends an answer as the console. */
  answer(id: number | null, body: unknown, status = 200): void {
    this.say(`${JSON.stringify({ jsonrpc: "2.0", id, status, body })}\n`);
  }

  /** Answers each later request with the result of `make`; no answer if it returns `undefined`. */
  answerWith(make: (request: WrittenRequest) => { status?: number; body: unknown } | undefined): void {
    this.onRequest = (request) => {
      const made = make(request);
      if (made) Promise.resolve().then(() => this.answer(request.id, made.body, made.status));
    };
  }

  tell(event: "log" | "status", data: unknown): void {
    this.say(`${JSON.stringify({ jsonrpc: "2.0", id: null, event, data })}\n`);
  }
}
