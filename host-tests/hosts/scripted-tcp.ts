/** The TCP port for clients without a network: the test decides when data arrives and how much can be sent. */
import type { TcpConnectOptions, TcpSocket } from "../../protocol/ports/network.js";

export class ScriptedSocket implements TcpSocket {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly sent: number[] = [];
  isClosed = false;
  readonly #options: TcpConnectOptions;
  readonly #unread: number[] = [];
  #room = 0;

  constructor(options: TcpConnectOptions) {
    if (options.port < 1) throw new RangeError(`${options.port} is not a port`);
    this.#options = options;
    this.remoteAddress = options.address;
    this.remotePort = options.port;
  }

  get unreadBytes(): number {
    return this.#unread.length;
  }

  read(into: Uint8Array): void {
    if (this.isClosed || into.length > this.#unread.length) throw new Error("Cannot read that");
    into.set(this.#unread.splice(0, into.length));
  }

  write(bytes: Uint8Array): void {
    if (this.isClosed || bytes.length > this.#room) throw new RangeError("Cannot write that");
    this.sent.push(...bytes);
    this.#room -= bytes.length;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Simulates acknowledged data: `room` bytes can be written now. */
  open(room: number): void {
    this.#room = room;
    this.#options.onWritable?.(room);
  }

  /** Delivers bytes from the peer. */
  arrive(bytes: Iterable<number>): void {
    this.#unread.push(...bytes);
    this.#options.onReadable?.(this.#unread.length);
  }

  /** Simulates a reset before everything was read. */
  break(): void {
    this.#options.onBroken?.();
  }

  /** Simulates that the peer has closed or reset the connection. */
  end(): void {
    this.#options.onError?.();
  }
}
