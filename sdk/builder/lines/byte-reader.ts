/** Of a path or a name; a table that names a longer text many times would fill the memory. */
const TEXT_LIMIT_BYTES = 1024;

/** Reads the little-endian numbers of DWARF and the LEB128 of WebAssembly. What is beyond the end is a {@link RangeError}. */
export class ByteReader {
  readonly #view: DataView;
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  /** @param byteLength 1, 2 or 4; longer numbers are skipped */
  unsigned(byteLength: number): number {
    const at = this.skip(byteLength);
    if (byteLength === 1) return this.#view.getUint8(at);
    if (byteLength === 2) return this.#view.getUint16(at, true);
    return byteLength === 4 ? this.#view.getUint32(at, true) : 0;
  }

  signedByte(): number {
    return this.#view.getInt8(this.skip(1));
  }

  uleb(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.unsigned(1);
      if (shift < 49) value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  sleb(): number {
    const from = this.at;
    const value = this.uleb();
    const bits = 7 * (this.at - from);
    return bits <= 49 && (this.bytes[this.at - 1] ?? 0) & 0x40 ? value - 2 ** bits : value;
  }

  /** Text up to a NUL. */
  text(): string {
    const end = this.bytes.subarray(0, this.at + TEXT_LIMIT_BYTES).indexOf(0, this.at);
    if (end < 0) throw new RangeError("Cannot read a text: it is too long");
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, end));
    this.at = end + 1;
    return text;
  }

  /** @returns where the skipped bytes begin */
  skip(byteLength: number): number {
    const from = this.at;
    if (byteLength > this.bytes.length - from)
      throw new RangeError(`Cannot read ${byteLength} bytes at ${from}`);
    this.at += byteLength;
    return from;
  }
}
