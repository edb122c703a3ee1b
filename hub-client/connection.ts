/**
 * A TCP or TLS connection to a hub: resolves the host name, connects, and carries bytes in both directions. Reports
 * every failure as one `Fault`. Used by the HTTP and WebSocket clients.
 *
 *   resolving --address--> connecting --writable--> connected --+--> ended
 *       |                      |  (10 s for both)               |
 *       +----------------------+--------------------------------+
 */

import { Fault } from "../protocol/fault.js";
import { Outbox } from "../protocol/http/outbox.js";
import { LEAST_RECEIVED_BYTES_PER_S, MinimumRate } from "../protocol/minimum-rate.js";
import type { TcpSocket } from "../protocol/ports/network.js";
import type { Clock, Timer, TimerHandle } from "../protocol/ports/runtime.js";
import type { HubClientPorts } from "./ports.js";
import { SecureSocket, type SecureSocketOptions } from "./secure-socket.js";
import { authorityOf, type WebOrigin } from "./web-address.js";

/** Time for name resolution, connecting and the TLS handshake together. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Longest time until an expected response has a head, and then without a byte of its body. */
export const SILENCE_TIMEOUT_MS = 30_000;

/** Longest body of a response that is a message: the hub's messages to a console are a tenth of it. */
export const ANSWER_LIMIT_BYTES = 4096;

// Fires when a peer keeps its client waiting for too long. Uses one timer, however often the peer sends.

interface PatienceOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  /** Longest silence. */
  readonly limitMs: number;
  /** Whether the peer must also send at the minimum rate. */
  readonly isRated?: boolean;
  /** Called once. @param reason for the message of an error */
  onTimeout(reason: string): void;
}

export class Patience {
  readonly #options: PatienceOptions;
  readonly #rate = new MinimumRate();
  #lastReceivedMs: number;
  #pausedMs: number | undefined;
  #timeout: TimerHandle | undefined;

  constructor(options: PatienceOptions) {
    this.#options = options;
    this.#lastReceivedMs = options.clock.uptimeMs();
    this.#rate.start(this.#lastReceivedMs);
    this.#arm();
  }

  /** The peer has sent bytes: restarts the time-out. */
  touch(byteLength: number): void {
    this.#lastReceivedMs = this.#options.clock.uptimeMs();
    this.#rate.add(byteLength);
  }

  /** The client does not read: excludes the time until {@link resume}. */
  pause(): void {
    this.#pausedMs ??= this.#options.clock.uptimeMs();
    this.close();
  }

  resume(): void {
    if (this.#pausedMs === undefined) return;
    this.#lastReceivedMs = this.#options.clock.uptimeMs();
    this.#rate.pause(this.#lastReceivedMs - this.#pausedMs);
    this.#pausedMs = undefined;
    this.#arm();
  }

  /** May be called twice. */
  close(): void {
    this.#options.timer.clear(this.#timeout);
    this.#timeout = undefined;
  }

  #arm(): void {
    const { clock, timer } = this.#options;
    this.#timeout = timer.set(() => this.#check(), Math.max(0, this.#endsAtMs - clock.uptimeMs()));
  }

  get #endsAtMs(): number {
    const { limitMs, isRated = false } = this.#options;
    const silentAtMs = this.#lastReceivedMs + limitMs;
    return isRated ? Math.min(silentAtMs, this.#rate.endsAtMs) : silentAtMs;
  }

  #check(): void {
    const { clock, isRated = false, limitMs, onTimeout } = this.#options;
    const nowMs = clock.uptimeMs();
    if (nowMs >= this.#lastReceivedMs + limitMs) onTimeout("no data in time");
    else if (isRated && this.#rate.isTooLow(nowMs, LEAST_RECEIVED_BYTES_PER_S))
      onTimeout(`slower than ${LEAST_RECEIVED_BYTES_PER_S} bytes a second`);
    else this.#arm();
  }
}

interface ConnectionOptions {
  readonly ports: HubClientPorts;
  readonly to: WebOrigin;
  /** Bytes read from the socket at a time. */
  readonly readBytes: number;
  onConnected(): void;
  /** {@link Connection.next} has bytes. */
  onReadable(): void;
  /**
   * The connection failed or ended. Called once, after all received bytes were read, unless `close` was called.
   * @param isPeerEnd the peer closed the connection, so all that it sent has arrived; over plain TCP this is not
   *   certain
   */
  onEnded(fault: Fault, isPeerEnd: boolean): void;
}

/** An address that always belongs to the console itself. */
const LOOPBACK = "127.0.0.1";

type SocketOptions = Omit<SecureSocketOptions, "Socket" | "Tls" | "timer" | "serverName">;

export class Connection {
  readonly #options: ConnectionOptions;
  #timeout: TimerHandle | undefined;
  #socket: TcpSocket | undefined;
  #input: Uint8Array | undefined;
  /** Bytes that can be read from the socket now. */
  #readableBytes = 0;
  #outbox: Outbox | undefined;
  #isConnected = false;
  #isClosed = false;

