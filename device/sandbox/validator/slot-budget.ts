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
import { multiply } from "../memory.js";
import { COMPILE_STEPS, invalid, SLOTS, STACK_HEIGHT } from "./failures.js";
import {
  COMPILE_STEP_LIMIT,
  CONSTANT_SLOTS,
  OPERAND_LIMIT,
  RESULT_LIMIT,
  SLOT_LIMIT,
  STACK_HEIGHT_LIMIT,
} from "./limits.js";

/** Twice the compiler steps of all functions so far that grow faster than the code ({@link COMPILE_STEP_LIMIT}). */
let doubleSteps: i32 = 0;
/** Upper end of the slots for results of calls, 0 where no operand is left. */
let callTop: i32 = 0;
let highestCallTop: i32 = 0;
let passed: i32 = 0;
let available: i32 = 0;
let locals: i32 = 0;

export function resetBudget(): void {
  doubleSteps = 0;
}

export function budgetFunction(localCount: i32, results: i32, at: i32): void {
  callTop = 0;
  highestCallTop = 0;
  passed = 0;
  locals = localCount;
  available = SLOT_LIMIT - CONSTANT_SLOTS - 2 * (localCount + results + OPERAND_LIMIT + RESULT_LIMIT);
  addDoubleSteps(multiply(localCount, localCount), at);
}

/** No operand is left. */
export function endCalls(): void {
  callTop = 0;
}

/** Count a call with `height` operands on the stack, arguments included. */
export function budgetCall(height: i32, results: i32, at: i32): void {
  if (callTop < 2 * height) callTop = 2 * height;
  callTop += 2 * results;
  if (callTop <= highestCallTop) return;
  highestCallTop = callTop;
  requireSlots(at);
}

/** Count `count` values, two or more, that are passed to a label or into a block. */
export function budgetPassed(count: i32, at: i32): void {
  passed += 2 * count;
  requireSlots(at);
}

/** Count a block on `height` operands. @param records values that the engine keeps for this frame and outer ones */
export function budgetBlock(height: i32, records: i32, at: i32): void {
  if (height > 0) addDoubleSteps(multiply(2 * locals, height), at);
  if (locals + records + OPERAND_LIMIT + RESULT_LIMIT >= STACK_HEIGHT_LIMIT) invalid(STACK_HEIGHT, at, 0);
}

function addDoubleSteps(steps: i32, at: i32): void {
  doubleSteps += steps;
  if (doubleSteps > 2 * COMPILE_STEP_LIMIT) invalid(COMPILE_STEPS, at, 0);
}

function requireSlots(at: i32): void {
  if (highestCallTop + passed > available) invalid(SLOTS, at, 0);
}
