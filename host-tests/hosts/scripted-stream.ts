/** A serial port at whose other end a test sits: it reads what was written, and answers as it likes. */
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
  /** Everything that was written, a line each. */
  readonly lines: string[] = [];
  /** Called with each request as it is written. */
  onRequest: (request: WrittenRequest) => void = () => {};
  /** What a write settles with; tests make the port take nothing, or fail. */
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

  /** The other end writes text. */
  say(text: string): void {
    this.onBytes(new TextEncoder().encode(text));
  }

  /** The other end answers. */
  answer(id: number | null, body: unknown, status = 200): void {
    this.say(`${JSON.stringify({ jsonrpc: "2.0", id, status, body })}\n`);
  }

  /** Each request gets what this makes of it. */
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
