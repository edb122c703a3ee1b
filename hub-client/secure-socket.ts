/**
 * A TCP socket over TLS, with the interface of a plain one (protocol/ports/tcp.ts), so that HTTP and WebSocket run over
 * either. Counts are of plaintext.
 *
 * Only the end differs. A peer that has sent everything sends a closure alert before it closes (RFC 8446 §6.1):
 * `onError` then gets no argument, and all that was read is complete. Any other end passes a message, since an attacker
 * on the path may have cut off the rest.
 */
import type { TcpClient, TcpConnectOptions, TcpSocket } from "../protocol/ports/tcp.js";
import type { Timer, TimerHandle } from "../protocol/ports/timer.js";
import type { TlsConstructor, TlsEngine, TlsOptions } from "../protocol/ports/tls.js";
import { TlsPump } from "./tls-pump.js";

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
      const onProgress = () => this.#tell();
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
      this.#tell();
    }, 0);
  }

  /** Whatever there is to tell, one callback after the other; any of them may close the connection. */
  #tell(): void {
    this.#isTelling = true;
    for (let news = this.#news(); news; news = this.#news())
      if (news === "readable") this.#tellReadable();
      else if (news === "writable") this.#tellWritable();
      else this.#tellEnd();
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

  #tellReadable(): void {
    const byteLength = Math.min(this.#engine.readable, ANNOUNCED_BYTES);
    this.#announced.readable = byteLength;
    this.#options.onReadable?.call(this, byteLength);
  }

  #tellWritable(): void {
    const byteLength = this.#engine.writable;
    this.#announced.writable = byteLength;
    this.#options.onWritable?.call(this, byteLength);
  }

  #tellEnd(): void {
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
