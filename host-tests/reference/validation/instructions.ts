/**
 * Validates the instructions that are not plain: control, calls, globals, memory, and unsupported ones. Each function
 * reads its immediates from the window and updates the state of the Wasm function.
 */
import type { ByteWindow } from "./byte-window.js";
import { MUTABLE } from "./declarations.js";
import {
  FRAME_BLOCK,
  FRAME_ELSE,
  FRAME_FUNCTION,
  FRAME_IF,
  FRAME_LOOP,
  type FunctionState,
} from "./function-state.js";
import {
  featureOfOpcode,
  featureOfPrefixed,
  MEMORY_COPY,
  MEMORY_FILL,
  SATURATING_OPERAND,
  SATURATING_RESULT,
} from "./opcodes.js";
import { EMPTY_BLOCK, FIRST_OWN_TYPE, shortBlockType, TYPE_NOTHING } from "./type-table.js";
import { ANY, F32, F64, I32, I64, refuseType } from "./value-types.js";
import { invalid, unsupported } from "./verdict.js";

const EXPECTED_BYTE_ZERO = 0;

/** Reads the type of a block (binary format §5.4.1). @returns its index in the type table */
export function readBlockType(window: ByteWindow, ownTypes: number): number {
  const byte = window.readByte();
  if (byte === EMPTY_BLOCK) return TYPE_NOTHING;
  const short = shortBlockType(byte);
  if (short >= 0) return short;
  const offset = window.offset - 1;
  if (byte >= 0x40 && byte < 0x80) throw refuseType(offset, byte);
  window.position--;
  const index = byte < 0x80 ? window.readByte() : readLongBlockType(window);
  if (index >= ownTypes) throw invalid(offset, `there is no type ${index}`);
  return index + FIRST_OWN_TYPE;
}

/** Reads a type index of two bytes or more: an `s33`, never negative. */
function readLongBlockType(window: ByteWindow): number {
  const { offset } = window;
  let value = 0;
  for (let scale = 1; scale <= 0x1000_0000; scale *= 0x80) {
    const byte = window.readByte();
    value += (byte & 0x7f) * scale;
    if (byte >= 0x80) continue;
    // V8 accepts an empty block type with padding; the specification does not.
    if ((byte & 0x40) !== 0) throw unsupported(offset, "long block type", "a block type is padded");
    if (scale === 0x1000_0000 && byte > 0x0f) break;
    return value;
  }
  throw invalid(offset, "a block type is longer than 33 bits");
}

function readTypeIndex(state: FunctionState, window: ByteWindow): number {
  const { offset } = window;
  const index = window.readUnsigned();
  if (index >= state.declarations.types.ownCount) throw invalid(offset, `there is no type ${index}`);
  return index + FIRST_OWN_TYPE;
}

/** `block`, `loop` and `if`. */
export function openBlock(state: FunctionState, window: ByteWindow, opcode: number, offset: number): void {
  const { types } = state.declarations;
  const type = readBlockType(window, types.ownCount);
  if (opcode === 0x04) state.pop(I32, offset);
  const parameterCount = types.parameterCount(type);
  if (parameterCount > 0) state.popValues(types.parameterStart(type), parameterCount, offset);
  if (state.height === 0) state.budget.callTop = 0;
  state.openFrame(opcode === 0x02 ? FRAME_BLOCK : opcode === 0x03 ? FRAME_LOOP : FRAME_IF, type, offset);
}

export function elseBlock(state: FunctionState, offset: number): void {
  if (state.kindAt(state.depth - 1) !== FRAME_IF) throw invalid(offset, "an else stands outside an if");
  state.closeFrame(offset);
  state.openFrame(FRAME_ELSE, state.typeAt(state.depth), offset);
}

/** `end` of a block or of the function; after the latter, `depth` is 0. */
export function endBlock(state: FunctionState, offset: number): void {
  const kind = state.closeFrame(offset);
  if (kind === FRAME_FUNCTION) return;
  const { types } = state.declarations;
  const type = state.typeAt(state.depth);
  if (type === TYPE_NOTHING) return;
  if (kind === FRAME_IF) requireSameValues(state, type, offset);
  state.pushValues(types.resultStart(type), types.resultCount(type));
}

/** An `if` without `else` returns its parameters, so its results must have the same types. */
function requireSameValues(state: FunctionState, type: number, offset: number): void {
  const { types } = state.declarations;
  const count = types.resultCount(type);
  const parameters = types.parameterStart(type);
  const results = types.resultStart(type);
  let isSame = count === types.parameterCount(type);
  for (let index = 0; isSame && index < count; index++)
    isSame = types.values.at(parameters + index) === types.values.at(results + index);
  if (!isSame) throw invalid(offset, "an if without else has results that are not its parameters");
}

/** `br` and `br_if`. @returns index of the target frame */
export function branch(state: FunctionState, window: ByteWindow, opcode: number, offset: number): number {
  const frame = state.frameOf(window.readUnsigned(), offset);
  if (opcode === 0x0d) state.pop(I32, offset);
  const count = state.labelCount(frame);
  if (count > 0) takeLabelValues(state, frame, count, opcode === 0x0d, offset);
  if (opcode === 0x0c) state.setUnreachable();
  if (state.height === 0) state.budget.callTop = 0;
  return frame;
}

