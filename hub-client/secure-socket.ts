/**
 * A TCP socket over TLS, with the interface of a plain one (protocol/ports/network.ts), so that HTTP and WebSocket run over
 * either. Counts are of plaintext.
 *
 * Only the end differs. A peer that has sent everything sends a closure alert before it closes (RFC 8446 §6.1):
 * `onError` then gets no argument, and all that was read is complete. Any other end passes a message, since an attacker
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
// room. It never asks either for more than it can do now, so that a slow peer, or a program that reads late, applies
// backpressure and nothing accumulates in between.

interface TlsPumpOptions {
  readonly Socket: TcpClient["Socket"];
  readonly timer: Timer;
  readonly address: string;
  readonly port: number;
  readonly nodelay?: boolean;
  /** The link's from here on, which closes it. */
  readonly engine: TlsEngine;
  /** Something has come or gone, or there is no connection any more. Never inside a method of the link. */
  onProgress(): void;
}

/**
 *   connecting --> connected --> cut (TCP has ended or failed)
 *        \             \__________\__> lingering --> closed
 *         `--> refused
 */
type LinkPhase = "connecting" | "refused" | "connected" | "cut" | "lingering" | "closed";

/** Bytes that are on their way at a time; there is a buffer of them a connection. */
const PIECE_BYTES = 1024;

/** How long a closed connection waits for a peer that does not take what is left, as TCP's own on the simulator does. */
const LINGER_MS = 500;

class TlsPump {
  readonly socket: TcpSocket;
  readonly #options: TlsPumpOptions;
  readonly #engine: TlsEngine;
  readonly #piece = new Uint8Array(PIECE_BYTES);
  /** What TCP has for us. */
  #arrived = 0;
  /** What TCP takes from us. */
  #room = 0;
  #phase: LinkPhase = "connecting";
  #deadline: TimerHandle | undefined;

  /** @throws {RangeError} for what is no address or port; then nothing is held, and the engine is the caller's */
  constructor(options: TlsPumpOptions) {
    this.#options = options;
    this.#engine = options.engine;
    const { Socket, address, port, nodelay = false } = options;
    this.socket = new Socket({
      ...{ address, port, nodelay },
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

  get phase(): LinkPhase {
    return this.#phase;
  }

  /** Both ways, as far as it goes. */
  move(): void {
    while (this.#arrived > 0 && this.#receive() > 0);
    this.#send();
  }

  /** Sends what is left of it, then closes. May be called twice; `onProgress` does not come again. */
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
    while (this.#arrived > 0) this.#take();
    this.#send();
    if (this.#engine.takeable === 0) this.#finish();
  }

  #finish(): void {
    this.#options.timer.clear(this.#deadline);
    this.#phase = "closed";
    this.socket.close();
    this.#engine.close();
  }

  /** @returns how many bytes the engine has taken */
  #receive(): number {
    const room = this.#engine.receivable;
    if (room === 0) return 0;
    const piece = this.#take(room);
    this.#engine.receive(piece);
    return piece.length;
  }

  /** @returns what TCP has, a piece of it, until the next call */
  #take(limit = PIECE_BYTES): Uint8Array {
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
  /** As TCP's. @param problem why, in a sentence; `undefined` where the peer has said all that it had to say */
  onError?(problem?: string): void;
}

/** At most so much is announced at a time, as TCP does: programs take a buffer of it. */
const ANNOUNCED_BYTES = 4096;
/** Less room than this is not worth a callback: half of what an engine has. */
const WORTHWHILE_BYTES = 2048;

export class SecureSocket implements TcpSocket {
  readonly #options: SecureSocketOptions;
  readonly #engine: TlsEngine;
  readonly #link: TlsPump;
  /** What the program knows that it can read, and write. */
  #announced = { readable: 0, writable: 0 };
  #wasOpen = false;
  #isEndTold = false;
  #isTelling = false;
  #isClosed = false;
  #later: TimerHandle | undefined;

  /** @throws {RangeError} for what is no address, port or name of a server */
  constructor(options: SecureSocketOptions) {
    const { Socket, Tls, timer, address, port, nodelay = false, serverName } = options;
    this.#options = options;
    this.#engine = new Tls({ serverName });
    const engine = this.#engine;
    try {
      const onProgress = () => this.#report();
      this.#link = new TlsPump({ Socket, timer, address, port, nodelay, engine, onProgress });
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  get remoteAddress(): string | undefined {
    return this.#link.socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#link.socket.remotePort;
  }

  /** @returns the bytes read, which are all of `into` */
  read(into: Uint8Array): number {
    this.#requireOpen();
    this.#engine.read(into);
    this.#announced.readable = Math.max(0, this.#announced.readable - into.length);
    this.#moveOn();
    return into.length;
  }

  /** Bytes for a connection that has failed are dropped, as the network would. */
  write(bytes: Uint8Array): void {
    this.#requireOpen();
    if (this.#isDead) return;
    this.#engine.write(bytes);
    this.#announced.writable = Math.max(0, this.#announced.writable - bytes.length);
    this.#moveOn();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.timer.clear(this.#later);
    this.#link.close();
  }

  get #isDead(): boolean {
    const { phase } = this.#link;
    return this.#engine.phase === "failed" || phase === "cut" || phase === "refused";
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error("Cannot use a closed connection");
  }

  /** Called when a method has made room. Queues the callbacks for after this turn, unless callbacks are running now. */
  #moveOn(): void {
    this.#link.move();
    if (this.#isTelling || this.#later !== undefined || this.#news() === undefined) return;
    this.#later = this.#options.timer.set(() => {
      this.#later = undefined;
      this.#report();
    }, 0);
  }

  /** Whatever there is to tell, one callback after the other; any of them may close the connection. */
  #report(): void {
    this.#isTelling = true;
    for (let news = this.#news(); news; news = this.#news())
      if (news === "readable") this.#notifyReadable();
      else if (news === "writable") this.#notifyWritable();
      else this.#reportEnd();
    this.#isTelling = false;
  }

  #news(): "readable" | "writable" | "end" | undefined {
    if (this.#isClosed) return undefined;
    const { phase, readable, writable } = this.#engine;
    this.#wasOpen ||= phase === "open" || phase === "ended";
    if (Math.min(readable, ANNOUNCED_BYTES) > this.#announced.readable) return "readable";
    const isWorthwhile = writable >= WORTHWHILE_BYTES && writable > this.#announced.writable;
    if (isWorthwhile && !this.#isDead) return "writable";
    const isOver = phase === "ended" || this.#isDead;
    return isOver && readable === 0 && !this.#isEndTold ? "end" : undefined;
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
    this.#isEndTold = true;
    this.#options.onError?.call(this, this.#problem());
  }

  #problem(): string | undefined {
    const { phase, problem } = this.#engine;
    const peer = `"${this.#options.serverName}"`;
    if (phase === "ended") return undefined;
    if (this.#link.phase === "refused") return `Cannot connect to ${peer}`;
    const attempt = this.#wasOpen ? "go on with" : "speak TLS with";
    return `Cannot ${attempt} ${peer}: ${problem ?? "the connection was cut"}`;
  }
}
