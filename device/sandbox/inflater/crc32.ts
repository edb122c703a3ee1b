/** CRC-32 as in gzip (RFC 1952 §8), by a table of 256 numbers. */
import { load8, load32, store32 } from "../memory.js";
import { CRC_TABLE } from "./layout.js";

/** The polynomial with its bits reversed: 0xedb88320 as a signed number. */
const POLYNOMIAL: i32 = -306674912;

export function fillCrcTable(): void {
  for (let byte: i32 = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit: i32 = 0; bit < 8; bit++)
      value = (value & 1) !== 0 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    store32(CRC_TABLE + (byte << 2), value);
  }
}

/** @returns the CRC of bytes with the CRC `crc` and those at `from` to `end`; 0 is the CRC of no bytes */
export function crc32(crc: i32, from: i32, end: i32): i32 {
  let value: i32 = ~crc;
  for (let at = from; at < end; at++)
    value = load32(CRC_TABLE + (((value ^ load8(at)) & 255) << 2)) ^ (value >>> 8);
  return ~value;
}
