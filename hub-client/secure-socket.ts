/**
 * A TCP socket over TLS, with the interface of a plain one (protocol/ports/network.ts), so that HTTP and WebSocket run
 * over either. Counts are of plaintext.
 *
 * Only the end differs. A peer that has sent everything sends a closure alert before it closes (RFC 8446 §6.1):
 * `onError` then gets no argument, and the received data is complete. Any other end passes a message, since an attacker
 * on the path may have cut off the rest.
 */
import type {
  TcpClient,
  TcpConnectOptions,
  TcpSocket,
  TlsConstructor,
  TlsEngine,
  TlsOptions,
} from "../protocol/ports/network.js";
import type { Timer, TimerHandle } from "../protocol/ports/runtime.js";

// Moves ciphertext between a TCP socket and a TLS engine, in each direction as far as one has data and the other has
// room. A slow peer, or a program that reads late, therefore applies backpressure, and nothing accumulates in between.

interface TlsPumpOptions {
  readonly Socket: TcpClient["Socket"];
  readonly timer: Timer;
  readonly address: string;
  readonly port: number;
  readonly nodelay?: boolean;
  /** Owned by the pump from now on, which closes it. */
  readonly engine: TlsEngine;
  /** Bytes were moved, or the connection ended. Never called inside a method of the pump. */
  onProgress(): void;
}

/**
 *   connecting --> connected --> cut (TCP has ended or failed)
 *        \             \__________\__> lingering --> closed
 *         `--> refused
 */
type PumpPhase = "connecting" | "refused" | "connected" | "cut" | "lingering" | "closed";

/** Bytes moved at a time, and size of the buffer of each connection. */
const PIECE_BYTES = 1024;

/** Longest time to send the remaining data after `close`, as for TCP on the simulator. */
const LINGER_MS = 500;

class TlsPump {
  readonly socket: TcpSocket;
  readonly #options: TlsPumpOptions;
  readonly #engine: TlsEngine;
  readonly #piece = new Uint8Array(PIECE_BYTES);
  /** Bytes that TCP has received and that are unread. */
  #arrived = 0;
  /** Bytes that TCP accepts now. */
  #room = 0;
  #phase: PumpPhase = "connecting";
  #deadline: TimerHandle | undefined;

