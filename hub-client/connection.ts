/**
 * A connection to a hub: from a host name to bytes in both directions. Every failure is one `Fault`. HTTP and WebSocket
 * define what is sent and read.
 *
 *   resolving --address--> connecting --writable--> connected --+--> ended
 *       |                      |  (10 s for both)               |
 *       +----------------------+--------------------------------+
 */

import { Fault } from "../protocol/fault.js";
import { Inbox, Outbox } from "../protocol/http/buffers.js";
import type { TcpSocket } from "../protocol/ports/network.js";
import type { Clock, Timer, TimerHandle } from "../protocol/ports/runtime.js";
import type { HubClientPorts } from "./ports.js";
import { SecureSocket, type SecureSocketOptions } from "./secure-socket.js";
import { authorityOf, type WebOrigin } from "./web-address.js";

/** From the question for an address to a connection that takes bytes, the handshake of TLS included. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Without a byte of an answer that is awaited. */
export const SILENCE_TIMEOUT_MS = 30_000;

/** Body of an answer that is a message: what the hub says to a console is a tenth of it. */
export const ANSWER_LIMIT_BYTES = 4096;

// Fires when a peer has sent nothing for too long. One timer, however often the peer sends.

interface IdleTimeoutOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  readonly limitMs: number;
  /** Comes once. */
  onSilent(): void;
}

export class IdleTimeout {
  readonly #options: IdleTimeoutOptions;
  #heardMs: number;
  #timeout: TimerHandle | undefined;

  constructor(options: IdleTimeoutOptions) {
    this.#options = options;
    this.#heardMs = options.clock.uptimeMs();
    this.#arm(options.limitMs);
  }

  /** The peer has sent something. */
  heard(): void {
    this.#heardMs = this.#options.clock.uptimeMs();
  }

  /** May be called twice. */
  close(): void {
    this.#options.timer.clear(this.#timeout);
    this.#timeout = undefined;
  }

  #arm(delayMs: number): void {
    this.#timeout = this.#options.timer.set(() => this.#check(), delayMs);
  }

  #check(): void {
    const { clock, limitMs, onSilent } = this.#options;
    const leftMs = this.#heardMs + limitMs - clock.uptimeMs();
    if (leftMs > 0) this.#arm(leftMs);
    else onSilent();
  }
}

interface ConnectionOptions {
  readonly ports: HubClientPorts;
  readonly to: WebOrigin;
  /** Bytes read from the socket at a time. */
  readonly readBytes: number;
  onConnected(): void;
  /** {@link Connection.next} has something. */
  onReadable(): void;
  /**
   * There is none, or none any more. Comes once, after everything that arrived was read, unless `close` was called.
   * @param isEnd the other side has said all that it wanted to, as far as anybody can tell
   */
  onEnded(fault: Fault, isEnd: boolean): void;
}

/** An address that is the console for certain. */
const LOOPBACK = "127.0.0.1";

type SocketOptions = Omit<SecureSocketOptions, "Socket" | "Tls" | "timer" | "serverName">;

export class Connection {
  readonly #options: ConnectionOptions;
  #timeout: TimerHandle | undefined;
  #socket: TcpSocket | undefined;
  #inbox: Inbox | undefined;
  #outbox: Outbox | undefined;
  #isConnected = false;
  #isClosed = false;

