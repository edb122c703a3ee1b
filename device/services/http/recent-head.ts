/**
 * Caches the head that was read last. A client that asks again sends the same head, byte for byte, so its parsed form
 * is kept, and so is what others derive from it ({@link PerHead}). Entries never become stale: they follow from the
 * bytes alone, and any other head replaces them.
 */
import { HEAD_START_BYTES } from "../../../protocol/http/limits.js";
import type { Decoder } from "../../../protocol/http/text.js";
import { parseRequestHead, type RequestHead } from "./request-head.js";

/** Reads heads, and knows the one before. */
export class RecentHead {
  readonly #decoder: Decoder;
  /** In ASCII, so that no other bytes of the same length are decoded to it. */
  #text = "";
  #head: RequestHead | undefined;

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** The head that was read last, where `bytes` are that again and nothing else; else `undefined`. */
  recall(bytes: Uint8Array): RequestHead | undefined {
    const isIt = bytes.length === this.#text.length && this.#decoder.decode(bytes) === this.#text;
    return isIt ? this.#head : undefined;
  }

  /**
   * @param bytes as in {@link parseRequestHead}
   * @throws what that throws
   */
  read(bytes: Uint8Array): RequestHead {
    // A long one is decoded once, after its opaque bytes were replaced: as they came, they take three times the room.
    const text = bytes.length <= HEAD_START_BYTES ? this.#decoder.decode(bytes) : "";
    const head = parseRequestHead(bytes, this.#decoder);
    const isAscii = text.length === bytes.length && !text.includes("\ufffd");
    this.#head = isAscii ? head : undefined;
    this.#text = this.#head ? text : "";
    return head;
  }
}

/** What was made of the head that came last. Of a long one, which does not come again, nothing is kept. */
export class PerHead<Value> {
  readonly #make: (head: RequestHead) => Value;
  #made: { readonly head: RequestHead; readonly value: Value } | undefined;

  /** @param make what follows from nothing but the head */
  constructor(make: (head: RequestHead) => Value) {
    this.#make = make;
  }

  /** @throws what making it throws */
  of(head: RequestHead): Value {
    if (this.#made?.head === head) return this.#made.value;
    const value = this.#make(head);
    if (head.fields.byteLength <= HEAD_START_BYTES) this.#made = { head, value };
    return value;
  }
}
