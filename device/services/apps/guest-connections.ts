/**
 * The TCP connections of one app (`net_…`, docs/spec/app-abi-and-quotas.md#net-limit). Handles count from 1; results
 * are those of the ABI. Received bytes stay in the socket until the app reads them, so that no peer can increase
 * memory use here.
 */
import type { TcpClient, TcpSocket } from "../../../protocol/ports/network.js";
import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { Lookups } from "../network/lookups.js";
import { BUSY, INVALID, IO_ERROR, NO_SPACE, NOT_FOUND, NOT_PERMITTED } from "./abi-results.js";

/** Most connections of an app: a board has few sockets, and the console's services need some. */
const CONNECTIONS_LIMIT = 4;

/** An address that always belongs to the console itself. */
const LOOPBACK = "127.0.0.1";

/** Time-out of connecting, and before that of the look-up (docs/spec/app-abi-and-quotas.md#net-limit). */
const CONNECT_LIMIT_MS = 10_000;

export interface GuestConnectionsOptions {
  readonly Socket: TcpClient["Socket"];
  /** Of all apps. */
  readonly lookups: Lookups;
  readonly timer: Timer;
  /** Admits connections; left out: memory is unlimited. */
  readonly heap?: HeapAdmission | undefined;
  /**
   * Whether this is a management port of the console itself. An app with network access must not manage the console
   * through it.
   */
  isOwnPort(address: string, port: number): boolean;
}

/** Data that an app sends. It is read only when it can be sent, so that no copy is held while the app waits. */
export interface Outgoing {
  readonly byteLength: number;
  read(into: Uint8Array): void;
}

/**
 * All running apps can wait in `send` and `receive` at the same time, for any time. Both therefore use a callback, and
 * allocate a buffer only when data is there: waiting takes 1.1 KiB of the heap. With a buffer and four promises it took
 * 4.9 KiB, which the admission of other work did not foresee.
 */
export class GuestConnections {
  readonly #options: GuestConnectionsOptions;
  readonly #connections = new Map<number, GuestConnection>();
  #lastHandle = 0;
  #isClosed = false;
  /** Ends the look-up that the app waits for. */
  #endLookup: (() => void) | undefined;

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
    if (this.#isClosed) return IO_ERROR;
    if (address === undefined) return NOT_FOUND;
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

  /**
   * The error if an open connection leads to the console itself: addresses change, and not every host lists all of
   * them.
   */
  #refusalOf({ peerAddress, isToItself }: GuestConnection, port: number): number | undefined {
    const { isOwnPort } = this.#options;
    const isOwn =
      (peerAddress !== undefined && isOwnPort(peerAddress, port)) ||
      (isToItself && isOwnPort(LOOPBACK, port));
    return isOwn ? NOT_PERMITTED : undefined;
  }

  /**
   * Sends bytes. The result is the number of bytes sent, at least one, or an error.
   * @returns the result, or `undefined` if `onSent` will be called with it
   */
  send(handle: number, outgoing: Outgoing, onSent: (result: number) => void): number | undefined {
    const connection = this.#connections.get(handle);
    return connection ? connection.send(outgoing, onSent) : NOT_FOUND;
  }

  /**
   * Receives bytes. The result is at most `byteLength` bytes; 0 once the peer has closed, -16 after the time-out, or an
   * error.
   * @returns the result, or `undefined` if `onReceived` will be called with it
   */
  receive(
    handle: number,
    byteLength: number,
    timeoutMs: number,
    onReceived: (received: Uint8Array | number) => void,
  ): Uint8Array | number | undefined {
    if (timeoutMs < 0) return INVALID;
    const connection = this.#connections.get(handle);
    return connection ? connection.receive(byteLength, timeoutMs, onReceived) : NOT_FOUND;
  }

  closeOne(handle: number): number {
    const connection = this.#connections.get(handle);
    connection?.close();
    return this.#connections.delete(handle) ? 0 : NOT_FOUND;
  }

