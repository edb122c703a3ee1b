/**
 * Bytes on their way out of a socket. They are read into a buffer that all connections share, so what is
 * not wanted yet is copied before another connection reads.
 */
import type { TcpSocket } from "../ports/tcp.js";

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

  /** Makes what was given back safe from other connections. */
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
