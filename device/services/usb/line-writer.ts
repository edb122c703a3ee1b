/**
 * The one writer of the port. It holds one line at a time and writes it in pieces as large as the port
 * accepts, so that lines never interleave.
 */
import type { Pacer } from "../api/pacer.js";

/** A line that is made as it is written. */
export interface LineSource {
  /** The next part, never empty; `undefined` once the line feed was handed out. */
  next(): string | undefined;
  /** Comes once, after the last part or in its stead. */
  close(): void;
}

export class LineWriter {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #pacer: Pacer;
  readonly #step = (): boolean => this.#advance();
  readonly #encoder = new TextEncoder();
  /** Never empty. */
  #rest: Uint8Array | undefined;
  #source: LineSource | undefined;
  #writableBytes = 0;
  #onSent: (() => void) | undefined;

  /**
   * @param write takes as many bytes as `makeRoom` has announced, all or nothing
   * @param pacer whose owner calls `resume`
   */
  constructor(write: (bytes: Uint8Array) => void, pacer: Pacer) {
    this.#write = write;
    this.#pacer = pacer;
  }

  /** Whether the line before has been written to its end. */
  get isIdle(): boolean {
    return this.#rest === undefined && this.#source === undefined;
  }

  /**
   * Begins a line; the writer must be idle.
   * @param line whole, or made as it is written
   * @param onSent runs once the port has taken all of it, or it was forgotten
   */
  send(line: string | LineSource, onSent?: () => void): void {
    if (!this.isIdle) throw new Error("Cannot begin a line within a line");
    if (typeof line === "string") this.#sendText(line, onSent);
    else this.#begin(line, onSent);
  }

  /** The port takes `byteLength` bytes now. */
  makeRoom(byteLength: number): void {
    this.#writableBytes = byteLength;
    if (!this.isIdle) this.resume();
  }

  /** Goes on after the pacer has paused. */
  resume(): void {
    this.#pacer.run(this.#step);
  }

  /** Drops the rest of the line: its reader has gone. */
  forget(): void {
    this.#rest = undefined;
    this.#pacer.stop();
    this.#finish();
  }

  /** In one piece, as it mostly goes, there is nothing to remember. */
  #sendText(line: string, onSent: (() => void) | undefined): void {
    const bytes = this.#encoder.encode(line);
    if (bytes.length <= this.#writableBytes) {
      this.#writableBytes -= bytes.length;
      this.#write(bytes);
      onSent?.();
    } else {
      this.#rest = bytes;
      this.#begin(undefined, onSent);
    }
  }

  #begin(source: LineSource | undefined, onSent: (() => void) | undefined): void {
    this.#source = source;
    this.#onSent = onSent;
    this.resume();
  }

  /** @returns whether there is more to do immediately */
  #advance(): boolean {
    if (this.#writableBytes === 0) return false;
    if (!this.#rest && this.#source) this.#load(this.#source);
    if (!this.#rest) return false;
    const piece = this.#takePiece(this.#rest);
    this.#writableBytes -= piece.length;
    this.#write(piece);
    if (!this.isIdle) return true;
    this.#finish();
    return !this.isIdle;
  }

  /** As much of the rest as there is room for, which is all of it mostly. */
  #takePiece(rest: Uint8Array): Uint8Array {
    const isLast = rest.length <= this.#writableBytes;
    this.#rest = isLast ? undefined : rest.subarray(this.#writableBytes);
    return isLast ? rest : rest.subarray(0, this.#writableBytes);
  }

  #load(source: LineSource): void {
    const part = source.next();
    if (part === undefined) this.#finish();
    else this.#rest = this.#encoder.encode(part);
  }

  #finish(): void {
    const onSent = this.#onSent;
    this.#source?.close();
    this.#source = undefined;
    this.#onSent = undefined;
    onSent?.();
  }
}