  /** Closes all of them. May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#endLookup?.();
    for (const handle of [...this.#connections.keys()]) this.closeOne(handle);
  }

  /** @returns `undefined` for a name without an address, and where none comes in time or before the app's end */
  async #resolve(host: string): Promise<string | undefined> {
    const { lookups, timer } = this.#options;
    let end: (() => void) | undefined;
    let timeout: TimerHandle | undefined;
    const address = await new Promise<string | undefined>((settle) => {
      try {
        end = lookups.resolve(host, (_, found) => settle(found));
        timeout = timer.set(() => settle(undefined), CONNECT_LIMIT_MS);
        this.#endLookup = () => settle(undefined);
      } catch {
        settle(undefined); // not a valid name
      }
    });
    this.#endLookup = undefined;
    timer.clear(timeout);
    end?.();
    return address;
  }
}

/** One connection. An app makes one call at a time, so at most one operation is pending. */
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
      onBroken: () => this.#note(() => (this.#hasEnded = true)), // unread bytes hold back onError
    });
  }

  get peerAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Whether both ends have the same address, so that the connection leads to the console itself. */
  get isToItself(): boolean {
    const { localAddress, remoteAddress } = this.#socket;
    return localAddress !== undefined && localAddress === remoteAddress;
  }

  async connected(): Promise<boolean> {
    if (!this.#isWritable) await new Promise<void>((resolve) => this.#wait(true, CONNECT_LIMIT_MS, resolve));
    return this.#writableBytes > 0;
  }

  send(outgoing: Outgoing, onSent: (result: number) => void): number | undefined {
    if (outgoing.byteLength === 0) return 0;
    if (this.#isWritable) return this.#sendNow(outgoing);
    this.#wait(true, undefined, () => onSent(this.#sendNow(outgoing)));
    return undefined;
  }

  receive(
    byteLength: number,
    timeoutMs: number,
    onReceived: (received: Uint8Array | number) => void,
  ): Uint8Array | number | undefined {
    if (byteLength === 0) return 0;
    if (this.#isReadable) return this.#receiveNow(byteLength);
    this.#wait(false, timeoutMs, () => onReceived(this.#receiveNow(byteLength)));
    return undefined;
  }

  /** Ends the pending operation with an error. May be called twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#hasEnded = true;
    this.#socket.close();
    this.#onEvent?.();
  }

  get #isReadable(): boolean {
    return this.#readableBytes > 0 || this.#hasEnded;
  }

  get #isWritable(): boolean {
    return this.#writableBytes > 0 || this.#hasEnded;
  }

  #sendNow({ byteLength, read }: Outgoing): number {
    if (this.#isClosed || this.#hasEnded) return IO_ERROR;
    const taken = new Uint8Array(Math.min(byteLength, this.#writableBytes));
    read(taken);
    this.#writableBytes -= taken.length;
    return this.#isDone(() => this.#socket.write(taken)) ? taken.length : IO_ERROR;
  }

  #receiveNow(byteLength: number): Uint8Array | number {
    if (this.#isClosed) return IO_ERROR;
    if (this.#readableBytes === 0) return this.#hasEnded ? 0 : BUSY;
    const taken = new Uint8Array(Math.min(byteLength, this.#readableBytes));
    this.#readableBytes -= taken.length;
    return this.#isDone(() => this.#socket.read(taken)) ? taken : IO_ERROR;
  }

  /** Whether `use` succeeded; a broken socket throws before it reports the error. */
  #isDone(use: () => void): boolean {
    try {
      use();
      return true;
    } catch {
      this.#hasEnded = true; // reported to the app by the result
      return false;
    }
  }

  #note(change: () => void): void {
    change();
    this.#onEvent?.();
  }

  /** Calls back once there are bytes to read, or room to write, or after the time-out. */
  #wait(isToWrite: boolean, limitMs: number | undefined, onSettled: () => void): void {
    const settle = () => {
      this.#onEvent = undefined;
      this.#timer.clear(this.#timeout);
      this.#timeout = undefined;
      onSettled();
    };
    this.#onEvent = () => {
      if (isToWrite ? this.#isWritable : this.#isReadable) settle();
    };
    if (limitMs !== undefined) this.#timeout = this.#timer.set(settle, limitMs);
  }
}