  /** No callback runs inside. */
  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#timeout = options.ports.timer.set(
      () => this.#end(this.#unreachable("connecting took too long")),
      CONNECT_TIMEOUT_MS,
    );
    this.#resolve();
  }

  /** Bytes that wait to be sent. */
  get waitingBytes(): number {
    return this.#outbox?.waitingBytes ?? 0;
  }

  /** @returns the received bytes, valid until the next call; `undefined` if there are none */
  next(): Uint8Array | undefined {
    if (!this.#input || !this.#socket || this.#readableBytes === 0) return undefined;
    const bytes = this.#input.subarray(0, Math.min(this.#readableBytes, this.#input.length));
    this.#socket.read(bytes);
    this.#readableBytes -= bytes.length;
    return bytes;
  }

  /** @param bytes may be reused by the caller afterwards */
  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    try {
      this.#outbox?.send(bytes);
    } catch (cause) {
      this.#endLater(this.#unreachable("it no longer accepts data", cause));
    }
  }

  /** Closes after all sent bytes have gone out. May be called twice; no callback follows. */
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
      this.#endLater(this.#unreachable("invalid host name", cause));
    }
  }

  #onResolved(error: Error | undefined, address: string | undefined): void {
    if (this.#isClosed) return;
    if (address === undefined) this.#end(this.#unreachable("unknown host name", error));
    else if (this.#options.ports.isOwnPort?.(address, this.#options.to.port)) this.#end(this.#ownPortFault());
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
      this.#end(cause instanceof Fault ? cause : this.#unreachable("no route to the host", cause));
      return;
    }
    this.#input = new Uint8Array(this.#options.readBytes);
    this.#outbox = new Outbox(this.#socket);
  }

  #open(options: SocketOptions): TcpSocket {
    const { ports, to } = this.#options;
    const { Socket, Tls, timer } = ports;
    if (!to.isSecure) return new Socket(options);
    if (!Tls) throw new Fault("not_implemented", `Cannot reach "${authorityOf(to)}": this build has no TLS`);
    return new SecureSocket({ ...options, Socket, Tls, timer, serverName: to.host });
  }

  #onReadable(byteLength: number): void {
    if (this.#isClosed) return;
    this.#readableBytes = byteLength;
    this.#options.onReadable();
  }

  #onWritable(byteLength: number): void {
    if (this.#isClosed) return;
    try {
      this.#outbox?.onWritable(byteLength);
    } catch (cause) {
      this.#end(this.#unreachable("it no longer accepts data", cause));
      return;
    }
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#options.ports.timer.clear(this.#timeout);
    if (this.#isOwnConnection()) this.#end(this.#ownPortFault());
    else this.#options.onConnected();
  }

  /** @param problem of TLS, as a complete sentence */
  #onSocketEnd(problem: string | undefined): void {
    if (problem !== undefined) this.#end(new Fault("hub_unreachable", problem));
    else if (this.#isConnected) this.#end(this.#unreachable("the connection ended"), true);
    else this.#end(this.#unreachable("no answer"));
  }

  /** In a later turn, so that no callback runs inside the method that caused it. */
  #endLater(fault: Fault): void {
    const { timer } = this.#options.ports;
    timer.clear(this.#timeout);
    this.#timeout = timer.set(() => this.#end(fault), 0);
  }

  #end(fault: Fault, isPeerEnd = false): void {
    if (this.#isClosed) return;
    this.close();
    this.#options.onEnded(fault, isPeerEnd);
  }

  /** Whether the connection leads to the console itself, which the resolved address alone does not reveal. */
  #isOwnConnection(): boolean {
    const { ports, to } = this.#options;
    const { localAddress, remoteAddress } = this.#socket ?? {};
    if (!ports.isOwnPort || remoteAddress === undefined) return false;
    return (
      ports.isOwnPort(remoteAddress, to.port) ||
      (localAddress === remoteAddress && ports.isOwnPort(LOOPBACK, to.port))
    );
  }

  /** Checked for each connection by its address, since the address of a name can change. */
  #ownPortFault(): Fault {
    const name = authorityOf(this.#options.to);
    return new Fault("bad_parameter", `Cannot connect to "${name}": it is a port of this console`);
  }

  #unreachable(reason: string, cause?: unknown): Fault {
    const message = `Cannot reach "${authorityOf(this.#options.to)}": ${reason}`;
    return new Fault("hub_unreachable", message, { cause });
  }
}
