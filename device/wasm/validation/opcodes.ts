/**
 * The instructions by opcode (binary format §5.4): what kind each is, and the types of the plain ones, which
 * take and give values and have no immediate. One number says it all, in an array that is no typed one: XS reads it
 * in half the time, and a board has it in flash.
 */
import { F32, F64, I32, I64 } from "./value-types.js";
import type { UnsupportedFeature } from "./verdict.js";

/** Kinds in the order in which code uses them most. */
export const KIND_LOCAL_GET = 1;
export const KIND_I32_CONST = 2;
export const KIND_BINARY = 3;
export const KIND_LOAD = 4;
export const KIND_STORE = 5;
export const KIND_LOCAL_SET = 6;
export const KIND_LOCAL_TEE = 7;
export const KIND_UNARY = 8;
export const KIND_OTHER = 9;
export const KIND_NONE = 0;

/** What {@link INSTRUCTIONS} says of an opcode: its kind, and from these bits on what else there is to say. */
export const KIND_BITS = 0xff;
/** The type of its operands: of a plain instruction, load or store. */
export const OPERAND_SHIFT = 8;
/** The type that it gives: a plain instruction or load. */
export const RESULT_SHIFT = 16;
/** Greatest alignment of a load or store as a power of two. */
export const ALIGNMENT_SHIFT = 24;
export const TYPE_BITS = 0xff;

const instructions = new Array<number>(256).fill(KIND_NONE);

function fill(first: number, last: number, kind: number, operand: number, result: number): void {
  instructions.fill(kind | (operand << OPERAND_SHIFT) | (result << RESULT_SHIFT), first, last + 1);
}

function access(opcode: number, kind: number, type: number, alignment: number): void {
  fill(opcode, opcode, kind | (alignment << ALIGNMENT_SHIFT), type, type);
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

/** Loads from 0x28, then stores from 0x36: the type of the value and the greatest alignment of each. */
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
  access(0x28 + (index >> 1), KIND_LOAD, LOADS[index] as number, LOADS[index + 1] as number);
for (let index = 0; index < STORES.length; index += 2)
  access(0x36 + (index >> 1), KIND_STORE, STORES[index] as number, STORES[index + 1] as number);

fill(0x45, 0x45, KIND_UNARY, I32, I32); // i32.eqz
fill(0x46, 0x4f, KIND_BINARY, I32, I32); // i32 comparisons
fill(0x50, 0x50, KIND_UNARY, I64, I32); // i64.eqz
fill(0x51, 0x5a, KIND_BINARY, I64, I32);
fill(0x5b, 0x60, KIND_BINARY, F32, I32);
fill(0x61, 0x66, KIND_BINARY, F64, I32);
fill(0x67, 0x69, KIND_UNARY, I32, I32); // clz, ctz, popcnt
fill(0x6a, 0x78, KIND_BINARY, I32, I32);
fill(0x79, 0x7b, KIND_UNARY, I64, I64);
fill(0x7c, 0x8a, KIND_BINARY, I64, I64);
fill(0x8b, 0x91, KIND_UNARY, F32, F32); // abs to sqrt
fill(0x92, 0x98, KIND_BINARY, F32, F32);
fill(0x99, 0x9f, KIND_UNARY, F64, F64);
fill(0xa0, 0xa6, KIND_BINARY, F64, F64);
fill(0xa7, 0xa7, KIND_UNARY, I64, I32); // i32.wrap_i64
fill(0xa8, 0xa9, KIND_UNARY, F32, I32); // i32.trunc_f32
fill(0xaa, 0xab, KIND_UNARY, F64, I32);
fill(0xac, 0xad, KIND_UNARY, I32, I64); // i64.extend_i32
fill(0xae, 0xaf, KIND_UNARY, F32, I64);
fill(0xb0, 0xb1, KIND_UNARY, F64, I64);
fill(0xb2, 0xb3, KIND_UNARY, I32, F32); // f32.convert
fill(0xb4, 0xb5, KIND_UNARY, I64, F32);
fill(0xb6, 0xb6, KIND_UNARY, F64, F32); // f32.demote_f64
fill(0xb7, 0xb8, KIND_UNARY, I32, F64);
fill(0xb9, 0xba, KIND_UNARY, I64, F64);
fill(0xbb, 0xbb, KIND_UNARY, F32, F64); // f64.promote_f32
fill(0xbc, 0xbc, KIND_UNARY, F32, I32); // reinterpret
fill(0xbd, 0xbd, KIND_UNARY, F64, I64);
fill(0xbe, 0xbe, KIND_UNARY, I32, F32);
fill(0xbf, 0xbf, KIND_UNARY, I64, F64);
fill(0xc0, 0xc1, KIND_UNARY, I32, I32); // sign extension
fill(0xc2, 0xc4, KIND_UNARY, I64, I64);

export const INSTRUCTIONS: readonly number[] = Object.freeze(instructions);

/** Operands and results of the saturating conversions, opcode 0xfc and then 0 to 7. */
export const SATURATING_OPERAND: readonly number[] = Object.freeze([F32, F32, F64, F64, F32, F32, F64, F64]);
export const SATURATING_RESULT: readonly number[] = Object.freeze([I32, I32, I32, I32, I64, I64, I64, I64]);
export const MEMORY_COPY = 0x0a;
export const MEMORY_FILL = 0x0b;

/** The feature that an opcode belongs to which we do not take; `undefined` where it is none. */
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

/** As {@link featureOfOpcode} for what follows 0xfc. */
export function featureOfPrefixed(opcode: number): UnsupportedFeature | undefined {
  if (opcode >= 0x08 && opcode <= 0x0e) return "bulk memory";
  return opcode >= 0x0f && opcode <= 0x11 ? "reference types" : undefined;
}
