/**
 * State of the validation of one function (validation algorithm of the WebAssembly specification, appendix A.3): the
 * types of the operands on the stack, and a frame for each open block. Frames are columns of typed arrays, so that a
 * block allocates no object.
 */

import {
  LOCAL_LIMIT,
  LOOP_NESTING_LIMIT,
  NESTING_LIMIT,
  OPERAND_LIMIT,
  PARAMETER_LIMIT,
  RESULT_LIMIT,
} from "../../../device/sandbox/validator/limits.js";
import type { Declarations } from "./declarations.js";
import { SlotBudget } from "./slot-budget.js";
import { ANY, typeName } from "./value-types.js";
import { beyondLimit, invalid } from "./verdict.js";

export const FRAME_FUNCTION = 0;
export const FRAME_BLOCK = 1;
export const FRAME_LOOP = 2;
export const FRAME_IF = 3;
export const FRAME_ELSE = 4;

export class FunctionState {
  /** Number of operands on the stack, including those of outer blocks. */
  height = 0;
  /** Height below which the current block must not pop. */
  floor = 0;
  /** Set after an unconditional branch or trap; missing operands then have any type. */
  isUnreachable = false;
  /** Number of open blocks, including the function's own. */
  depth = 0;
  /** Depth of the block whose rest is dead code, which preparing omits; 0 in live code. */
  deadDepth = 0;
  /** Number of parameters and locals. */
  localCount = 0;
  readonly operands = new Uint8Array(OPERAND_LIMIT + PARAMETER_LIMIT + RESULT_LIMIT);
  readonly locals = new Uint8Array(LOCAL_LIMIT);
  readonly declarations: Declarations;
  readonly budget = new SlotBudget();
  /** Deepest nesting of loops in all functions so far. */
  deepestLoop = 0;
  /** Deepest nesting of blocks in all functions so far. */
  deepest = 0;
  #loopDepth = 0;
  readonly #kinds = new Uint8Array(NESTING_LIMIT);
  readonly #types = new Uint16Array(NESTING_LIMIT);
  readonly #floors = new Uint16Array(NESTING_LIMIT);
  readonly #unreachable = new Uint8Array(NESTING_LIMIT);
  /** Number of values that the engine keeps for each frame and its outer frames. */
  readonly #records = new Uint16Array(NESTING_LIMIT);

  constructor(declarations: Declarations) {
    this.declarations = declarations;
  }

  push(type: number): void {
    this.operands[this.height++] = type;
  }

  /** Pops an operand of `type`. @returns its type, {@link ANY} for a missing operand in unreachable code */
  pop(type: number, offset: number): number {
    if (this.height === this.floor) {
      if (this.isUnreachable) return ANY;
      throw invalid(offset, `an operand of type ${typeName(type)} is missing`);
    }
    const actual = this.operands[--this.height] as number;
    if (actual !== type && actual !== ANY && type !== ANY) throw mismatch(offset, type, actual);
    return actual;
  }

  /** Pops `count` operands, whose types are in the type table's `values` from index `start`. */
  popValues(start: number, count: number, offset: number): void {
    const { items } = this.declarations.types.values;
    for (let index = start + count - 1; index >= start; index--) this.pop(items[index] as number, offset);
  }

  pushValues(start: number, count: number): void {
    const { items } = this.declarations.types.values;
    for (let index = start; index < start + count; index++) this.push(items[index] as number);
  }

  /** As {@link popValues}, but leaves the operands on the stack. */
  checkValues(start: number, count: number, offset: number): void {
    const { items } = this.declarations.types.values;
    let at = this.height;
    for (let index = start + count - 1; index >= start; index--) {
      if (at === this.floor) {
        if (this.isUnreachable) return;
        throw invalid(offset, `an operand of type ${typeName(items[index] as number)} is missing`);
      }
      const actual = this.operands[--at] as number;
      if (actual !== items[index] && actual !== ANY) throw mismatch(offset, items[index] as number, actual);
    }
  }

