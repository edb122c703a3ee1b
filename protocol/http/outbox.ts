/**
 * Send buffer of a connection: holds what the socket does not accept yet.
 */
import type { TcpSocket } from "../ports/network.js";

export class Outbox {
  readonly #socket: TcpSocket;
  #waiting: Uint8Array[] = [];
  #writableBytes = 0;

  constructor(socket: TcpSocket) {
    this.#socket = socket;
  }

  /** Whether everything has been written to the socket. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Bytes not yet written to the socket. */
  get waitingBytes(): number {
    let byteLength = 0;
    for (const bytes of this.#waiting) byteLength += bytes.length;
    return byteLength;
  }

  /** @param bytes copied if they cannot be written now; the caller can reuse them */
  send(bytes: Uint8Array): void {
    const sent = this.isEmpty ? this.#write(bytes) : 0;
    if (sent < bytes.length) this.#waiting.push(new Uint8Array(bytes.subarray(sent)));
  }

  /** @param bytes not copied; the caller must not change them until {@link isEmpty} */
  sendKept(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#waiting.push(bytes);
    this.#flush();
  }

  /**
   * Call on the socket's `onWritable`. Writes waiting bytes.
   * @returns how many bytes the network has accepted since the last call
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

  /** Write as much as possible now. @returns how many bytes were written */
  #write(bytes: Uint8Array): number {
    const byteLength = Math.min(bytes.length, this.#writableBytes);
    if (byteLength === 0) return 0;
    this.#socket.write(byteLength < bytes.length ? bytes.subarray(0, byteLength) : bytes);
    this.#writableBytes -= byteLength;
    return byteLength;
  }
}
