/**
 * Reads DER (ITU-T X.690 §10) element by element: definite lengths in the shortest form, tags of one byte. The caller
 * knows which element comes next and interprets its content.
 */
import { Fault } from "../fault.js";

export const TAG = Object.freeze({
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
});

/** Tag of the constructed context-specific element `number` (§8.14). */
export function contextTag(number: number): number {
  return 0xa0 | number;
}

export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Tag of the next element; `undefined` at the end. */
  get tag(): number | undefined {
    return this.#bytes[this.#at];
  }

  /** Content of the next element, as a view. @throws {Fault} `keys_invalid` for another tag or an invalid length */
  content(tag: number): Uint8Array {
    if (this.tag !== tag) throw malformed(`tag 0x${tag.toString(16)} is not where it should be`);
    this.#at++;
    const byteLength = this.#length();
    if (byteLength > this.#bytes.length - this.#at) throw malformed("an element passes its end");
    this.#at += byteLength;
    return this.#bytes.subarray(this.#at - byteLength, this.#at);
  }

  /** The next element with its tag and length, as a view. */
  element(tag: number): Uint8Array {
    const start = this.#at;
    this.content(tag);
    return this.#bytes.subarray(start, this.#at);
  }

  /** A reader of the next element's content. */
  enter(tag: number): DerReader {
    return new DerReader(this.content(tag));
  }

  /** A reader of the next element's content if it has this tag; `undefined` otherwise. */
  enterOptional(tag: number): DerReader | undefined {
    return this.tag === tag ? this.enter(tag) : undefined;
  }

  /** Check that nothing is left. @throws {Fault} `keys_invalid` if there is */
  end(): void {
    if (!this.isAtEnd) throw malformed("there is more than there should be");
  }

  /** §10.1: one byte up to 127, else a count and the shortest number. Two bytes suffice for any PEM block. */
  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count < 1 || count > 2) throw malformed("a length is indefinite, or far too long");
    let byteLength = 0;
    for (let left = count; left > 0; left--) byteLength = (byteLength << 8) | this.#byte();
    if (byteLength < (count === 1 ? 0x80 : 0x100)) throw malformed("a length takes more bytes than it needs");
    return byteLength;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw malformed("it ends within a length");
    return byte;
  }
}

/** Decode the content of a BOOLEAN (§11.1). */
export function readBoolean(content: Uint8Array): boolean {
  const [value] = content;
  if (content.length !== 1 || (value !== 0 && value !== 0xff)) throw malformed("a boolean is neither");
  return value !== 0;
}

/** Decode the content of a non-negative INTEGER; values over 255 are returned as 255. */
export function readSmallInteger(content: Uint8Array): number {
  const [first = 0x80, second = 0] = content;
  if (first >= 0x80 || (content.length > 1 && first === 0 && second < 0x80))
    throw malformed("a number is negative, or takes more bytes than it needs");
  return content.length === 1 ? first : 0xff;
}

/** Content of a BIT STRING without its count of unused bits. Unused bits must be zero (§11.2.1). */
export function readBits(content: Uint8Array): Uint8Array {
  const [unused = 8] = content;
  const last = content.length > 1 ? (content[content.length - 1] as number) : 0xff;
  if (unused > 7 || (last & ((1 << unused) - 1)) !== 0)
    throw malformed("a bit string has bits that it does not count");
  return content.subarray(1);
}

export function malformed(reason: string): Fault {
  return new Fault("keys_invalid", `this is not DER: ${reason}`);
}
