/**
 * Whether bytes that come in pieces are UTF-8 (RFC 3629 §4). Nothing is decoded and nothing kept: all
 * there is to know between two bytes is how many continuation bytes must follow, and between which
 * bounds the next one must lie. The bounds are narrower after four of the lead bytes, which keeps out
 * overlong forms (E0, F0), surrogates (ED), and what is past U+10FFFF (F4).
 */
const CONTINUATION_LOW = 0x80;
const CONTINUATION_HIGH = 0xbf;

export class Utf8Checker {
  /** Continuation bytes that must follow. */
  #missing = 0;
  #low = CONTINUATION_LOW;
  #high = CONTINUATION_HIGH;

  /** Whether the text could end here. */
  get isComplete(): boolean {
    return this.#missing === 0;
  }

  /** @returns false once the bytes so far begin no UTF-8; the checker is unusable afterwards */
  push(bytes: Uint8Array): boolean {
    const end = bytes.length;
    for (let at = 0; at < end; at++) {
      const byte = bytes[at] as number;
      if (this.#missing > 0 ? !this.#continue(byte) : byte >= 0x80 && !this.#begin(byte)) return false;
    }
    return true;
  }

  #begin(lead: number): boolean {
    if (lead < 0xc2 || lead > 0xf4) return false;
    this.#missing = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (lead === 0xe0) this.#low = 0xa0;
    else if (lead === 0xf0) this.#low = 0x90;
    else if (lead === 0xed) this.#high = 0x9f;
    else if (lead === 0xf4) this.#high = 0x8f;
    return true;
  }

  #continue(byte: number): boolean {
    if (byte < this.#low || byte > this.#high) return false;
    this.#missing--;
    this.#low = CONTINUATION_LOW;
    this.#high = CONTINUATION_HIGH;
    return true;
  }
}
