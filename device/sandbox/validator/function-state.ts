/**
 * State of the validation of one function (validation algorithm of the WebAssembly specification, appendix A.3): the
 * types of the operands on the stack, and a frame for each open block, in columns of the program's memory.
 */
import { fill, load8, load16, store8, store16 } from "../memory.js";
import { ANY, parameterCount, parameterStart, resultCount, resultStart, valueAt } from "./declarations.js";
import {
  invalid,
  LOOPS_TOO_DEEP,
  NESTED_TOO_DEEP,
  NO_LABEL,
  OPERAND_MISSING,
  OPERAND_TYPE,
  OPERANDS_LEFT,
} from "./failures.js";
import {
  FRAME_FLOORS,
  FRAME_KINDS,
  FRAME_RECORDS,
  FRAME_TYPES,
  FRAME_UNREACHABLE,
  LOCALS,
  OPERANDS,
} from "./layout.js";
import { LOOP_NESTING_LIMIT, NESTING_LIMIT } from "./limits.js";
import { budgetBlock, budgetPassed, endCalls } from "./slot-budget.js";

export const FRAME_FUNCTION: i32 = 0;
export const FRAME_BLOCK: i32 = 1;
export const FRAME_LOOP: i32 = 2;
export const FRAME_IF: i32 = 3;
export const FRAME_ELSE: i32 = 4;

/** Number of operands on the stack, including those of outer blocks. */
export let height: i32 = 0;
/** Height below which the current block must not pop. */
export let floor: i32 = 0;
/** Set after an unconditional branch or trap; missing operands then have any type. */
let isUnreachable: boolean = false;
/** Number of open blocks, including the function's own. */
export let depth: i32 = 0;
/** Depth of the block whose rest is dead code, which preparing omits; 0 in live code. */
export let deadDepth: i32 = 0;
/** Number of parameters and locals. */
export let localCount: i32 = 0;
/** Deepest nesting of loops and of blocks in all functions so far. */
export let deepestLoop: i32 = 0;
export let deepestBlock: i32 = 0;
let loopDepth: i32 = 0;

export function resetFunctions(): void {
  deepestLoop = 0;
  deepestBlock = 0;
}

/** Prepares for the next function, of table index `type`: its parameters are the first locals. */
export function beginFunction(type: i32): void {
  height = 0;
  floor = 0;
  depth = 0;
  deadDepth = 0;
  loopDepth = 0;
  isUnreachable = false;
  localCount = 0;
  const start = parameterStart(type);
  const count = parameterCount(type);
  for (let index: i32 = 0; index < count; index++) addLocals(1, valueAt(start + index));
}

export function addLocals(count: i32, type: i32): void {
  fill(LOCALS + localCount, type, count);
  localCount += count;
}

export function setHeight(value: i32): void {
  height = value;
}

export function setDeadDepth(value: i32): void {
  deadDepth = value;
}

export function push(type: i32): void {
  store8(OPERANDS + height, type);
  height++;
}

/** Pops an operand of `type`. @returns its type, {@link ANY} for a missing operand in unreachable code */
export function pop(type: i32, at: i32): i32 {
  if (height === floor) {
    if (isUnreachable) return ANY;
    invalid(OPERAND_MISSING, at, type);
  }
  height--;
  const actual = load8(OPERANDS + height);
  if (actual !== type && actual !== ANY && type !== ANY) invalid(OPERAND_TYPE, at, (actual << 8) | type);
  return actual;
}

/** Pops `count` operands, whose types are the values from index `start`. */
export function popValues(start: i32, count: i32, at: i32): void {
  for (let index = start + count - 1; index >= start; index--) pop(valueAt(index), at);
}

export function pushValues(start: i32, count: i32): void {
  for (let index = start; index < start + count; index++) push(valueAt(index));
}

