/**
 * The TCP connections of one app (`net_…`, docs/spec/app-abi-and-quotas.md#net-limit). Handles count from 1; results
 * are those of the ABI. Received bytes wait in their socket until the app reads them, so that no peer can make memory
 * use grow here.
 */
import type { Resolver } from "../../../protocol/ports/resolver.js";
import type { TcpClient, TcpSocket } from "../../../protocol/ports/tcp.js";
import type { Timer, TimerHandle } from "../../../protocol/ports/timer.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import { HEAP_NEEDS } from "../heap/heap-needs.js";
import { BUSY, INVALID, IO_ERROR, NO_SPACE, NOT_FOUND, NOT_PERMITTED } from "./abi-results.js";

/** Sockets are few on a board, and the console's own services need some. */
const CONNECTIONS_LIMIT = 4;

/** An address that is the console for certain. */
const LOOPBACK = "127.0.0.1";

/** A connection that is not there after this will not be (docs/spec/app-abi-and-quotas.md#net-limit). */
const CONNECT_LIMIT_MS = 10_000;

export interface GuestConnectionsOptions {
  readonly Socket: TcpClient["Socket"];
  readonly resolver: Resolver;
  readonly timer: Timer;
  /** Asked before a connection is made; left out: there is always room. */
  readonly heap?: HeapAdmission | undefined;
  /**
   * Whether this is a port of the console's own management. An app that may use the network must not manage the
   * console with it: that takes `app.control` and more.
   */
  isOwnPort(address: string, port: number): boolean;
}

export class GuestConnections {
  readonly #options: GuestConnectionsOptions;
  readonly #connections = new Map<number, GuestConnection>();
  #lastHandle = 0;
  #isClosed = false;

  constructor(options: GuestConnectionsOptions) {
    this.#options = options;
  }

  /** @param host a name or an address @returns a handle, or an error */
  async connect(host: string, port: number): Promise<number> {
    if (!(port >= 1 && port <= 65535)) return INVALID;
    if (this.#connections.size >= CONNECTIONS_LIMIT) return NO_SPACE;
    const { heap } = this.#options;
    if (heap && !heap.hasRoomToStay(HEAP_NEEDS.appConnection)) return BUSY;
    const address = await this.#resolve(host);
    if (address === undefined) return NOT_FOUND;
    if (this.#isClosed) return IO_ERROR;
    if (this.#options.isOwnPort(address, port)) return NOT_PERMITTED;
    const handle = ++this.#lastHandle;
    const connection = new GuestConnection(this.#options, address, port);
    this.#connections.set(handle, connection);
    const isConnected = await connection.connected();
    const refusal = isConnected ? this.#refusalOf(connection, port) : IO_ERROR;
    if (refusal === undefined) return handle;
    this.closeOne(handle);
    return refusal;
  }

  /** Why a connection that is there must not be used: addresses come and go, and not every host lists all of them. */
  #refusalOf({ peerAddress, isToItself }: GuestConnection, port: number): number | undefined {
    const { isOwnPort } = this.#options;
    const isOwn =
      (peerAddress !== undefined && isOwnPort(peerAddress, port)) ||
      (isToItself && isOwnPort(LOOPBACK, port));
    return isOwn ? NOT_PERMITTED : undefined;
  }

  /** @returns how many bytes were taken, at least one */
  send(handle: number, bytes: Uint8Array): number | Promise<number> {
    return this.#connections.get(handle)?.send(bytes) ?? NOT_FOUND;
  }

  /** @returns how many bytes came, 0 once the peer has closed, -16 after the time */
  receive(handle: number, into: Uint8Array, timeoutMs: number): number | Promise<number> {
    if (timeoutMs < 0) return INVALID;
    return this.#connections.get(handle)?.receive(into, timeoutMs) ?? NOT_FOUND;
  }

  closeOne(handle: number): number {
    const connection = this.#connections.get(handle);
    connection?.close();
    return this.#connections.delete(handle) ? 0 : NOT_FOUND;
  }

  /** Closes all of them. May be called twice. */
  close(): void {
    this.#isClosed = true;
    for (const handle of [...this.#connections.keys()]) this.closeOne(handle);
  }

  #resolve(host: string): Promise<string | undefined> {
    return new Promise((settle) => {
      try {
        this.#options.resolver.resolve(host, (_, address) => settle(address));
      } catch {
        settle(undefined); // what cannot be a name has no address either
      }
    });
  }
}

/** One connection. An app makes one call at a time, so at most one thing is waited for. */
class GuestConnection {
  readonly #timer: Timer;
  readonly #socket: TcpSocket;
  #readableBytes = 0;
  #writableBytes = 0;
  #hasEnded = false;
  #isClosed = false;
  #onEvent: (() => void) | undefined;
  #timeout: TimerHandle | undefined;

  constructor({ Socket, timer }: GuestConnectionsOptions, address: string, port: number) {
    this.#timer = timer;
    this.#socket = new Socket({
      address,
      port,
      onReadable: (byteLength) => this.#note(() => (this.#readableBytes = byteLength)),
      onWritable: (byteLength) => this.#note(() => (this.#writableBytes = byteLength)),
      onError: () => this.#note(() => (this.#hasEnded = true)),
    });
  }

  get peerAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Both ends have one address, so that both are here. */
  get isToItself(): boolean {
    const { localAddress, remoteAddress } = this.#socket;
    return localAddress !== undefined && localAddress === remoteAddress;
  }

  async connected(): Promise<boolean> {
    await this.#until(() => this.#writableBytes > 0 || this.#hasEnded, CONNECT_LIMIT_MS);
    return this.#writableBytes > 0;
  }

  send(bytes: Uint8Array): number | Promise<number> {
    if (bytes.length === 0) return 0;
    if (this.#writableBytes > 0) return this.#sendNow(bytes);
    return this.#until(() => this.#writableBytes > 0 || this.#hasEnded).then(() => this.#sendNow(bytes));
  }

  receive(into: Uint8Array, timeoutMs: number): number | Promise<number> {
    if (into.length === 0) return 0;
    if (this.#readableBytes > 0 || this.#hasEnded) return this.#receiveNow(into);
    return this.#until(() => this.#readableBytes > 0 || this.#hasEnded, timeoutMs).then(() =>
      this.#receiveNow(into),
    );
  }

  /** What is waited for is answered with an error. May be called twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#hasEnded = true;
    this.#socket.close();
    this.#onEvent?.();
  }

  #sendNow(bytes: Uint8Array): number {
    if (this.#isClosed || this.#hasEnded) return IO_ERROR;
    const taken = bytes.subarray(0, Math.min(bytes.length, this.#writableBytes));
    this.#writableBytes -= taken.length;
    this.#socket.write(taken);
    return taken.length;
  }

  #receiveNow(into: Uint8Array): number {
    if (this.#isClosed) return IO_ERROR;
    if (this.#readableBytes === 0) return this.#hasEnded ? 0 : BUSY;
    const taken = into.subarray(0, Math.min(into.length, this.#readableBytes));
    this.#readableBytes -= taken.length;
    this.#socket.read(taken);
    return taken.length;
  }

  #note(change: () => void): void {
    change();
    this.#onEvent?.();
  }

  /** Settles once `isSo`, or once the time is over. */
  #until(isSo: () => boolean, limitMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        this.#onEvent = undefined;
        this.#timer.clear(this.#timeout);
        this.#timeout = undefined;
        resolve();
      };
      this.#onEvent = () => {
        if (isSo()) settle();
      };
      if (limitMs !== undefined) this.#timeout = this.#timer.set(settle, limitMs);
      this.#onEvent();
    });
  }
}
