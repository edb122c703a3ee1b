/**
 * The one writer of the port. It holds one line at a time and writes it in pieces as large as the port
 * takes, so that a line is never cut by another one.
 */
const NOTHING = new Uint8Array(0);

export class LineWriter {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #encoder = new TextEncoder();
  #rest: Uint8Array = NOTHING;
  #writableBytes = 0;
  #onSent: (() => void) | undefined;

  /** @param write takes as many bytes as `makeRoom` has announced, all or nothing */
  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  /** Whether the line before has been written to its end. */
  get isIdle(): boolean {
    return this.#rest.length === 0;
  }

  /**
   * Begins a line; the writer must be idle.
   * @param onSent runs once the port has taken all of it, or it was forgotten
   */
  send(line: string, onSent?: () => void): void {
    if (!this.isIdle) throw new Error("Cannot begin a line within a line");
    this.#rest = this.#encoder.encode(line);
    this.#onSent = onSent;
    this.#advance();
  }

  /** The port takes `byteLength` bytes now. */
  makeRoom(byteLength: number): void {
    this.#writableBytes = byteLength;
    this.#advance();
  }

  /** Nobody is there any more to read the rest of the line. */
  forget(): void {
    this.#rest = NOTHING;
    this.#finish();
  }

  #advance(): void {
    const byteLength = Math.min(this.#rest.length, this.#writableBytes);
    if (byteLength === 0) return;
    const piece = this.#rest.subarray(0, byteLength);
    this.#rest = this.#rest.subarray(byteLength);
    this.#writableBytes -= byteLength;
    this.#write(piece);
    if (this.isIdle) this.#finish();
  }

  #finish(): void {
    const onSent = this.#onSent;
    this.#onSent = undefined;
    onSent?.();
  }
}
