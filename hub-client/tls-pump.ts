/**
 * Moves ciphertext between a TCP socket and a TLS engine, in each direction as far as one has data and the other has
 * room. It never asks either for more than it can do now, so that a slow peer, or a program that reads late, applies
 * backpressure and nothing accumulates in between.
 */
import type { TcpClient, TcpSocket } from "../protocol/ports/tcp.js";
import type { Timer, TimerHandle } from "../protocol/ports/timer.js";
import type { TlsEngine } from "../protocol/ports/tls.js";

export interface TlsPumpOptions {
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
export type LinkPhase = "connecting" | "refused" | "connected" | "cut" | "lingering" | "closed";

/** Bytes that are on their way at a time; there is a buffer of them a connection. */
const PIECE_BYTES = 1024;

/** How long a closed connection waits for a peer that does not take what is left, as TCP's own on the simulator does. */
const LINGER_MS = 500;

export class TlsPump {
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