/** Pops the values that a branch passes. @param isGoingOn for `br_if`: pushes them again for the code after it */
function takeLabelValues(
  state: FunctionState,
  frame: number,
  count: number,
  isGoingOn: boolean,
  offset: number,
): void {
  const start = state.labelStart(frame);
  if (count > 1 && state.deadDepth === 0) state.budget.addHanded(count, offset);
  state.popValues(start, count, offset);
  if (isGoingOn) state.pushValues(start, count);
}

export function returnValues(state: FunctionState, offset: number): void {
  state.popValues(state.labelStart(0), state.labelCount(0), offset);
  state.setUnreachable();
}

export function call(state: FunctionState, window: ByteWindow, offset: number): void {
  const index = window.readUnsigned();
  const { functions } = state.declarations;
  if (index >= functions.length) throw invalid(offset, `there is no function ${index}`);
  callType(state, functions.at(index), offset);
}

export function callIndirect(state: FunctionState, window: ByteWindow, offset: number): void {
  const type = readTypeIndex(state, window);
  const table = window.readUnsigned();
  if (table !== 0) throw unsupported(offset, "reference types", `a call goes through table ${table}`);
  if (state.declarations.tableElements < 0) throw invalid(offset, "there is no table");
  state.pop(I32, offset);
  callType(state, type, offset);
}

function callType(state: FunctionState, type: number, offset: number): void {
  const { types } = state.declarations;
  const results = types.resultCount(type);
  if (state.deadDepth === 0) state.budget.addCall(state.height, results, offset);
  const parameters = types.parameterCount(type);
  if (parameters > 0) state.popValues(types.parameterStart(type), parameters, offset);
  if (results > 0) state.pushValues(types.resultStart(type), results);
  if (state.height === 0) state.budget.callTop = 0;
}

/** `select` without a type. */
export function select(state: FunctionState, offset: number): void {
  state.pop(I32, offset);
  const second = state.pop(ANY, offset);
  const first = state.pop(second, offset);
  state.push(first === ANY ? second : first);
}

/** `global.get` and `global.set`. */
export function accessGlobal(state: FunctionState, window: ByteWindow, opcode: number, offset: number): void {
  const index = window.readUnsigned();
  const { globals } = state.declarations;
  if (index >= globals.length) throw invalid(offset, `there is no global ${index}`);
  const global = globals.at(index);
  if (opcode === 0x23) {
    state.push(global & ~MUTABLE);
    return;
  }
  if ((global & MUTABLE) === 0) throw invalid(offset, `global ${index} cannot be set`);
  state.pop(global & ~MUTABLE, offset);
  if (state.height === 0) state.budget.callTop = 0;
}

/** `memory.size` and `memory.grow`. */
export function sizeMemory(state: FunctionState, window: ByteWindow, opcode: number, offset: number): void {
  readMemoryIndex(state, window, offset);
  if (opcode === 0x40) state.pop(I32, offset);
  state.push(I32);
}

function readMemoryIndex(state: FunctionState, window: ByteWindow, offset: number): void {
  if (window.readByte() !== EXPECTED_BYTE_ZERO)
    throw unsupported(offset, "multiple memories", "an instruction names a memory other than 0");
  if (state.declarations.memoryPages < 0) throw invalid(offset, "there is no memory");
}

/** `i64.const`, `f32.const` and `f64.const`. */
export function longConstant(state: FunctionState, window: ByteWindow, opcode: number): void {
  if (opcode === 0x42) {
    window.skipSigned64();
    state.push(I64);
  } else if (opcode === 0x43) {
    window.skip(4);
    state.push(F32);
  } else {
    window.skip(8);
    state.push(F64);
  }
}

/** Instructions with the prefix 0xfc: saturating conversions, `memory.copy` and `memory.fill`. */
export function prefixed(state: FunctionState, window: ByteWindow, offset: number): void {
  const opcode = window.readByte();
  if (opcode < SATURATING_OPERAND.length) {
    state.pop(SATURATING_OPERAND[opcode] as number, offset);
    state.push(SATURATING_RESULT[opcode] as number);
    return;
  }
  if (opcode >= 0x80) throw unsupported(offset, "long opcode", "an opcode is padded");
  if (opcode !== MEMORY_COPY && opcode !== MEMORY_FILL) throw refusePrefixed(opcode, offset);
  readMemoryIndex(state, window, offset);
  if (opcode === MEMORY_COPY) readMemoryIndex(state, window, offset);
  for (let operand = 0; operand < 3; operand++) state.pop(I32, offset);
  if (state.height === 0) state.budget.callTop = 0;
}

function refusePrefixed(opcode: number, offset: number): Error {
  const feature = featureOfPrefixed(opcode);
  const hexadecimal = `0xfc 0x${opcode.toString(16)}`;
  return feature
    ? unsupported(offset, feature, `instruction ${hexadecimal}`)
    : invalid(offset, `${hexadecimal} is not an instruction`);
}

export function refuseOpcode(opcode: number, offset: number): Error {
  const feature = featureOfOpcode(opcode);
  const hexadecimal = `0x${opcode.toString(16)}`;
  return feature
    ? unsupported(offset, feature, `instruction ${hexadecimal}`)
    : invalid(offset, `${hexadecimal} is not an instruction`);
}
