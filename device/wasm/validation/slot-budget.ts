/**
 * Keeps a function within the tables of the engine's compiler, which are of fixed size and not always
 * checked (wasm3's `m3Slots` and `wasmStack`). What is counted here is never less than what the compiler
 * uses:
 *
 * - Results, parameters, locals and constants have slots of their own, two each at most.
 * - Operands take the lowest free slots, so n of them reach no further than 2n, except for the results of
 *   calls, which go above everything in use. So `f(f(f(x)))` climbs; it is back down once no operand is left.
 * - Where two values or more are handed to a label, the compiler may take new slots past the highest ever used
 *   to turn them round, and for parameters of a block it may lose slots.
 */
import { maximum } from "./integer-math.js";
import {
  COMPILE_STEP_LIMIT,
  CONSTANT_SLOTS,
  OPERAND_LIMIT,
  RESULT_LIMIT,
  SLOT_LIMIT,
  STACK_HEIGHT_LIMIT,
} from "./limits.js";
import { beyondLimit } from "./verdict.js";

export class SlotBudget {
  /** Steps of all functions so far that compiling takes beyond what the length of the code explains. */
  compileSteps = 0;
  /** Where the results of calls stand; goes back to 0 when the last operand is taken. */
  callTop = 0;
  #highestCallTop = 0;
  #handed = 0;
  #available = 0;
  #localCount = 0;

  beginFunction(localCount: number, resultCount: number, offset: number): void {
    this.callTop = 0;
    this.#highestCallTop = 0;
    this.#handed = 0;
    this.#localCount = localCount;
    this.#available =
      SLOT_LIMIT - CONSTANT_SLOTS - 2 * (localCount + resultCount + OPERAND_LIMIT + RESULT_LIMIT);
    this.#addSteps((localCount * localCount) / 2, offset);
  }

  /** A call while `height` operands stand, arguments included. */
  addCall(height: number, resultCount: number, offset: number): void {
    this.callTop = maximum(this.callTop, 2 * height) + 2 * resultCount;
    if (this.callTop <= this.#highestCallTop) return;
    this.#highestCallTop = this.callTop;
    this.#check(offset);
  }

  /** `count` values, two or more, are handed to a label or into a block. */
  addHanded(count: number, offset: number): void {
    this.#handed += 2 * count;
    this.#check(offset);
  }

  /** A block begins on `height` operands. @param records values that its frame and those around it keep */
  addBlock(height: number, records: number, offset: number): void {
    if (height > 0) this.#addSteps(this.#localCount * height, offset);
    if (this.#localCount + records + OPERAND_LIMIT + RESULT_LIMIT >= STACK_HEIGHT_LIMIT)
      throw beyondLimit(offset, "STACK_HEIGHT_LIMIT", "blocks within blocks have too many results");
  }

  #addSteps(steps: number, offset: number): void {
    this.compileSteps += steps;
    if (this.compileSteps > COMPILE_STEP_LIMIT)
      throw beyondLimit(offset, "COMPILE_STEP_LIMIT", "it would take too long to compile");
  }

  #check(offset: number): void {
    if (this.#highestCallTop + this.#handed > this.#available)
      throw beyondLimit(offset, "SLOT_LIMIT", "a function holds too many values at a time");
  }
}
