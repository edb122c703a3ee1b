const PIECE_BYTES = 1004;
const SHARED_LIMIT_BYTES = 64;
let piece: usize = 0;
let pieceLeft: i32 = 0;

/**
 * Short buffers share a piece of the heap, which rounds each up to 16 bytes: of 64 names of apps that is a kilobyte.
 */
function allocate(byteLength: i32): usize {
  if (byteLength > SHARED_LIMIT_BYTES) return heap.alloc(usize(byteLength));
  if (byteLength > pieceLeft) {
    piece = heap.alloc(PIECE_BYTES);
    pieceLeft = PIECE_BYTES;
  }
  pieceLeft -= byteLength;
  return piece + usize(pieceLeft);
}

/**
 * UTF-8 text in a buffer of fixed size. What does not fit is cut off. All buffers are made at the start: the module has
 * no garbage collector, and nothing is allocated while it runs.
 */
export class Text {
  readonly at: usize;
  readonly capacity: i32;
  length: i32 = 0;

  constructor(capacity: i32) {
    this.capacity = capacity;
    this.at = allocate(capacity);
  }

  clear(): Text {
    this.length = 0;
    return this;
  }

  byte(index: i32): i32 {
    return index < this.length ? i32(load<u8>(this.at + usize(index))) : -1;
  }

  putByte(byte: i32): Text {
    if (this.length < this.capacity) store<u8>(this.at + usize(this.length++), u8(byte));
    return this;
  }

  put(text: string): Text {
    const units = changetype<usize>(text);
    for (let i = 0; i < text.length; i++) this.putCharacter(i32(load<u16>(units + (usize(i) << 1))));
    return this;
  }

  putText(other: Text): Text {
    for (let i = 0; i < other.length; i++) this.putByte(other.byte(i));
    return this;
  }

  /** @param code point of Unicode; all of its bytes or none */
  putCharacter(code: i32): Text {
    if (code < 0x80) return this.putByte(code);
    const bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (this.length + bytes > this.capacity) return this;
    this.putByte(((0xf00 >> bytes) & 0xff) | (code >> (6 * (bytes - 1))));
    for (let rest = bytes - 2; rest >= 0; rest--) this.putByte(0x80 | ((code >> (6 * rest)) & 0x3f));
    return this;
  }

  putNumber(value: i64): Text {
    if (value < 0) return this.putByte(0x2d).putNumber(-value);
    if (value > 9) this.putNumber(value / 10);
    return this.putByte(0x30 + i32(value % 10));
  }

  putTwoDigits(value: i32): Text {
    return this.putByte(0x30 + ((value / 10) % 10)).putByte(0x30 + (value % 10));
  }

  /** A size in the largest unit that keeps three digits. */
  putBytes(bytes: i64): Text {
    if (bytes < 1024) return this.putNumber(bytes).put(" B");
    if (bytes < 1024 * 1024) return this.putNumber(bytes >> 10).put(" KB");
    return this.putNumber(bytes >> 20)
      .putByte(0x2e)
      .putNumber(((bytes & 0xfffff) * 10) >> 20)
      .put(" MB");
  }

  /** As a value of a query: all but unreserved characters (RFC 3986 §2.3) percent-encoded. */
  putEncoded(other: Text): Text {
    for (let i = 0; i < other.length; i++) {
      const byte = other.byte(i);
      if (isUnreserved(byte)) this.putByte(byte);
      else
        this.putByte(0x25)
          .putByte(hexDigit(byte >> 4))
          .putByte(hexDigit(byte & 15));
    }
    return this;
  }

  removeLast(): void {
    while (this.length > 0) if ((load<u8>(this.at + usize(--this.length)) & 0xc0) !== 0x80) return;
  }

  copy(other: Text): Text {
    return this.clear().putText(other);
  }

  is(text: string): bool {
    if (text.length !== this.length) return false;
    const units = changetype<usize>(text);
    for (let i = 0; i < text.length; i++)
      if (i32(load<u16>(units + (usize(i) << 1))) !== this.byte(i)) return false;
    return true;
  }

  equals(other: Text): bool {
    if (other.length !== this.length) return false;
    for (let i = 0; i < this.length; i++) if (other.byte(i) !== this.byte(i)) return false;
    return true;
  }

  /** FNV-1a over the bytes, continuing `seed`. */
  hash(seed: u32 = 0x811c9dc5): u32 {
    let hash = seed;
    for (let i = 0; i < this.length; i++) hash = (hash ^ u32(this.byte(i))) * 0x01000193;
    return hash;
  }
}

function isUnreserved(byte: i32): bool {
  const letter = byte | 0x20;
  if ((letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39)) return true;
  return byte === 0x2d || byte === 0x2e || byte === 0x5f || byte === 0x7e;
}

function hexDigit(value: i32): i32 {
  return value < 10 ? 0x30 + value : 0x37 + value;
}
