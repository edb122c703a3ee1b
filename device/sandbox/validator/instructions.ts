/**
 * Validates the instructions that are not plain: control, calls, globals, memory, and unsupported ones. Each function
 * reads its immediates from the window and updates the state of the Wasm function.
 */
import { isBelow } from "../memory.js";
import {
  ANY,
  F32,
  F64,
  functionCount,
  functionType,
  globalCount,
  globalType,
  I32,
  I64,
  MUTABLE,
  memoryPages,
  ownTypes,
  parameterCount,
  parameterStart,
  requireValueType,
  resultCount,
  resultStart,
  TYPE_NOTHING,
  tableElements,
  valueAt,
} from "./declarations.js";
import {
  BLOCK_TYPE_LONG,
  BLOCK_TYPE_PADDED,
  CALL_OTHER_TABLE,
  ELSE_ALONE,
  GLOBAL_CONSTANT,
  IF_CHANGES,
  invalid,
  LONG_BLOCK_TYPE,
  LONG_OPCODE,
  LONG_OPCODE_FORM,
  MULTIPLE_MEMORIES,
  NO_FEATURE,
  NO_FUNCTION,
  NO_GLOBAL,
  NO_MEMORY,
  NO_TABLE,
  NO_TYPE,
  OTHER_MEMORY,
  REFERENCE_TYPES,
  reject,
  UNKNOWN_OPCODE,
  UNKNOWN_PREFIXED,
  UNSUPPORTED_OPCODE,
  UNSUPPORTED_PREFIXED,
} from "./failures.js";
import {
  closeFrame,
  deadDepth,
  depth,
  endCallsIfEmpty,
  FRAME_BLOCK,
  FRAME_ELSE,
  FRAME_FUNCTION,
  FRAME_IF,
  FRAME_LOOP,
  frameOf,
  height,
  kindAt,
  labelCount,
  labelStart,
  openFrame,
  pop,
  popValues,
  push,
  pushValues,
  setUnreachable,
  typeAt,
} from "./function-state.js";
import { FIRST_OWN_TYPE } from "./layout.js";
import {
  featureOfOpcode,
  featureOfPrefixed,
  MEMORY_COPY,
  MEMORY_FILL,
  saturatingOperand,
  saturatingResult,
} from "./opcodes.js";
import { budgetCall, budgetPassed } from "./slot-budget.js";
import { offset, position, readByte, readUnsigned, setPosition, skip, skipSigned64 } from "./window.js";

/** Byte that encodes the empty block type. */
const EMPTY_BLOCK: i32 = 0x40;

/** Reads the type of a block (binary format §5.4.1). @returns its index in the type table */
export function readBlockType(): i32 {
  const byte = readByte();
  if (byte === EMPTY_BLOCK) return TYPE_NOTHING;
  if (byte >= F64 && byte <= I32) return 1 + I32 - byte;
  const at = offset() - 1;
  if (byte >= 0x40 && byte < 0x80) requireValueType(byte, at);
  const index = byte < 0x80 ? byte : readLongBlockType();
  if (!isBelow(index, ownTypes())) invalid(NO_TYPE, at, index);
  return index + FIRST_OWN_TYPE;
}

/** Reads a type index of two bytes or more, whose first one has been read: an `s33`, never negative. */
function readLongBlockType(): i32 {
  setPosition(position - 1);
  const at = offset();
  let value: i32 = 0;
  for (let bits: i32 = 0; bits <= 28; bits += 7) {
    const byte = readByte();
    value |= (byte & 0x7f) << bits;
    if (byte >= 0x80) continue;
    // V8 accepts an empty block type with padding; the specification does not.
    if ((byte & 0x40) !== 0) reject(BLOCK_TYPE_PADDED, at, 0, LONG_BLOCK_TYPE);
    if (bits === 28 && byte > 0x0f) break;
    return value;
  }
  invalid(BLOCK_TYPE_LONG, at, 0);
  return 0;
}

/** `block`, `loop` and `if`. */
export function openBlock(opcode: i32, at: i32): void {
  const type = readBlockType();
  if (opcode === 0x04) pop(I32, at);
  const parameters = parameterCount(type);
  if (parameters > 0) popValues(parameterStart(type), parameters, at);
  endCallsIfEmpty();
  openFrame(opcode === 0x02 ? FRAME_BLOCK : opcode === 0x03 ? FRAME_LOOP : FRAME_IF, type, at);
}

export function elseBlock(at: i32): void {
  if (kindAt(depth - 1) !== FRAME_IF) invalid(ELSE_ALONE, at, 0);
  closeFrame(at);
  openFrame(FRAME_ELSE, typeAt(depth), at);
}

/** `end` of a block or of the function; after the latter, `depth` is 0. */
export function endBlock(at: i32): void {
  const kind = closeFrame(at);
  if (kind === FRAME_FUNCTION) return;
  const type = typeAt(depth);
  if (type === TYPE_NOTHING) return;
  if (kind === FRAME_IF) requireSameValues(type, at);
  pushValues(resultStart(type), resultCount(type));
}

