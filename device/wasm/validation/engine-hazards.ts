/**
 * Valid code that the engine's compiler (wasm3 0.5.0, m3_compile.c) gets wrong, refused by exactly the shape
 * that leads it astray. Four things go wrong there:
 *
 * - An operand that was read from a local stands for the local's own slot until the local is set or a block
 *   begins; then all operands for the same local move to one new slot, with a count of them. Of a 64-bit value
 *   only the first half is counted, so the other half is given away while an operand still needs it.
 * - A block sets the counts of its parameters to 1, whoever else needs them; a loop writes its parameters
 *   anew for each round, through whichever operands share their slot.
 * - Values handed to a label may have to change places. One value that another would overwrite is put aside
 *   first, but not two.
 * - A float handed over last goes through a register, and the compiler then takes the others from one place too
 *   low. With a single float this does nothing if what lies there is a float result's place as well, and
 *   otherwise writes far outside the frame.
 */
import {
  FRAME_FUNCTION,
  FRAME_LOOP,
  type FunctionState,
  STANDS_FOR_LOCAL,
  TYPE_BITS,
} from "./function-state.js";
import { F32, F64, I64 } from "./value-types.js";
import { unsupported } from "./verdict.js";

/** Origin of operands that share a slot of their own: this, and the index of the lowest of them. */
const SHARED = 0x8000;

function isWide(type: number): boolean {
  return type === I64 || type === F64;
}

/** Whether `type` is a float; no type is `undefined`. */
function isFloat(type: number | undefined): boolean {
  return type === F32 || type === F64;
}

/** Local `index` is set while `height` operands stand: those that stand for it get a slot of their own. */
export function separateLocal(state: FunctionState, index: number, height: number, offset: number): void {
  const { operands, origins } = state;
  let at = 0;
  while (at < height && !((operands[at] as number) >= STANDS_FOR_LOCAL && origins[at] === index)) at++;
  if (at < height) separateFrom(state, at, height, offset);
}

/** A block begins: every operand that stands for a local gets a slot of its own. */
export function separateLocals(state: FunctionState, offset: number): void {
  const { height, operands, origins } = state;
  for (let at = 0; at < height; at++)
    if ((operands[at] as number) >= STANDS_FOR_LOCAL && (origins[at] as number) < SHARED)
      separateFrom(state, at, height, offset);
}

/** The operand `lowest` and those above it that stand for the same local. */
function separateFrom(state: FunctionState, lowest: number, height: number, offset: number): void {
  const { operands, origins } = state;
  const local = origins[lowest] as number;
  let isAlone = true;
  for (let at = lowest + 1; at < height; at++) {
    if ((operands[at] as number) < STANDS_FOR_LOCAL || origins[at] !== local) continue;
    if (isWide((operands[at] as number) & TYPE_BITS))
      throw unsupported(
        offset,
        "64-bit local on the stack twice",
        `operands read from local ${local} outlast it`,
      );
    isAlone = false;
    origins[at] = SHARED + lowest;
  }
  if (isAlone) operands[lowest] = (operands[lowest] as number) & TYPE_BITS;
  else origins[lowest] = SHARED + lowest;
}

/** Whether operand `at` shares its slot with one from `start` up to it. */
function isShared(state: FunctionState, at: number, start: number): boolean {
  const { operands, origins } = state;
  if ((operands[at] as number) < STANDS_FOR_LOCAL || (origins[at] as number) < SHARED) return false;
  for (let other = start; other < at; other++)
    if ((operands[other] as number) >= STANDS_FOR_LOCAL && origins[other] === origins[at]) return true;
  return false;
}

/** A block begins with the topmost `count` operands as its parameters, after {@link separateLocals}. */
export function checkParameters(state: FunctionState, count: number, offset: number): void {
  for (let at = state.height - count; at < state.height; at++)
    if (isShared(state, at, 0))
      throw unsupported(
        offset,
        "block parameter on the stack twice",
        "a parameter of a block is read from a local, as another operand is",
      );
}

/** The topmost operands are handed to the label of frame `index`, by a branch or at the end of its block. */
export function checkHandedOver(
  state: FunctionState,
  index: number,
  isBranch: boolean,
  offset: number,
): void {
  const kind = state.kindAt(index);
  if (kind === FRAME_FUNCTION) return;
  const isLoop = isBranch && kind === FRAME_LOOP;
  const { types } = state.declarations;
  const type = state.typeAt(index);
  const count = isLoop ? types.parameterCount(type) : types.resultCount(type);
  if (count === 0) return;
  const start = isLoop ? types.parameterStart(type) : types.resultStart(type);
  const { items } = types.values;
  if (count > 1) checkOrder(state, items, start, count, offset);
  if (isLoop || !isFloat(items[start + count - 1])) return;
  if (count > 1)
    throw unsupported(
      offset,
      "float after other results",
      "the last of several results of a block is a float",
    );
  if (isBranch && !isOnFloatResult(state, index))
    throw unsupported(
      offset,
      "float over other operands",
      "a branch hands over a float from above other operands",
    );
}

function checkOrder(
  state: FunctionState,
  types: Uint8Array,
  start: number,
  count: number,
  offset: number,
): void {
  let narrow = 0;
  for (let index = start + count - 1; index >= start; index--)
    if (!isWide(types[index] as number)) narrow++;
    else if (narrow > 1)
      throw unsupported(
        offset,
        "64-bit value before others",
        "a 64-bit and two 32-bit values are handed over",
      );
  for (let at = state.height - count; at < state.height; at++)
    if (isShared(state, at, state.height - count))
      throw unsupported(offset, "local handed over twice", "two values that are handed over are one local's");
}

/** Whether the entry of the compiler's stack below the topmost operand is the place of a float result. */
function isOnFloatResult(state: FunctionState, target: number): boolean {
  const { types } = state.declarations;
  let top = state.height - 1;
  for (let frame = state.depth - 1; frame >= target; frame--) {
    const floor = state.floorAt(frame);
    if (top > floor) return false;
    const type = state.typeAt(frame);
    const results = types.resultCount(type);
    if (results > 0) return isFloat(types.values.items[types.resultStart(type) + results - 1]);
    if (types.parameterCount(type) > 0) return false;
    top = floor;
  }
  return false;
}
