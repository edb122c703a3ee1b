/**
 * Bytes on their way into a socket. What can be written now is written at once; the rest waits, copied
 * where its buffer is not ours to keep.
 */
import type { TcpSocket } from "../ports/tcp.js";

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