  /** Opens a block and pushes its parameters, which the caller has popped. */
  openFrame(kind: number, type: number, offset: number): void {
    const { depth } = this;
    const { types } = this.declarations;
    if (depth === NESTING_LIMIT)
      throw beyondLimit(offset, "NESTING_LIMIT", `blocks are nested more than ${NESTING_LIMIT} deep`);
    if (kind === FRAME_LOOP && ++this.#loopDepth > this.deepestLoop) this.#deepenLoops(offset);
    const parameterCount = types.parameterCount(type);
    const outer = depth === 0 ? 0 : (this.#records[depth - 1] as number);
    const records = kind === FRAME_FUNCTION ? 0 : outer + parameterCount + types.resultCount(type);
    this.#kinds[depth] = kind;
    this.#types[depth] = type;
    this.#floors[depth] = this.height;
    this.#unreachable[depth] = 0;
    this.#records[depth] = records;
    this.floor = this.height;
    this.isUnreachable = false;
    this.depth = depth + 1;
    if (this.depth > this.deepest) this.deepest = this.depth;
    if (kind === FRAME_FUNCTION) return;
    if (this.deadDepth === 0) {
      this.budget.addBlock(this.height + parameterCount, records, offset);
      if (parameterCount > 1) this.budget.addHanded(parameterCount, offset);
    }
    if (parameterCount > 0) this.pushValues(types.parameterStart(type), parameterCount);
  }

  #deepenLoops(offset: number): void {
    if (this.#loopDepth > LOOP_NESTING_LIMIT)
      throw beyondLimit(
        offset,
        "LOOP_NESTING_LIMIT",
        `loops are nested more than ${LOOP_NESTING_LIMIT} deep`,
      );
    this.deepestLoop = this.#loopDepth;
  }

  /** Closes the current block; only its results may remain on the stack. @returns the block's kind */
  closeFrame(offset: number): number {
    const top = this.depth - 1;
    const kind = this.#kinds[top] as number;
    const type = this.#types[top] as number;
    const { types } = this.declarations;
    const resultCount = types.resultCount(type);
    if (resultCount > 1 && this.deadDepth === 0) this.budget.addHanded(resultCount, offset);
    if (resultCount > 0) this.popValues(types.resultStart(type), resultCount, offset);
    if (this.height !== this.floor)
      throw invalid(offset, `a block leaves ${this.height - this.floor} operands too many`);
    if (kind === FRAME_LOOP) this.#loopDepth--;
    this.depth = top;
    if (top > 0) {
      this.floor = this.#floors[top - 1] as number;
      this.isUnreachable = this.#unreachable[top - 1] === 1;
    }
    return kind;
  }

  /** Type of frame `depth`. {@link closeFrame} leaves the last closed frame readable at index `this.depth`. */
  typeAt(depth: number): number {
    return this.#types[depth] as number;
  }

  kindAt(depth: number): number {
    return this.#kinds[depth] as number;
  }

  /** Index of the frame that a branch to `label` targets. */
  frameOf(label: number, offset: number): number {
    if (label >= this.depth) throw invalid(offset, `there is no label ${label}`);
    return this.depth - 1 - label;
  }

  /** Index in the type table's `values` of the values that a branch to frame `index` passes. */
  labelStart(index: number): number {
    const type = this.#types[index] as number;
    const { types } = this.declarations;
    return this.#kinds[index] === FRAME_LOOP ? types.parameterStart(type) : types.resultStart(type);
  }

  labelCount(index: number): number {
    const type = this.#types[index] as number;
    const { types } = this.declarations;
    return this.#kinds[index] === FRAME_LOOP ? types.parameterCount(type) : types.resultCount(type);
  }

  /** Marks the rest of the block as unreachable. */
  setUnreachable(): void {
    this.height = this.floor;
    this.isUnreachable = true;
    this.#unreachable[this.depth - 1] = 1;
  }

  /** Resets the state for the next function. */
  reset(): void {
    this.height = 0;
    this.floor = 0;
    this.depth = 0;
    this.deadDepth = 0;
    this.localCount = 0;
    this.#loopDepth = 0;
    this.isUnreachable = false;
  }
}

function mismatch(offset: number, wanted: number, actual: number): Error {
  return invalid(offset, `an operand has type ${typeName(actual)}, not ${typeName(wanted)}`);
}
