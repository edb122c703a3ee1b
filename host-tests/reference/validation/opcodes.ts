/**
 * The instructions by opcode (binary format §5.4): the kind of each, and the operand and result types of plain
 * instructions, loads and stores. Each entry packs these into one number. The table is an ordinary array, not a typed
 * one: XS reads it in half the time, and on a board it lies in flash.
 */
import { F32, F64, I32, I64 } from "./value-types.js";
import type { UnsupportedFeature } from "./verdict.js";

/** Kinds of instructions, by how often code uses them. */
export const KIND_LOCAL_GET = 1;
export const KIND_I32_CONST = 2;
/** Pops one or two values and pushes one; no immediate. */
export const KIND_PLAIN = 3;
/** A load or store: as {@link KIND_PLAIN}, with alignment and offset as immediates. */
export const KIND_ACCESS = 4;
export const KIND_LOCAL_SET = 5;
export const KIND_LOCAL_TEE = 6;
export const KIND_OTHER = 7;
export const KIND_NONE = 0;

/** Layout of an entry of {@link INSTRUCTIONS}: the kind in the lowest bits, the other fields at the shifts below. */
export const KIND_BITS = 0x0f;
/** Greatest alignment of a load or store as a power of two. */
export const ALIGNMENT_SHIFT = 4;
export const ALIGNMENT_BITS = 0x0f;
/** Type of the first operand. */
export const FIRST_SHIFT = 8;
/** Type of the second operand; 0 if there is none. */
export const SECOND_SHIFT = 16;
export const TYPE_BITS = 0xff;
/** Type of the result; 0 if there is none. The topmost field, so it needs no mask. */
export const RESULT_SHIFT = 24;

const NOTHING = 0;
const instructions = new Array<number>(256).fill(KIND_NONE);

function packed(kind: number, first: number, second: number, result: number): number {
  return kind | (first << FIRST_SHIFT) | (second << SECOND_SHIFT) | (result << RESULT_SHIFT);
}

function unary(opcodes: readonly [first: number, last: number], operand: number, result: number): void {
  instructions.fill(packed(KIND_PLAIN, operand, NOTHING, result), opcodes[0], opcodes[1] + 1);
}

function binary(opcodes: readonly [first: number, last: number], operand: number, result: number): void {
  instructions.fill(packed(KIND_PLAIN, operand, operand, result), opcodes[0], opcodes[1] + 1);
}

const OTHERS = [
  0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x1a, 0x1b, 0x23, 0x24, 0x3f,
  0x40, 0x42, 0x43, 0x44, 0xfc,
];
for (let index = 0; index < OTHERS.length; index++) instructions[OTHERS[index] as number] = KIND_OTHER;

instructions[0x20] = KIND_LOCAL_GET;
instructions[0x21] = KIND_LOCAL_SET;
instructions[0x22] = KIND_LOCAL_TEE;
instructions[0x41] = KIND_I32_CONST;

/** Loads from 0x28 and stores from 0x36: pairs of value type and greatest alignment (power of two). */
const LOADS = [
  I32,
  2,
  I64,
  3,
  F32,
  2,
  F64,
  3,
  I32,
  0,
  I32,
  0,
  I32,
  1,
  I32,
  1,
  I64,
  0,
  I64,
  0,
  I64,
  1,
  I64,
  1,
  I64,
  2,
  I64,
  2,
];
const STORES = [I32, 2, I64, 3, F32, 2, F64, 3, I32, 0, I32, 1, I64, 0, I64, 1, I64, 2];
for (let index = 0; index < LOADS.length; index += 2)
  instructions[0x28 + (index >> 1)] =
    packed(KIND_ACCESS, I32, NOTHING, LOADS[index] as number) |
    ((LOADS[index + 1] as number) << ALIGNMENT_SHIFT);
