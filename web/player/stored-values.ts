/**
 * The stored values of one app, by key, with the console's limits (docs/spec/app-abi-and-quotas.md#storage). They are in the
 * worker's memory, and so are read and written without a wait; after each change they go to the page as one string of bytes, which
 * the browser stores whole.
 */

import { INVALID, NO_SPACE, NOT_FOUND } from "../../device/services/apps/abi-results.js";
import { APP_DATA_LIMIT_BYTES, APP_KEY, APP_KEYS_LIMIT } from "../../device/services/apps/app-data-limits.js";

/** The offset that means the end of a value. */
const AT_END = -1;

export class StoredValues {
  readonly #values = new Map<string, Uint8Array>();
  readonly #onChange: (encoded: Uint8Array) => void;

  /** @param encoded as they came in `onChange`; bytes that are none of ours count as none */
  constructor(encoded: Uint8Array, onChange: (encoded: Uint8Array) => void) {
    this.#onChange = onChange;
    for (const [key, value] of decode(encoded)) this.write(key, value, false);
  }

  /** Length in bytes, or an ABI error. */
  size(key: string): number {
    if (!APP_KEY.test(key)) return INVALID;
    return this.#values.get(key)?.length ?? NOT_FOUND;
  }

  /** Copies from `offset` on. @returns the bytes copied, or an ABI error */
  read(key: string, offset: number, into: Uint8Array): number {
    if (!APP_KEY.test(key)) return INVALID;
    const value = this.#values.get(key);
    if (!value) return NOT_FOUND;
    const part = value.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  }

  write(key: string, value: Uint8Array, isTold = true): number {
    if (!APP_KEY.test(key)) return INVALID;
    const others = [...this.#values].filter(([name]) => name !== key);
    const used = others.reduce((sum, [, { length }]) => sum + length, 0);
    if (others.length >= APP_KEYS_LIMIT || used + value.length > APP_DATA_LIMIT_BYTES) return NO_SPACE;
    this.#values.set(key, value.slice());
    if (isTold) this.#onChange(encode(this.#values));
    return 0;
  }

  /** @param offset at most the length of the value, or -1: at its end */
  writeAt(key: string, offset: number, part: Uint8Array): number {
    if (!APP_KEY.test(key)) return INVALID;
    const value = this.#values.get(key) ?? new Uint8Array(0);
    const at = offset === AT_END ? value.length : offset;
    if (at < 0 || at > value.length) return INVALID;
    const changed = new Uint8Array(Math.max(value.length, at + part.length));
    changed.set(value);
    changed.set(part, at);
    return this.write(key, changed);
  }

  /** In alphabetical order. */
  get keys(): readonly string[] {
    return [...this.#values.keys()].sort();
  }

  delete(key: string): number {
    if (!APP_KEY.test(key)) return INVALID;
    if (!this.#values.delete(key)) return NOT_FOUND;
    this.#onChange(encode(this.#values));
    return 0;
  }
}

const HEAD_BYTES = 4;

/** The length of all in 32 bits; then for each value the length of its key, the key, its length in 32 bits, and the value. */
function encode(values: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const parts = [...values].map(([key, value]) => ({ key: new TextEncoder().encode(key), value }));
  const total = parts.reduce((sum, { key, value }) => sum + 5 + key.length + value.length, HEAD_BYTES);
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, total);
  let at = HEAD_BYTES;
  for (const { key, value } of parts) {
    bytes[at] = key.length;
    bytes.set(key, at + 1);
    view.setUint32(at + 1 + key.length, value.length);
    bytes.set(value, at + 5 + key.length);
    at += 5 + key.length + value.length;
  }
  return bytes;
}

/** @param bytes encoded values, and anything behind them; @returns the values without the rest, or nothing */
export function encodedPart(bytes: Uint8Array): Uint8Array {
  if (bytes.length < HEAD_BYTES) return new Uint8Array(0);
  const total = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0);
  return bytes.slice(0, total <= bytes.length ? total : 0);
}

function* decode(encoded: Uint8Array): Generator<[string, Uint8Array]> {
  const bytes = encodedPart(encoded);
  const view = new DataView(bytes.buffer);
  for (let at = HEAD_BYTES; at < bytes.length; ) {
    const keyEnd = at + 1 + (bytes[at] as number);
    if (keyEnd + 4 > bytes.length) return;
    const end = keyEnd + 4 + view.getUint32(keyEnd);
    if (end > bytes.length) return;
    yield [new TextDecoder().decode(bytes.slice(at + 1, keyEnd)), bytes.slice(keyEnd + 4, end)];
    at = end;
  }
}
