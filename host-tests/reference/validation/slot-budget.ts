/**
 * Keeps a function within the tables of the engine's compiler (wasm3's `m3Slots` and `wasmStack`), which have a fixed
 * size that the engine does not always check. The count here is an upper bound of what the compiler uses:
 *
 * - Results, parameters, locals and constants have slots of their own, at most two each.
 * - Operands take the lowest free slots, so n operands use slots below 2n. Results of calls are the exception: they go
 *   above everything in use, so `f(f(f(x)))` climbs until no operand is left.
 * - To pass two or more values to a label, the compiler may reorder them in new slots above the highest ever used,
 *   and for parameters of a block it may leak slots.
 */

import {
  COMPILE_STEP_LIMIT,
  CONSTANT_SLOTS,
  OPERAND_LIMIT,
  RESULT_LIMIT,
  SLOT_LIMIT,
  STACK_HEIGHT_LIMIT,
} from "../../../device/sandbox/validator/limits.js";
import { maximum } from "./integer-math.js";
import { beyondLimit } from "./verdict.js";

export class SlotBudget {
  /** Compiler steps of all functions so far that grow faster than the code ({@link COMPILE_STEP_LIMIT}). */
  compileSteps = 0;
  /** Upper end of the slots for results of calls. The caller resets it to 0 when no operand is left. */
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

  /** Count a call with `height` operands on the stack, arguments included. */
  addCall(height: number, resultCount: number, offset: number): void {
    this.callTop = maximum(this.callTop, 2 * height) + 2 * resultCount;
    if (this.callTop <= this.#highestCallTop) return;
    this.#highestCallTop = this.callTop;
    this.#check(offset);
  }

  /** Count `count` values, two or more, that are passed to a label or into a block. */
  addHanded(count: number, offset: number): void {
    this.#handed += 2 * count;
    this.#check(offset);
  }

  /** Count a block on `height` operands. @param records values that the engine keeps for this frame and outer ones */
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
