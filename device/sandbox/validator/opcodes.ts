/**
 * The instructions by opcode (binary format §5.4): the kind of each, and the operand and result types of plain
 * instructions, loads and stores, packed into a word each, in a table of the program's memory.
 */
import { fill, store32 } from "../memory.js";
import { F32, F64, I32, I64 } from "./declarations.js";
import {
  BULK_MEMORY,
  EXCEPTIONS,
  FUNCTION_REFERENCES,
  GARBAGE_COLLECTION,
  NO_FEATURE,
  REFERENCE_TYPES,
  SIMD,
  TAIL_CALLS,
  THREADS,
} from "./failures.js";
import { OPCODES } from "./layout.js";

/** Kinds of instructions, by how often code uses them. */
export const KIND_LOCAL_GET: i32 = 1;
export const KIND_I32_CONST: i32 = 2;
/** Pops one or two values and pushes one; no immediate. */
const KIND_PLAIN: i32 = 3;
/** A load or store: as {@link KIND_PLAIN}, with alignment and offset as immediates. */
export const KIND_ACCESS: i32 = 4;
export const KIND_LOCAL_SET: i32 = 5;
export const KIND_LOCAL_TEE: i32 = 6;
/** All others, unknown ones included. */
export const KIND_OTHER: i32 = 0;

/** Layout of an entry: the kind in the lowest bits, the other fields at the shifts below. */
export const KIND_BITS: i32 = 0x0f;
/** Greatest alignment of a load or store as a power of two. */
export const ALIGNMENT_SHIFT: i32 = 4;
export const ALIGNMENT_BITS: i32 = 0x0f;
/** Type of the first operand. */
export const FIRST_SHIFT: i32 = 8;
/** Type of the second operand; 0 if there is none. */
export const SECOND_SHIFT: i32 = 16;
export const TYPE_BITS: i32 = 0xff;
/** Type of the result; 0 if there is none. The topmost field, so it needs no mask. */
export const RESULT_SHIFT: i32 = 24;

const NOTHING: i32 = 0;

export const MEMORY_COPY: i32 = 0x0a;
export const MEMORY_FILL: i32 = 0x0b;

export function fillOpcodes(): void {
  fill(OPCODES, 0, 4 * 256);
  store32(OPCODES + 4 * 0x20, KIND_LOCAL_GET);
  store32(OPCODES + 4 * 0x21, KIND_LOCAL_SET);
  store32(OPCODES + 4 * 0x22, KIND_LOCAL_TEE);
  store32(OPCODES + 4 * 0x41, KIND_I32_CONST);
  fillLoads();
  fillStores();
  plain(0x45, 0x45, I32, NOTHING, I32); // i32.eqz
  plain(0x46, 0x4f, I32, I32, I32); // i32 comparisons
  plain(0x50, 0x50, I64, NOTHING, I32); // i64.eqz
  plain(0x51, 0x5a, I64, I64, I32);
  plain(0x5b, 0x60, F32, F32, I32);
  plain(0x61, 0x66, F64, F64, I32);
  plain(0x67, 0x69, I32, NOTHING, I32); // clz, ctz, popcnt
  plain(0x6a, 0x78, I32, I32, I32);
  plain(0x79, 0x7b, I64, NOTHING, I64);
  plain(0x7c, 0x8a, I64, I64, I64);
  plain(0x8b, 0x91, F32, NOTHING, F32); // abs to sqrt
  plain(0x92, 0x98, F32, F32, F32);
  plain(0x99, 0x9f, F64, NOTHING, F64);
  plain(0xa0, 0xa6, F64, F64, F64);
  fillConversions();
}

