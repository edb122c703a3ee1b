/**
 * Validates function bodies as they arrive: the locals, then each instruction. The loop over plain instructions keeps
 * its state in local variables; the other instructions are in `instructions.ts`.
 *
 * It also computes by how many bytes preparing lengthens the body:
 *
 * - Loops and function entries stay unchanged: the engine itself checks at each of them whether the app must
 *   end, which costs a tight loop less than two more instructions (docs/adr/0009-how-apps-are-bounded.md).
 * - Dead code (after `br`, `br_table`, `return` or `unreachable`, up to the `else` or `end` of the block) is omitted.
 *   The engine's compiler does not track types there and fails in several ways, so it must not see such code.
 * - `br` to a loop with parameters becomes `i32.const 1; br_if; unreachable`: for `br` the engine fails to pass the
 *   values.
 */
import { isBelow, load8, load32, store8 } from "../memory.js";
import { ANY, I32, memoryPages, requireValueType, resultCount } from "./declarations.js";
import {
  ALIGNMENT,
  FUNCTION_REST,
  invalid,
  MEMORY_NAMED,
  MULTIPLE_MEMORIES,
  NO_LOCAL,
  NO_MEMORY,
  reject,
  TARGETS_DIFFER,
  TOO_MANY_LOCALS,
  TOO_MANY_OPERANDS,
  TOO_MANY_TARGETS,
} from "./failures.js";
import {
  addLocals,
  beginFunction,
  checkValues,
  deadDepth,
  depth,
  endCallsIfEmpty,
  FRAME_FUNCTION,
  FRAME_LOOP,
  floor,
  frameOf,
  height,
  kindAt,
  labelCount,
  labelStart,
  localCount,
  openFrame,
  pop,
  setDeadDepth,
  setHeight,
  setUnreachable,
} from "./function-state.js";
import {
  accessGlobal,
  branch,
  call,
  callIndirect,
  elseBlock,
  endBlock,
  longConstant,
  openBlock,
  prefixed,
  rejectOpcode,
  returnValues,
  select,
  sizeMemory,
} from "./instructions.js";
import { LOCALS, OPCODES, OPERANDS } from "./layout.js";
import { BRANCH_TABLE_LIMIT, LOCAL_LIMIT, OPERAND_LIMIT } from "./limits.js";
import {
  ALIGNMENT_BITS,
  ALIGNMENT_SHIFT,
  FIRST_SHIFT,
  KIND_ACCESS,
  KIND_BITS,
  KIND_I32_CONST,
  KIND_LOCAL_GET,
  KIND_LOCAL_SET,
  KIND_LOCAL_TEE,
  KIND_OTHER,
  RESULT_SHIFT,
  SECOND_SHIFT,
  TYPE_BITS,
} from "./opcodes.js";
import { budgetFunction, budgetPassed, endCalls } from "./slot-budget.js";
import {
  atomLimit,
  containerEnd,
  isContainerSeen,
  isReady,
  limit,
  offset,
  offsetOf,
  position,
  readByte,
  readSigned,
  readUnsigned,
  rejectCut,
  setPosition,
} from "./window.js";

/** Bytes that the rewrite of a `br` to a loop with parameters adds: `i32.const 1` before it and `unreachable` after it. */
const LOOP_BRANCH_GROWTH_BYTES: i32 = 3;

const PHASE_GROUP_COUNT: i32 = 0;
const PHASE_GROUPS: i32 = 1;
const PHASE_CODE: i32 = 2;
const PHASE_TARGETS: i32 = 3;
const PHASE_DONE: i32 = 4;

/** Bytes that preparing adds to the body; negative if it omits more than it adds. */
export let growth: i32 = 0;
let phase: i32 = PHASE_DONE;
/** Groups of locals, or targets of a `br_table`, not yet read. */
let left: i32 = 0;
/** Number of values that each target of a `br_table` takes, -1 before the first target. */
let targetValues: i32 = -1;
let functionTypeIndex: i32 = 0;
/** Offset at which dead code began. */
let deadFrom: i32 = 0;

/** @param type index of the function's type in the type table */
export function beginBody(type: i32): void {
  phase = PHASE_GROUP_COUNT;
  functionTypeIndex = type;
  growth = 0;
  beginFunction(type);
}

