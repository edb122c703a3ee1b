/**
 * Reads constant expressions: initial values of globals and offsets of segments. Apps cannot import globals, so the
 * first version of WebAssembly allows only a single constant instruction here.
 */
import { F32, F64, I32, I64 } from "./declarations.js";
import {
  CONSTANT_COMPUTES,
  CONSTANT_CONTINUES,
  CONSTANT_REFERENCE,
  CONSTANT_TYPE,
  CONSTANT_VECTOR,
  EXTENDED_CONSTANTS,
  GARBAGE_COLLECTION,
  invalid,
  REFERENCE_TYPES,
  reject,
  SIMD,
  UNKNOWN_CONSTANT,
} from "./failures.js";
import { offset, readByte, readSigned, skip, skipSigned64 } from "./window.js";

/** Reads an expression of `type`, including its `end`. @returns the value of an `i32`, 0 for the other types */
export function readConstant(type: i32): i32 {
  const at = offset();
  const opcode = readByte();
  let value: i32 = 0;
  let actual: i32 = I32;
  if (opcode === 0x41) value = readSigned();
  else if (opcode === 0x42) {
    actual = I64;
    skipSigned64();
  } else if (opcode === 0x43) {
    actual = F32;
    skip(4);
  } else if (opcode === 0x44) {
    actual = F64;
    skip(8);
  } else rejectConstant(opcode, at);
  if (actual !== type) invalid(CONSTANT_TYPE, at, (actual << 8) | type);
  readEnd();
  return value;
}

function readEnd(): void {
  const at = offset();
  const opcode = readByte();
  if (opcode === 0x0b) return;
  if (opcode >= 0x41 && opcode <= 0x44) reject(CONSTANT_CONTINUES, at, 0, EXTENDED_CONSTANTS);
  rejectConstant(opcode, at);
}

function rejectConstant(opcode: i32, at: i32): void {
  const isInteger = (opcode >= 0x6a && opcode <= 0x6c) || (opcode >= 0x7c && opcode <= 0x7e);
  if (opcode === 0x23 || isInteger) reject(CONSTANT_COMPUTES, at, 0, EXTENDED_CONSTANTS);
  if (opcode === 0xd0 || opcode === 0xd2) reject(CONSTANT_REFERENCE, at, 0, REFERENCE_TYPES);
  if (opcode === 0xfb) reject(CONSTANT_REFERENCE, at, 0, GARBAGE_COLLECTION);
  if (opcode === 0xfd) reject(CONSTANT_VECTOR, at, 0, SIMD);
  invalid(UNKNOWN_CONSTANT, at, opcode);
}