/** As {@link popValues}, but leaves the operands on the stack. */
export function checkValues(start: i32, count: i32, at: i32): void {
  let top = height;
  for (let index = start + count - 1; index >= start; index--) {
    const wanted = valueAt(index);
    if (top === floor) {
      if (isUnreachable) return;
      invalid(OPERAND_MISSING, at, wanted);
    }
    top--;
    const actual = load8(OPERANDS + top);
    if (actual !== wanted && actual !== ANY) invalid(OPERAND_TYPE, at, (actual << 8) | wanted);
  }
}

/** Opens a block and pushes its parameters, which the caller has popped. */
export function openFrame(kind: i32, type: i32, at: i32): void {
  if (depth === NESTING_LIMIT) invalid(NESTED_TOO_DEEP, at, 0);
  if (kind === FRAME_LOOP) {
    loopDepth++;
    if (loopDepth > LOOP_NESTING_LIMIT) invalid(LOOPS_TOO_DEEP, at, 0);
    if (loopDepth > deepestLoop) deepestLoop = loopDepth;
  }
  const parameters = parameterCount(type);
  const outer: i32 = depth === 0 ? 0 : load16(FRAME_RECORDS + 2 * (depth - 1));
  const records: i32 = kind === FRAME_FUNCTION ? 0 : outer + parameters + resultCount(type);
  store8(FRAME_KINDS + depth, kind);
  store16(FRAME_TYPES + 2 * depth, type);
  store16(FRAME_FLOORS + 2 * depth, height);
  store8(FRAME_UNREACHABLE + depth, 0);
  store16(FRAME_RECORDS + 2 * depth, records);
  floor = height;
  isUnreachable = false;
  depth++;
  if (depth > deepestBlock) deepestBlock = depth;
  if (kind === FRAME_FUNCTION) return;
  if (deadDepth === 0) {
    budgetBlock(height + parameters, records, at);
    if (parameters > 1) budgetPassed(parameters, at);
  }
  if (parameters > 0) pushValues(parameterStart(type), parameters);
}

/** Closes the current block; only its results may remain on the stack. @returns the block's kind */
export function closeFrame(at: i32): i32 {
  const top = depth - 1;
  const kind = load8(FRAME_KINDS + top);
  const type = typeAt(top);
  const results = resultCount(type);
  if (results > 1 && deadDepth === 0) budgetPassed(results, at);
  if (results > 0) popValues(resultStart(type), results, at);
  if (height !== floor) invalid(OPERANDS_LEFT, at, height - floor);
  if (kind === FRAME_LOOP) loopDepth--;
  depth = top;
  if (top > 0) {
    floor = load16(FRAME_FLOORS + 2 * (top - 1));
    isUnreachable = load8(FRAME_UNREACHABLE + top - 1) === 1;
  }
  return kind;
}

/** Type of frame `index`. {@link closeFrame} leaves the last closed frame readable at index `depth`. */
export function typeAt(index: i32): i32 {
  return load16(FRAME_TYPES + 2 * index);
}

export function kindAt(index: i32): i32 {
  return load8(FRAME_KINDS + index);
}

/** Index of the frame that a branch to `label` targets. @param label unsigned */
export function frameOf(label: i32, at: i32): i32 {
  if (label < 0 || label >= depth) invalid(NO_LABEL, at, label);
  return depth - 1 - label;
}

/** Index of the first value that a branch to frame `index` passes. */
export function labelStart(index: i32): i32 {
  const type = typeAt(index);
  return kindAt(index) === FRAME_LOOP ? parameterStart(type) : resultStart(type);
}

export function labelCount(index: i32): i32 {
  const type = typeAt(index);
  return kindAt(index) === FRAME_LOOP ? parameterCount(type) : resultCount(type);
}

/** Marks the rest of the block as unreachable. */
export function setUnreachable(): void {
  height = floor;
  isUnreachable = true;
  store8(FRAME_UNREACHABLE + depth - 1, 1);
}

/** Tells the budget where no operand is left. */
export function endCallsIfEmpty(): void {
  if (height === 0) endCalls();
}