/** Validates the available part of the body. @returns whether the body is complete */
export function readBody(): boolean {
  while (phase !== PHASE_DONE && isReady()) {
    if (phase === PHASE_CODE) readCode();
    else if (phase === PHASE_TARGETS) readTarget();
    else if (phase === PHASE_GROUPS) readGroup();
    else readGroupCount();
  }
  return phase === PHASE_DONE;
}

function readGroupCount(): void {
  left = readUnsigned();
  phase = PHASE_GROUPS;
  if (left === 0) beginCode();
}

function readGroup(): void {
  const at = offset();
  const count = readUnsigned();
  const type = readByte();
  requireValueType(type, offset() - 1);
  if (isBelow(LOCAL_LIMIT - localCount, count)) invalid(TOO_MANY_LOCALS, at, 0);
  addLocals(count, type);
  left--;
  if (left === 0) beginCode();
}

function beginCode(): void {
  const at = offset();
  budgetFunction(localCount, resultCount(functionTypeIndex), at);
  openFrame(FRAME_FUNCTION, functionTypeIndex, at);
  phase = PHASE_CODE;
}

/** Reads the rest of an unsigned number whose first byte, at `at`, was not its last one. @returns the number */
function readLong(at: i32): i32 {
  setPosition(at);
  return readUnsigned();
}

/** @param at the position after the instruction's immediates: past the end of its function, its types mean nothing */
function popFrom(top: i32, type: i32, start: i32, at: i32): i32 {
  if (at > limit) rejectCut();
  setHeight(top);
  pop(type, offsetOf(start));
  return height;
}

function readCode(): void {
  const stop = atomLimit();
  let at = position;
  let top = height;
  let lowest = floor;
  while (at < stop) {
    if (top > OPERAND_LIMIT) invalid(TOO_MANY_OPERANDS, offsetOf(at), 0);
    const start = at;
    const opcode = load8(at++);
    const instruction = load32(OPCODES + (opcode << 2));
    const kind = instruction & KIND_BITS;
    if (kind === KIND_OTHER) {
      setHeight(top);
      setPosition(at);
      readOther(opcode, offsetOf(start));
      at = position;
      top = height;
      lowest = floor;
      if (phase !== PHASE_CODE) break;
    } else if (kind === KIND_I32_CONST) {
      if (load8(at++) >= 0x80) {
        setPosition(at - 1);
        readSigned();
        at = position;
      }
      store8(OPERANDS + top++, I32);
    } else if (kind === KIND_LOCAL_GET || kind === KIND_LOCAL_SET || kind === KIND_LOCAL_TEE) {
      let index = load8(at++);
      if (index >= 0x80) {
        index = readLong(at - 1);
        at = position;
      }
      if (!isBelow(index, localCount)) rejectLocal(at, start, index);
      const type = load8(LOCALS + index);
      if (kind !== KIND_LOCAL_GET) {
        if (top > lowest && load8(OPERANDS + top - 1) === type) top--;
        else top = popFrom(top, type, start, at);
      }
      if (kind !== KIND_LOCAL_SET) store8(OPERANDS + top++, type);
      else if (top === 0) endCalls();
    } else {
      if (kind === KIND_ACCESS) at = readAccess(at, start, instruction);
      const second = (instruction >> SECOND_SHIFT) & TYPE_BITS;
      if (second !== 0) {
        if (top > lowest && load8(OPERANDS + top - 1) === second) top--;
        else top = popFrom(top, second, start, at);
      }
      const first = (instruction >> FIRST_SHIFT) & TYPE_BITS;
      const result = instruction >> RESULT_SHIFT;
      if (top > lowest && load8(OPERANDS + top - 1) === first) {
        if (result === first) continue; // already in place
        top--;
      } else top = popFrom(top, first, start, at);
      if (result !== 0) store8(OPERANDS + top++, result);
      else if (top === 0) endCalls();
    }
  }
  setPosition(at);
  setHeight(top);
  if (at > limit || (phase === PHASE_CODE && at === limit && isContainerSeen())) rejectCut();
}