function fillConversions(): void {
  plain(0xa7, 0xa7, I64, NOTHING, I32); // i32.wrap_i64
  plain(0xa8, 0xa9, F32, NOTHING, I32); // i32.trunc_f32
  plain(0xaa, 0xab, F64, NOTHING, I32);
  plain(0xac, 0xad, I32, NOTHING, I64); // i64.extend_i32
  plain(0xae, 0xaf, F32, NOTHING, I64);
  plain(0xb0, 0xb1, F64, NOTHING, I64);
  plain(0xb2, 0xb3, I32, NOTHING, F32); // f32.convert
  plain(0xb4, 0xb5, I64, NOTHING, F32);
  plain(0xb6, 0xb6, F64, NOTHING, F32); // f32.demote_f64
  plain(0xb7, 0xb8, I32, NOTHING, F64);
  plain(0xb9, 0xba, I64, NOTHING, F64);
  plain(0xbb, 0xbb, F32, NOTHING, F64); // f64.promote_f32
  plain(0xbc, 0xbc, F32, NOTHING, I32); // reinterpret
  plain(0xbd, 0xbd, F64, NOTHING, I64);
  plain(0xbe, 0xbe, I32, NOTHING, F32);
  plain(0xbf, 0xbf, I64, NOTHING, F64);
  plain(0xc0, 0xc1, I32, NOTHING, I32); // sign extension
  plain(0xc2, 0xc4, I64, NOTHING, I64);
}

function packed(kind: i32, first: i32, second: i32, result: i32): i32 {
  return kind | (first << FIRST_SHIFT) | (second << SECOND_SHIFT) | (result << RESULT_SHIFT);
}

function plain(from: i32, to: i32, first: i32, second: i32, result: i32): void {
  for (let opcode = from; opcode <= to; opcode++)
    store32(OPCODES + 4 * opcode, packed(KIND_PLAIN, first, second, result));
}

function load(opcode: i32, type: i32, alignment: i32): void {
  store32(OPCODES + 4 * opcode, packed(KIND_ACCESS, I32, NOTHING, type) | (alignment << ALIGNMENT_SHIFT));
}

function store(opcode: i32, type: i32, alignment: i32): void {
  store32(OPCODES + 4 * opcode, packed(KIND_ACCESS, I32, type, NOTHING) | (alignment << ALIGNMENT_SHIFT));
}

/** Whole values, then parts of 8 bits, 16 bits and, for `i64`, 32 bits, each signed and unsigned. */
function fillLoads(): void {
  load(0x28, I32, 2);
  load(0x29, I64, 3);
  load(0x2a, F32, 2);
  load(0x2b, F64, 3);
  for (let part: i32 = 0; part < 4; part++) load(0x2c + part, I32, part >> 1);
  for (let part: i32 = 0; part < 6; part++) load(0x30 + part, I64, part >> 1);
}

function fillStores(): void {
  store(0x36, I32, 2);
  store(0x37, I64, 3);
  store(0x38, F32, 2);
  store(0x39, F64, 3);
  for (let part: i32 = 0; part < 2; part++) store(0x3a + part, I32, part);
  for (let part: i32 = 0; part < 3; part++) store(0x3c + part, I64, part);
}

/** Operand of a saturating conversion, opcode 0xfc and then 0 to 7: two of `f32`, two of `f64`, and again. */
export function saturatingOperand(opcode: i32): i32 {
  return (opcode & 2) === 0 ? F32 : F64;
}

export function saturatingResult(opcode: i32): i32 {
  return opcode < 4 ? I32 : I64;
}

/** The unsupported feature to which an opcode belongs. */
export function featureOfOpcode(opcode: i32): i32 {
  if ((opcode >= 0x06 && opcode <= 0x0a) || opcode === 0x18 || opcode === 0x19 || opcode === 0x1f)
    return EXCEPTIONS;
  if (opcode === 0x12 || opcode === 0x13 || opcode === 0x15) return TAIL_CALLS;
  if (opcode === 0x14 || (opcode >= 0xd3 && opcode <= 0xd6)) return FUNCTION_REFERENCES;
  if (opcode === 0x1c || opcode === 0x25 || opcode === 0x26) return REFERENCE_TYPES;
  if (opcode >= 0xd0 && opcode <= 0xd2) return REFERENCE_TYPES;
  if (opcode === 0xfb) return GARBAGE_COLLECTION;
  if (opcode === 0xfd) return SIMD;
  return opcode === 0xfe ? THREADS : NO_FEATURE;
}

/** As {@link featureOfOpcode}, for an opcode after the prefix 0xfc. */
export function featureOfPrefixed(opcode: i32): i32 {
  if (opcode >= 0x08 && opcode <= 0x0e) return BULK_MEMORY;
  return opcode >= 0x0f && opcode <= 0x11 ? REFERENCE_TYPES : NO_FEATURE;
}
