/** Content of an emulated file, with an undo list of the changes since its last flush. */

/** State before a change: the file's size, and the bytes that the change overwrote or cut off. */
interface Change {
  readonly size: number;
  readonly position: number;
  readonly bytes: Uint8Array;
}

const SMALLEST_BUFFER_BYTES = 256;

export class EmulatedContent {
  #buffer = new Uint8Array(SMALLEST_BUFFER_BYTES);
  #size = 0;
  #changes: Change[] = [];

  get size(): number {
    return this.#size;
  }

  /** Number of changes since the last flush. */
  get changeCount(): number {
    return this.#changes.length;
  }

  read(into: Uint8Array, position: number): number {
    const bytes = this.#buffer.subarray(Math.min(position, this.#size), this.#size);
    const taken = bytes.subarray(0, into.length);
    into.set(taken);
    return taken.length;
  }

  write(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length;
    this.#note(position, Math.min(end, this.#size));
    this.#reserve(end);
    this.#buffer.set(bytes, position);
    this.#size = Math.max(this.#size, end);
  }

  setSize(size: number): void {
    this.#note(size, this.#size);
    this.#resize(size);
  }

  flush(): void {
    this.#changes = [];
  }

  undoNewest(): void {
    const change = this.#changes.pop();
    if (!change) throw new Error("Cannot undo what is safe");
    this.#reserve(change.position + change.bytes.length);
    this.#buffer.set(change.bytes, change.position);
    this.#resize(change.size);
  }

  #note(start: number, end: number): void {
    const bytes = this.#buffer.slice(start, Math.max(start, end));
    this.#changes.push({ size: this.#size, position: start, bytes });
  }

  /** Keeps the buffer zeroed beyond the file's size, so that gaps read as zeros. */
  #resize(size: number): void {
    this.#reserve(size);
    if (size < this.#size) this.#buffer.fill(0, size, this.#size);
    this.#size = size;
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const buffer = new Uint8Array(Math.max(size, 2 * this.#buffer.length));
    buffer.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = buffer;
  }
}