  /** @throws {RangeError} for an invalid address or port; the caller then still owns the engine */
  constructor(options: TlsPumpOptions) {
    this.#options = options;
    this.#engine = options.engine;
    const { Socket, address, port, nodelay = false } = options;
    this.socket = new Socket({
      address,
      port,
      nodelay,
      onReadable: (byteLength) => {
        this.#arrived = byteLength;
        this.#progress();
      },
      onWritable: (byteLength) => {
        this.#room = byteLength;
        if (this.#phase === "connecting") this.#phase = "connected";
        this.#progress();
      },
      onError: () => this.#cut(),
    });
  }

  get phase(): PumpPhase {
    return this.#phase;
  }

  /** Moves bytes in both directions, as many as possible. */
  move(): void {
    while (this.#arrived > 0 && this.#receive() > 0);
    this.#send();
  }

  /** Sends the remaining data, then closes. May be called twice; `onProgress` does not follow. */
  close(): void {
    if (this.#phase === "lingering" || this.#phase === "closed") return;
    const isConnected = this.#phase === "connected";
    if (isConnected) this.#engine.end();
    this.#phase = "lingering";
    if (isConnected) this.#send();
    if (!isConnected || this.#engine.takeable === 0) this.#finish();
    else this.#deadline = this.#options.timer.set(() => this.#finish(), LINGER_MS);
  }

  #progress(): void {
    if (this.#phase === "closed") return;
    if (this.#phase === "lingering") {
      this.#linger();
    } else {
      this.move();
      this.#options.onProgress();
    }
  }

  #cut(): void {
    if (this.#phase === "closed") return;
    if (this.#phase === "lingering") {
      this.#finish();
    } else {
      this.#room = 0;
      this.#phase = this.#phase === "connecting" ? "refused" : "cut";
      this.#options.onProgress();
    }
  }

  /** Discards incoming data: a peer whose sends block might not read. */
  #linger(): void {
    while (this.#arrived > 0) this.#readPiece();
    this.#send();
    if (this.#engine.takeable === 0) this.#finish();
  }

  #finish(): void {
    this.#options.timer.clear(this.#deadline);
    this.#phase = "closed";
    this.socket.close();
    this.#engine.close();
  }

  /** @returns how many bytes the engine has accepted */
  #receive(): number {
    const room = this.#engine.receivable;
    if (room === 0) return 0;
    const piece = this.#readPiece(room);
    this.#engine.receive(piece);
    return piece.length;
  }

  /** @returns a piece of the received bytes, valid until the next call */
  #readPiece(limit = PIECE_BYTES): Uint8Array {
    const piece = this.#piece.subarray(0, Math.min(this.#arrived, limit, PIECE_BYTES));
    this.socket.read(piece);
    this.#arrived -= piece.length;
    return piece;
  }

  #send(): void {
    while (this.#room > 0 && this.#engine.takeable > 0) {
      const length = this.#engine.take(this.#piece.subarray(0, Math.min(this.#room, PIECE_BYTES)));
      this.socket.write(this.#piece.subarray(0, length));
      this.#room -= length;
    }
  }
}

export interface SecureSocketOptions extends TcpConnectOptions, TlsOptions {
  readonly Socket: TcpClient["Socket"];
  readonly Tls: TlsConstructor;
  readonly timer: Timer;
  /** Like TCP's. @param problem the reason as a sentence; `undefined` if the peer closed after sending everything */
  onError?(problem?: string): void;
}

/** Most bytes announced at a time, as for TCP: programs allocate a buffer of this size. */
const ANNOUNCED_BYTES = 4096;
/** `onWritable` is not called for less room than this, half of an engine's buffer. */
const WORTHWHILE_BYTES = 2048;

export class SecureSocket implements TcpSocket {
  readonly #options: SecureSocketOptions;
  readonly #engine: TlsEngine;
  readonly #pump: TlsPump;
  /** Byte counts of the last callbacks, less what was read and written since. */
  #announced = { readable: 0, writable: 0 };
  #wasOpen = false;
  #isEndReported = false;
  #isReporting = false;
  #isClosed = false;
  #later: TimerHandle | undefined;

  /** @throws {RangeError} for an invalid address, port or server name */
  constructor(options: SecureSocketOptions) {
    const { Socket, Tls, timer, address, port, nodelay = false, serverName } = options;
    this.#options = options;
    this.#engine = new Tls({ serverName });
    const engine = this.#engine;
    try {
      const onProgress = () => this.#report();
      this.#pump = new TlsPump({ Socket, timer, address, port, nodelay, engine, onProgress });
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  get remoteAddress(): string | undefined {
    return this.#pump.socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#pump.socket.remotePort;
  }

  /** @returns the number of bytes read, always all of `into` */
  read(into: Uint8Array): number {
    this.#requireOpen();
    this.#engine.read(into);
    this.#announced.readable = Math.max(0, this.#announced.readable - into.length);
    this.#resume();
    return into.length;
  }

  /** Drops the bytes if the connection has failed, as the network would. */
  write(bytes: Uint8Array): void {
    this.#requireOpen();
    if (this.#isDead) return;
    this.#engine.write(bytes);
    this.#announced.writable = Math.max(0, this.#announced.writable - bytes.length);
    this.#resume();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.timer.clear(this.#later);
    this.#pump.close();
  }

  get #isDead(): boolean {
    const { phase } = this.#pump;
    return this.#engine.phase === "failed" || phase === "cut" || phase === "refused";
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error("Cannot use a closed connection");
  }

  /** Called when a method has made room. Runs the callbacks in a later turn, unless callbacks are running now. */
  #resume(): void {
    this.#pump.move();
    if (this.#isReporting || this.#later !== undefined || this.#nextEvent() === undefined) return;
    this.#later = this.#options.timer.set(() => {
      this.#later = undefined;
      this.#report();
    }, 0);
  }

  /** Runs all due callbacks; any of them may close the connection. */
  #report(): void {
    this.#isReporting = true;
    for (let event = this.#nextEvent(); event; event = this.#nextEvent())
      if (event === "readable") this.#notifyReadable();
      else if (event === "writable") this.#notifyWritable();
      else this.#reportEnd();
    this.#isReporting = false;
  }

  #nextEvent(): "readable" | "writable" | "end" | undefined {
    if (this.#isClosed) return undefined;
    const { phase, readable, writable } = this.#engine;
    this.#wasOpen ||= phase === "open" || phase === "ended";
    if (Math.min(readable, ANNOUNCED_BYTES) > this.#announced.readable) return "readable";
    const isWorthwhile = writable >= WORTHWHILE_BYTES && writable > this.#announced.writable;
    if (isWorthwhile && !this.#isDead) return "writable";
    const isOver = phase === "ended" || this.#isDead;
    return isOver && readable === 0 && !this.#isEndReported ? "end" : undefined;
  }

  #notifyReadable(): void {
    const byteLength = Math.min(this.#engine.readable, ANNOUNCED_BYTES);
    this.#announced.readable = byteLength;
    this.#options.onReadable?.call(this, byteLength);
  }

  #notifyWritable(): void {
    const byteLength = this.#engine.writable;
    this.#announced.writable = byteLength;
    this.#options.onWritable?.call(this, byteLength);
  }

  #reportEnd(): void {
    this.#isEndReported = true;
    this.#options.onError?.call(this, this.#problem());
  }

  #problem(): string | undefined {
    const { phase, problem } = this.#engine;
    const peer = `"${this.#options.serverName}"`;
    if (phase === "ended") return undefined;
    if (this.#pump.phase === "refused") return `Cannot connect to ${peer}`;
    const attempt = this.#wasOpen ? "go on with" : "speak TLS with";
    return `Cannot ${attempt} ${peer}: ${problem ?? "the connection was cut"}`;
  }
}
