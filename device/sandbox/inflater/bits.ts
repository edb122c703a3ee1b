/**
 * The input as bytes and, with the first bit lowest, as bits. Between steps fewer than 8 bits are held that were not
 * used, so that whole bytes beyond the end of a step still belong to the caller.
 */
import { load8 } from "../memory.js";

/** Address of the next byte, and the end of the input. */
export let at: i32 = 0;
export let end: i32 = 0;
/** Bits read but not used, at most 30, and their number. */
export let bits: i32 = 0;
export let bitCount: i32 = 0;

export function setInput(from: i32, byteLength: i32): void {
  at = from;
  end = from + byteLength;
}

export function moveTo(address: i32): void {
  at = address;
}

/** Replaces position and bits, by those of a loop that kept them in variables of its own. */
export function setBits(address: i32, held: i32, count: i32): void {
  at = address;
  bits = held;
  bitCount = count;
}

/** Read bytes until `count` bits (at most 16) are available, and no more. @returns whether they are */
export function need(count: i32): boolean {
  while (bitCount < count && at < end) {
    bits |= load8(at) << bitCount;
    at++;
    bitCount += 8;
  }
  return bitCount >= count;
}

export function takeBits(count: i32): i32 {
  const value = bits & ((1 << count) - 1);
  dropBits(count);
  return value;
}

export function dropBits(count: i32): void {
  bits >>= count;
  bitCount -= count;
}

export function giveBackBytes(): void {
  at -= bitCount >> 3;
  bitCount &= 7;
  bits &= (1 << bitCount) - 1;
}