/** Reads alignment and offset of a load or store. @returns the position after them */
function readAccess(from: i32, start: i32, instruction: i32): i32 {
  let at = from;
  let alignment = load8(at++);
  if (alignment >= 0x80) {
    alignment = readLong(at - 1);
    at = position;
  }
  const greatest = (instruction >> ALIGNMENT_SHIFT) & ALIGNMENT_BITS;
  if (isBelow(greatest, alignment)) rejectAlignment(at, start, alignment);
  if (load8(at++) >= 0x80) {
    readLong(at - 1);
    at = position;
  }
  if (memoryPages < 0) {
    if (at > limit) rejectCut();
    invalid(NO_MEMORY, offsetOf(start), 0);
  }
  return at;
}

/** What an instruction past the end of its function says means nothing. */
function rejectLocal(at: i32, start: i32, index: i32): void {
  if (at > limit) rejectCut();
  invalid(NO_LOCAL, offsetOf(start), index);
}

function rejectAlignment(at: i32, start: i32, alignment: i32): void {
  if (at > limit) rejectCut();
  if (alignment >= 0x40 && alignment < 0x80) reject(MEMORY_NAMED, offsetOf(start + 1), 0, MULTIPLE_MEMORIES);
  invalid(ALIGNMENT, offsetOf(start + 1), 0);
}

function readOther(opcode: i32, at: i32): void {
  switch (opcode) {
    case 0x0b:
      endCode(at);
      break;
    case 0x0d:
      branch(opcode, at);
      break;
    case 0x10:
      call(at);
      break;
    case 0x02:
    case 0x03:
    case 0x04:
      openBlock(opcode, at);
      break;
    case 0x0c:
      branchAway(at);
      break;
    case 0x23:
    case 0x24:
      accessGlobal(opcode, at);
      break;
    case 0x05:
      if (deadDepth === depth) endDead(at);
      elseBlock(at);
      break;
    case 0x1a:
      pop(ANY, at);
      endCallsIfEmpty();
      break;
    case 0x1b:
      select(at);
      break;
    case 0x0e:
      beginTargets(at);
      break;
    case 0x0f:
      returnValues(at);
      beginDead();
      break;
    case 0x00:
      setUnreachable();
      beginDead();
      break;
    case 0x11:
      callIndirect(at);
      break;
    case 0x3f:
    case 0x40:
      sizeMemory(opcode, at);
      break;
    case 0x42:
    case 0x43:
    case 0x44:
      longConstant(opcode);
      break;
    case 0xfc:
      prefixed(at);
      break;
    case 0x01:
      break;
    default:
      rejectOpcode(opcode, at);
  }
}

function endCode(at: i32): void {
  if (deadDepth === depth) endDead(at);
  endBlock(at);
  if (depth > 0) return;
  if (offset() !== containerEnd) invalid(FUNCTION_REST, offset(), 0);
  phase = PHASE_DONE;
}

function branchAway(at: i32): void {
  const frame = branch(0x0c, at);
  const growsLoop = kindAt(frame) === FRAME_LOOP && labelCount(frame) > 0;
  if (growsLoop && deadDepth === 0) growth += LOOP_BRANCH_GROWTH_BYTES;
  beginDead();
}

function beginTargets(at: i32): void {
  const count = readUnsigned();
  if (isBelow(BRANCH_TABLE_LIMIT, count)) invalid(TOO_MANY_TARGETS, at, 0);
  pop(I32, at);
  left = count + 1;
  targetValues = -1;
  phase = PHASE_TARGETS;
}

function readTarget(): void {
  const at = offset();
  const frame = frameOf(readUnsigned(), at);
  const count = labelCount(frame);
  if (targetValues < 0) targetValues = count;
  else if (count !== targetValues) invalid(TARGETS_DIFFER, at, 0);
  if (count > 0) checkValues(labelStart(frame), count, at);
  if (count > 1 && deadDepth === 0) budgetPassed(count, at);
  left--;
  if (left > 0) return;
  setUnreachable();
  beginDead();
  phase = PHASE_CODE;
}

/** The rest of this block is dead code, which preparing omits. */
function beginDead(): void {
  endCallsIfEmpty();
  if (deadDepth > 0) return;
  setDeadDepth(depth);
  deadFrom = offset();
}

/** Dead code ends, at `else` or `end` of its block. */
function endDead(at: i32): void {
  growth -= at - deadFrom;
  setDeadDepth(0);
}