  /** No callback runs inside. */
  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#timeout = options.ports.timer.set(
      () => this.#end(this.#unreachable("there was no connection in time")),
      CONNECT_TIMEOUT_MS,
    );
    this.#resolve();
  }

  /** Bytes that wait until the other side reads. */
  get waitingBytes(): number {
    return this.#outbox?.waitingBytes ?? 0;
  }

  /** The next bytes, `undefined` while there are none. Valid until the next call. */
  next(): Uint8Array | undefined {
    return this.#inbox?.next();
  }

  /** @param bytes reused by the caller once this returns */
  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    try {
      this.#outbox?.send(bytes);
    } catch (cause) {
      this.#endLater(this.#unreachable("it takes nothing any more", cause));
    }
  }

  /** What was sent still goes out. May be called twice; no callback follows. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.ports.timer.clear(this.#timeout);
    this.#socket?.close();
  }

  #resolve(): void {
    const { ports, to } = this.#options;
    try {
      ports.resolver.resolve(to.host, (error, address) => this.#onResolved(error, address));
    } catch (cause) {
      this.#endLater(this.#unreachable("this is no name", cause));
    }
  }

  #onResolved(error: Error | undefined, address: string | undefined): void {
    if (this.#isClosed) return;
    if (address === undefined) this.#end(this.#unreachable("its name is not known", error));
    else if (this.#options.ports.isOwnPort?.(address, this.#options.to.port)) this.#end(this.#ownPort());
    else this.#connect(address);
  }

  #connect(address: string): void {
    try {
      this.#socket = this.#open({
        address,
        port: this.#options.to.port,
        nodelay: true,
        onReadable: (byteLength) => this.#onReadable(byteLength),
        onWritable: (byteLength) => this.#onWritable(byteLength),
        onError: (problem?: string) => this.#onSocketEnd(problem),
      });
    } catch (cause) {
      this.#end(cause instanceof Fault ? cause : this.#unreachable("there is no way to it", cause));
      return;
    }
    this.#inbox = new Inbox(this.#socket, new Uint8Array(this.#options.readBytes));
    this.#outbox = new Outbox(this.#socket);
  }

  #open(options: SocketOptions): TcpSocket {
    const { ports, to } = this.#options;
    const { Socket, Tls, timer } = ports;
    if (!to.isSecure) return new Socket(options);
    if (!Tls) throw new Fault("not_implemented", `Cannot reach "${authorityOf(to)}": there is no TLS here`);
    return new SecureSocket({ ...options, Socket, Tls, timer, serverName: to.host });
  }

  #onReadable(byteLength: number): void {
    if (this.#isClosed) return;
    this.#inbox?.onReadable(byteLength);
    this.#options.onReadable();
  }

  #onWritable(byteLength: number): void {
    if (this.#isClosed) return;
    try {
      this.#outbox?.onWritable(byteLength);
    } catch (cause) {
      this.#end(this.#unreachable("it takes nothing any more", cause));
      return;
    }
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#options.ports.timer.clear(this.#timeout);
    if (this.#leadsHere()) this.#end(this.#ownPort());
    else this.#options.onConnected();
  }

  /** @param problem of TLS, in a sentence of its own */
  #onSocketEnd(problem: string | undefined): void {
    if (problem !== undefined) this.#end(new Fault("hub_unreachable", problem));
    else if (this.#isConnected) this.#end(this.#unreachable("the connection has ended"), true);
    else this.#end(this.#unreachable("no answer"));
  }

  /** No callback runs inside of the method that has caused it. */
  #endLater(fault: Fault): void {
    const { timer } = this.#options.ports;
    timer.clear(this.#timeout);
    this.#timeout = timer.set(() => this.#end(fault), 0);
  }

  #end(fault: Fault, isEnd = false): void {
    if (this.#isClosed) return;
    this.close();
    this.#options.onEnded(fault, isEnd);
  }

  /** What resolves to an address elsewhere may still come out here: both ends of a connection tell. */
  #leadsHere(): boolean {
    const { ports, to } = this.#options;
    const { localAddress, remoteAddress } = this.#socket ?? {};
    if (!ports.isOwnPort || remoteAddress === undefined) return false;
    return (
      ports.isOwnPort(remoteAddress, to.port) ||
      (localAddress === remoteAddress && ports.isOwnPort(LOOPBACK, to.port))
    );
  }

  /** Looked at for each connection, by the address that it goes to: what a name stands for changes. */
  #ownPort(): Fault {
    const name = authorityOf(this.#options.to);
    return new Fault("bad_parameter", `Cannot connect to "${name}": it is a port of this console itself`);
  }

  #unreachable(reason: string, cause?: unknown): Fault {
    const message = `Cannot reach "${authorityOf(this.#options.to)}": ${reason}`;
    return new Fault("hub_unreachable", message, { cause });
  }
}