/** An `if` without `else` returns its parameters, so its results must have the same types. */
function requireSameValues(type: i32, at: i32): void {
  const count = resultCount(type);
  const parameters = parameterStart(type);
  const results = resultStart(type);
  if (count !== parameterCount(type)) invalid(IF_CHANGES, at, 0);
  for (let index: i32 = 0; index < count; index++)
    if (valueAt(parameters + index) !== valueAt(results + index)) invalid(IF_CHANGES, at, 0);
}

/** `br` and `br_if`. @returns index of the target frame */
export function branch(opcode: i32, at: i32): i32 {
  const frame = frameOf(readUnsigned(), at);
  if (opcode === 0x0d) pop(I32, at);
  const count = labelCount(frame);
  if (count > 0) {
    const start = labelStart(frame);
    if (count > 1 && deadDepth === 0) budgetPassed(count, at);
    popValues(start, count, at);
    if (opcode === 0x0d) pushValues(start, count); // for the code after it
  }
  if (opcode === 0x0c) setUnreachable();
  endCallsIfEmpty();
  return frame;
}

export function returnValues(at: i32): void {
  popValues(labelStart(0), labelCount(0), at);
  setUnreachable();
}

export function call(at: i32): void {
  const index = readUnsigned();
  if (!isBelow(index, functionCount)) invalid(NO_FUNCTION, at, index);
  callType(functionType(index), at);
}

export function callIndirect(at: i32): void {
  const indexAt = offset();
  const index = readUnsigned();
  if (!isBelow(index, ownTypes())) invalid(NO_TYPE, indexAt, index);
  const table = readUnsigned();
  if (table !== 0) reject(CALL_OTHER_TABLE, at, table, REFERENCE_TYPES);
  if (tableElements < 0) invalid(NO_TABLE, at, 0);
  pop(I32, at);
  callType(index + FIRST_OWN_TYPE, at);
}

function callType(type: i32, at: i32): void {
  const results = resultCount(type);
  if (deadDepth === 0) budgetCall(height, results, at);
  const parameters = parameterCount(type);
  if (parameters > 0) popValues(parameterStart(type), parameters, at);
  if (results > 0) pushValues(resultStart(type), results);
  endCallsIfEmpty();
}

/** `select` without a type. */
export function select(at: i32): void {
  pop(I32, at);
  const second = pop(ANY, at);
  const first = pop(second, at);
  push(first === ANY ? second : first);
}

/** `global.get` and `global.set`. */
export function accessGlobal(opcode: i32, at: i32): void {
  const index = readUnsigned();
  if (!isBelow(index, globalCount)) invalid(NO_GLOBAL, at, index);
  const global = globalType(index);
  if (opcode === 0x23) {
    push(global & ~MUTABLE);
    return;
  }
  if ((global & MUTABLE) === 0) invalid(GLOBAL_CONSTANT, at, index);
  pop(global & ~MUTABLE, at);
  endCallsIfEmpty();
}

/** `memory.size` and `memory.grow`. */
export function sizeMemory(opcode: i32, at: i32): void {
  readMemoryIndex(at);
  if (opcode === 0x40) pop(I32, at);
  push(I32);
}

function readMemoryIndex(at: i32): void {
  if (readByte() !== 0) reject(OTHER_MEMORY, at, 0, MULTIPLE_MEMORIES);
  if (memoryPages < 0) invalid(NO_MEMORY, at, 0);
}

/** `i64.const`, `f32.const` and `f64.const`. */
export function longConstant(opcode: i32): void {
  if (opcode === 0x42) {
    skipSigned64();
    push(I64);
  } else if (opcode === 0x43) {
    skip(4);
    push(F32);
  } else {
    skip(8);
    push(F64);
  }
}

/** Instructions with the prefix 0xfc: saturating conversions, `memory.copy` and `memory.fill`. */
export function prefixed(at: i32): void {
  const opcode = readByte();
  if (opcode < 8) {
    pop(saturatingOperand(opcode), at);
    push(saturatingResult(opcode));
    return;
  }
  if (opcode >= 0x80) reject(LONG_OPCODE, at, 0, LONG_OPCODE_FORM);
  if (opcode !== MEMORY_COPY && opcode !== MEMORY_FILL) {
    const feature = featureOfPrefixed(opcode);
    reject(feature === NO_FEATURE ? UNKNOWN_PREFIXED : UNSUPPORTED_PREFIXED, at, opcode, feature);
  }
  readMemoryIndex(at);
  if (opcode === MEMORY_COPY) readMemoryIndex(at);
  for (let operand: i32 = 0; operand < 3; operand++) pop(I32, at);
  endCallsIfEmpty();
}

export function rejectOpcode(opcode: i32, at: i32): void {
  const feature = featureOfOpcode(opcode);
  reject(feature === NO_FEATURE ? UNKNOWN_OPCODE : UNSUPPORTED_OPCODE, at, opcode, feature);
}