for (let index = 0; index < STORES.length; index += 2)
  instructions[0x36 + (index >> 1)] =
    packed(KIND_ACCESS, I32, STORES[index] as number, NOTHING) |
    ((STORES[index + 1] as number) << ALIGNMENT_SHIFT);

unary([0x45, 0x45], I32, I32); // i32.eqz
binary([0x46, 0x4f], I32, I32); // i32 comparisons
unary([0x50, 0x50], I64, I32); // i64.eqz
binary([0x51, 0x5a], I64, I32);
binary([0x5b, 0x60], F32, I32);
binary([0x61, 0x66], F64, I32);
unary([0x67, 0x69], I32, I32); // clz, ctz, popcnt
binary([0x6a, 0x78], I32, I32);
unary([0x79, 0x7b], I64, I64);
binary([0x7c, 0x8a], I64, I64);
unary([0x8b, 0x91], F32, F32); // abs to sqrt
binary([0x92, 0x98], F32, F32);
unary([0x99, 0x9f], F64, F64);
binary([0xa0, 0xa6], F64, F64);
unary([0xa7, 0xa7], I64, I32); // i32.wrap_i64
unary([0xa8, 0xa9], F32, I32); // i32.trunc_f32
unary([0xaa, 0xab], F64, I32);
unary([0xac, 0xad], I32, I64); // i64.extend_i32
unary([0xae, 0xaf], F32, I64);
unary([0xb0, 0xb1], F64, I64);
unary([0xb2, 0xb3], I32, F32); // f32.convert
unary([0xb4, 0xb5], I64, F32);
unary([0xb6, 0xb6], F64, F32); // f32.demote_f64
unary([0xb7, 0xb8], I32, F64);
unary([0xb9, 0xba], I64, F64);
unary([0xbb, 0xbb], F32, F64); // f64.promote_f32
unary([0xbc, 0xbc], F32, I32); // reinterpret
unary([0xbd, 0xbd], F64, I64);
unary([0xbe, 0xbe], I32, F32);
unary([0xbf, 0xbf], I64, F64);
unary([0xc0, 0xc1], I32, I32); // sign extension
unary([0xc2, 0xc4], I64, I64);

export const INSTRUCTIONS: readonly number[] = Object.freeze(instructions);

/** Operands and results of the saturating conversions, opcode 0xfc and then 0 to 7. */
export const SATURATING_OPERAND: readonly number[] = Object.freeze([F32, F32, F64, F64, F32, F32, F64, F64]);
export const SATURATING_RESULT: readonly number[] = Object.freeze([I32, I32, I32, I32, I64, I64, I64, I64]);
export const MEMORY_COPY = 0x0a;
export const MEMORY_FILL = 0x0b;

/** The unsupported feature to which an opcode belongs; `undefined` if there is none. */
export function featureOfOpcode(opcode: number): UnsupportedFeature | undefined {
  if ((opcode >= 0x06 && opcode <= 0x0a) || opcode === 0x18 || opcode === 0x19 || opcode === 0x1f)
    return "exception handling";
  if (opcode === 0x12 || opcode === 0x13 || opcode === 0x15) return "tail calls";
  if (opcode === 0x14 || (opcode >= 0xd3 && opcode <= 0xd6)) return "function references";
  if (opcode === 0x1c || opcode === 0x25 || opcode === 0x26) return "reference types";
  if (opcode >= 0xd0 && opcode <= 0xd2) return "reference types";
  if (opcode === 0xfb) return "garbage collection";
  if (opcode === 0xfd) return "SIMD";
  return opcode === 0xfe ? "threads" : undefined;
}

/** As {@link featureOfOpcode}, for an opcode after the prefix 0xfc. */
export function featureOfPrefixed(opcode: number): UnsupportedFeature | undefined {
  if (opcode >= 0x08 && opcode <= 0x0e) return "bulk memory";
  return opcode >= 0x0f && opcode <= 0x11 ? "reference types" : undefined;
}
