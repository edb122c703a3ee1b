/**
 * Reads constant expressions: initial values of globals and offsets of segments. Apps cannot import globals, so the
 * first version of WebAssembly allows only a single constant instruction here.
 */
import type { ByteWindow } from "./byte-window.js";
import { F32, F64, I32, I64, typeName } from "./value-types.js";
import { invalid, unsupported } from "./verdict.js";

/** Instructions that later versions of WebAssembly allow in constant expressions. */
const EXTENDED: readonly number[] = Object.freeze([0x23, 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e]);

/**
 * Reads an expression of `type`, including its `end`.
 * @returns the value of an `i32`, 0 for the other types
 */
export function readConstant(window: ByteWindow, type: number): number {
  const { offset } = window;
  const opcode = window.readByte();
  let value = 0;
  let actual: number;
  if (opcode === 0x41) {
    actual = I32;
    value = window.readSigned32();
  } else if (opcode === 0x42) {
    actual = I64;
    window.skipSigned64();
  } else if (opcode === 0x43) {
    actual = F32;
    window.skip(4);
  } else if (opcode === 0x44) {
    actual = F64;
    window.skip(8);
  } else throw refuseConstant(opcode, offset);
  if (actual !== type)
    throw invalid(offset, `a constant expression has type ${typeName(actual)}, not ${typeName(type)}`);
  readEnd(window);
  return value;
}

function readEnd(window: ByteWindow): void {
  const { offset } = window;
  const opcode = window.readByte();
  if (opcode === 0x0b) return;
  if (opcode >= 0x41 && opcode <= 0x44)
    throw unsupported(
      offset,
      "extended constant expressions",
      "a constant expression has a second instruction",
    );
  throw refuseConstant(opcode, offset);
}

function refuseConstant(opcode: number, offset: number): Error {
  if (EXTENDED.includes(opcode))
    return unsupported(offset, "extended constant expressions", "a constant expression computes");
  if (opcode === 0xd0 || opcode === 0xd2)
    return unsupported(offset, "reference types", "a constant is a reference");
  if (opcode === 0xfb) return unsupported(offset, "garbage collection", "a constant is a reference");
  if (opcode === 0xfd) return unsupported(offset, "SIMD", "a constant is a vector");
  return invalid(offset, `0x${opcode.toString(16)} is not a constant instruction`);
}
