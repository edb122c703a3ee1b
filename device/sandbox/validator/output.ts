/** Collects the prepared bytes of a piece of the module. */
import { copy, isBelow, store8 } from "../memory.js";
import { OUTPUT } from "./layout.js";

/** Bytes collected. */
export let outputLength: i32 = 0;

export function clearOutput(): void {
  outputLength = 0;
}

export function writeByte(byte: i32): void {
  store8(OUTPUT + outputLength, byte);
  outputLength++;
}

/** Writes an unsigned `value` in LEB128 without padding. */
export function writeUnsigned(value: i32): void {
  let rest = value;
  while (!isBelow(rest, 0x80)) {
    writeByte((rest & 0x7f) | 0x80);
    rest = rest >>> 7;
  }
  writeByte(rest);
}

/** Writes the bytes from address `start` up to `end`. */
export function writeBytes(start: i32, end: i32): void {
  copy(OUTPUT + outputLength, start, end - start);
  outputLength += end - start;
}

/** The interrupt: `i32`, mutable, `i32.const 0`, `end`. */
export function writeInterrupt(): void {
  writeByte(0x7f);
  writeByte(0x01);
  writeByte(0x41);
  writeByte(0x00);
  writeByte(0x0b);
}
