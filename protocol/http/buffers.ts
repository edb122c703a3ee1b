/**
 * The receive and the send buffer of a connection.
 */
import type { TcpSocket } from "../ports/network.js";

// Bytes on their way out of a socket. They are read into a buffer that all connections share, so what is
// not wanted yet is copied before another connection reads.

export class Inbox {
  readonly #socket: TcpSocket;
  readonly #buffer: Uint8Array;
  /** Bytes that the socket holds for us. */
  #readableBytes = 0;
  /** Bytes that were read and not taken. */
  #unread: Uint8Array | undefined;

  /** @param buffer shared; its size bounds what is held back */
  constructor(socket: TcpSocket, buffer: Uint8Array) {
    this.#socket = socket;
    this.#buffer = buffer;
  }

  /** What the socket announces. */
  onReadable(byteLength: number): void {
    this.#readableBytes = byteLength;
  }

  /** The next bytes, `undefined` while there are none. Valid until {@link settle}. */
  next(): Uint8Array | undefined {
    const unread = this.#unread ?? this.#read();
    this.#unread = undefined;
    return unread;
  }

  /** Gives back what remains of the bytes of {@link next}. */
  giveBack(bytes: Uint8Array): void {
    this.#unread = bytes;
  }

  /** Protects freed buffers from other connections. */
  settle(): void {
    if (this.#unread?.buffer === this.#buffer.buffer) this.#unread = this.#unread.slice();
  }

  #read(): Uint8Array | undefined {
    const byteLength = Math.min(this.#readableBytes, this.#buffer.length);
    if (byteLength === 0) return undefined;
    const bytes = this.#buffer.subarray(0, byteLength);
    this.#socket.read(bytes);
    this.#readableBytes -= byteLength;
    return bytes;
  }
}

export class Outbox {
  readonly #socket: TcpSocket;
  #waiting: Uint8Array[] = [];
  #writableBytes = 0;

  constructor(socket: TcpSocket) {
    this.#socket = socket;
  }

  /** Everything has been handed to the socket. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Bytes that have not been handed to the socket yet. */
  get waitingBytes(): number {
    let byteLength = 0;
    for (const bytes of this.#waiting) byteLength += bytes.length;
    return byteLength;
  }

  /** @param bytes reused by the caller once this returns */
  send(bytes: Uint8Array): void {
    const sent = this.isEmpty ? this.#write(bytes) : 0;
    if (sent < bytes.length) this.#waiting.push(new Uint8Array(bytes.subarray(sent)));
  }

  /** @param bytes left alone by the caller until everything has been handed over */
  sendKept(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#waiting.push(bytes);
    this.#flush();
  }

  /**
   * What the socket announces; writes what waits.
   * @returns how many bytes the network has taken since the last time
   */
  onWritable(byteLength: number): number {
    const takenBytes = byteLength - this.#writableBytes;
    this.#writableBytes = byteLength;
    this.#flush();
    return takenBytes;
  }

  #flush(): void {
    let first = this.#waiting[0];
    while (first && this.#writableBytes > 0) {
      const sent = this.#write(first);
      if (sent < first.length) this.#waiting[0] = first.subarray(sent);
      else this.#waiting.shift();
      first = this.#waiting[0];
    }
  }

  /** Writes as much as can be written now. */
  #write(bytes: Uint8Array): number {
    const byteLength = Math.min(bytes.length, this.#writableBytes);
    if (byteLength === 0) return 0;
    this.#socket.write(byteLength < bytes.length ? bytes.subarray(0, byteLength) : bytes);
    this.#writableBytes -= byteLength;
    return byteLength;
  }
}
