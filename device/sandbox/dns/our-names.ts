/** The names of our records. A message without any of them does not concern us. */
import { copy, load8, store8 } from "../memory.js";
import { NAMES, NAMES_LIMIT_BYTES } from "./layout.js";
import { endOf, MALFORMED, measureName, nameMatches } from "./name.js";
import { OPERAND, OPERAND_LIMIT_BYTES } from "./operations.js";

/** The names lie one behind the other, each with its length before it. */
let byteLength: i32 = 0;
let hasOverflowed: i32 = 0;

export function forgetNames(): void {
  byteLength = 0;
  hasOverflowed = 0;
}

/** Adds the name in the operand, unless it is known. Without room for it, every name counts as ours. */
export function addName(): void {
  const measured: i32 = measureName(OPERAND, OPERAND_LIMIT_BYTES, 0);
  const length: i32 = endOf(measured);
  if (measured !== MALFORMED && isOurName(OPERAND, 0, length)) return;
  if (measured === MALFORMED || byteLength + 1 + length > NAMES_LIMIT_BYTES) {
    hasOverflowed = 1;
    return;
  }
  store8(NAMES + byteLength, length);
  copy(NAMES + byteLength + 1, OPERAND, length);
  byteLength += 1 + length;
}

/** Whether the name at `offset` of a message, of `length` bytes when uncompressed, is one of ours. */
export function isOurName(message: i32, offset: i32, length: i32): boolean {
  if (hasOverflowed !== 0) return true;
  for (let at: i32 = NAMES; at < NAMES + byteLength; at += 1 + load8(at))
    if (load8(at) === length && nameMatches(message, offset, at + 1)) return true;
  return false;
}
