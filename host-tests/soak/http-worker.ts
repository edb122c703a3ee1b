/** A keep-alive HTTP connection for repeated requests; reconnects after the console closes it. */
import { connect, type Socket } from "node:net";

export interface Reply {
  readonly status: number;
  readonly retryAfterS: number | undefined;
  readonly body: string;
  readonly tookMs: number;
}

/** The console closed the connection before its answer was complete. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** Time limit for an answer under full load. */
const ANSWER_LIMIT_MS = 60_000;

/** The console did not answer in time. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

export class HttpWorker {
  readonly #address: URL;
  #socket: Socket | undefined;
  #received = Buffer.alloc(0);
  #onMore: (() => void) | undefined;

  constructor(address: string) {
    this.#address = new URL(address);
  }

  async ask(method: string, target: string, body?: Uint8Array, fields = ""): Promise<Reply> {
    const socket = this.#connected();
    const began = performance.now();
    const length = body ? `Content-Length: ${body.length}\r\n` : "";
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${this.#address.host}\r\n${length}${fields}\r\n`);
    if (body) socket.write(body);
    const head = await this.#until((bytes) => {
      const end = bytes.indexOf("\r\n\r\n");
      return end < 0 ? undefined : end + 4;
    });
    const text = head.toString("latin1");
    const payload = /^transfer-encoding: chunked\r$/im.test(text)
      ? await this.#chunks()
      : await this.#exactly(Number(/^content-length: (\d+)\r$/im.exec(text)?.[1] ?? 0));
    if (/^connection: close\r$/im.test(text)) this.close();
    const retryAfter = /^retry-after: (\d+)\r$/im.exec(text)?.[1];
    return {
      status: Number(text.slice(9, 12)),
      retryAfterS: retryAfter === undefined ? undefined : Number(retryAfter),
      body: payload.toString("utf8"),
      tookMs: performance.now() - began,
    };
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#received = Buffer.alloc(0);
    this.#onMore?.();
  }

  #connected(): Socket {
    if (this.#socket) return this.#socket;
    const socket = connect(Number(this.#address.port), this.#address.hostname);
    socket.setNoDelay(true);
    socket.on("data", (bytes) => {
      if (socket !== this.#socket) return;
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#onMore?.();
    });
    const lose = () => {
      if (socket !== this.#socket) return;
      this.#socket = undefined;
      this.#onMore?.();
    };
    socket.on("error", lose);
    socket.on("close", lose);
    this.#received = Buffer.alloc(0);
    this.#socket = socket;
    return socket;
  }

  async #chunks(): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (;;) {
      const line = await this.#until((bytes) => {
        const end = bytes.indexOf("\r\n");
        return end < 0 ? undefined : end + 2;
      });
      const length = Number.parseInt(line.toString("latin1"), 16);
      const piece = await this.#exactly(length + 2);
      if (length === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, length));
    }
  }

  #exactly(length: number): Promise<Buffer> {
    return this.#until((bytes) => (bytes.length < length ? undefined : length));
  }

  /** Waits until `find` returns a length, and takes that many bytes from the front of the received data. */
  async #until(find: (bytes: Buffer) => number | undefined): Promise<Buffer> {
    const deadline = performance.now() + ANSWER_LIMIT_MS;
    for (;;) {
      const length = find(this.#received);
      if (length !== undefined) {
        const taken = this.#received.subarray(0, length);
        this.#received = this.#received.subarray(length);
        return taken;
      }
      if (!this.#socket) throw new ConnectionLost("The console closed the connection");
      if (await this.#hasMore(deadline - performance.now())) continue;
      this.close();
      throw new NoAnswer(`The console has not answered in ${ANSWER_LIMIT_MS} ms`);
    }
  }

  /** Waits for data or the end of the connection. @returns false if neither came in time */
  #hasMore(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      this.#onMore = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
