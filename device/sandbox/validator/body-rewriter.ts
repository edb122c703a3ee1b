/**
 * Rewrites a function body as `body.ts` describes. The body is known to be valid, so only the end of each instruction is
 * determined. Runs of unchanged instructions are copied at once.
 */
import { fill, load8, load32, store8 } from "../memory.js";
import { parameterCount } from "./declarations.js";
import { readBlockType } from "./instructions.js";
import { FRAME_KINDS, IMMEDIATES, OPCODES } from "./layout.js";
import { KIND_ACCESS, KIND_BITS, MEMORY_COPY, MEMORY_FILL } from "./opcodes.js";
import { writeByte, writeBytes } from "./output.js";
import {
  atomLimit,
  isReady,
  position,
  readByte,
  readUnsigned,
  rejectCut,
  setPosition,
  skip,
} from "./window.js";

/** Immediates of an instruction: none, one number, two numbers, or those that `readOther` parses. */
const PLAIN: i32 = 0;
const ONE_NUMBER: i32 = 1;
const TWO_NUMBERS: i32 = 2;
const OTHER: i32 = 3;

let depth: i32 = 0;
/** Depth of blocks in dead code, counting the block that contains it; 0 in live code. */
let dead: i32 = 0;
/** Whether the number of groups of locals has been read, and groups not yet read. */
let hasGroups: boolean = false;
let groups: i32 = 0;
/** Targets of a `br_table` not yet read. */
let targets: i32 = 0;
/** Position of the first byte that was read but not yet written. */
let unwritten: i32 = 0;

export function fillImmediates(): void {
  for (let opcode: i32 = 0; opcode < 256; opcode++)
    store8(
      IMMEDIATES + opcode,
      (load32(OPCODES + 4 * opcode) & KIND_BITS) === KIND_ACCESS ? TWO_NUMBERS : PLAIN,
    );
  fill(IMMEDIATES + 0x20, ONE_NUMBER, 5); // locals and globals
  fill(IMMEDIATES + 0x3f, ONE_NUMBER, 4); // memory.size, memory.grow, i32.const, i64.const
  store8(IMMEDIATES + 0x0d, ONE_NUMBER);
  store8(IMMEDIATES + 0x10, ONE_NUMBER);
  store8(IMMEDIATES + 0x11, TWO_NUMBERS);
  store8(IMMEDIATES + 0x00, OTHER);
  fill(IMMEDIATES + 0x02, OTHER, 4); // block, loop, if, else
  fill(IMMEDIATES + 0x0b, OTHER, 2); // end, br
  fill(IMMEDIATES + 0x0e, OTHER, 2); // br_table, return
  fill(IMMEDIATES + 0x43, OTHER, 2); // f32.const, f64.const
  store8(IMMEDIATES + 0xfc, OTHER);
}

export function beginBodyRewrite(): void {
  hasGroups = false;
  groups = 0;
  targets = 0;
  depth = 1;
  dead = 0;
  store8(FRAME_KINDS, 0);
}

/** Rewrites the available part of the body. @returns whether the body is complete */
export function rewriteBody(): boolean {
  unwritten = position;
  while (depth > 0 && isReady()) {
    if (!hasGroups) {
      groups = readUnsigned();
      hasGroups = true;
    } else if (groups !== 0) {
      readUnsigned();
      readByte();
      groups--;
    } else if (targets > 0) readTarget();
    else readCode();
  }
  if (dead === 0) writeUpTo(position);
  return depth === 0;
}

function readTarget(): void {
  readUnsigned();
  targets--;
  if (targets === 0) beginDead();
}

function readCode(): void {
  const stop = atomLimit();
  let at = position;
  if (at >= stop) rejectCut(); // a body of another module, which does not end
  while (at < stop) {
    const opcode = load8(at++);
    const immediates = load8(IMMEDIATES + opcode);
    if (immediates === PLAIN) continue;
    if (immediates === OTHER) {
      setPosition(at);
      readOther(opcode, at - 1);
      at = position;
      if (depth === 0 || targets > 0) break;
      continue;
    }
    while (load8(at++) >= 0x80);
    if (immediates === TWO_NUMBERS) while (load8(at++) >= 0x80);
  }
  setPosition(at);
}

function readOther(opcode: i32, start: i32): void {
  if (opcode >= 0x02 && opcode <= 0x04) openBlock(opcode);
  else if (opcode === 0x0b) endBlock(start);
  else if (opcode === 0x05) {
    if (dead === 1) endDead(start);
  } else if (opcode === 0x0c) branch(start);
  else if (opcode === 0x0e) targets = readUnsigned() + 1;
  else if (opcode === 0x00 || opcode === 0x0f) beginDead();
  else if (opcode === 0x43) skip(4);
  else if (opcode === 0x44) skip(8);
  else skipPrefixed();
}

function openBlock(opcode: i32): void {
  const type = readBlockType();
  if (dead > 0) {
    dead++;
    return;
  }
  // Of each open block: whether it is a loop with parameters.
  store8(FRAME_KINDS + depth, opcode === 0x03 && parameterCount(type) > 0 ? 1 : 0);
  depth++;
}

function endBlock(start: i32): void {
  if (dead > 1) {
    dead--;
    return;
  }
  if (dead === 1) endDead(start);
  depth--;
}

function branch(start: i32): void {
  const label = readUnsigned();
  if (dead === 0 && load8(FRAME_KINDS + depth - 1 - label) === 1) {
    writeUpTo(start);
    writeByte(0x41);
    writeByte(1);
    writeByte(0x0d);
    writeBytes(start + 1, position);
    writeByte(0x00);
    unwritten = position;
  }
  beginDead();
}

/** Dead code begins: writes what precedes it. */
function beginDead(): void {
  if (dead > 0) return;
  writeUpTo(position);
  dead = 1;
}

/** Dead code ends: copying resumes at `start`. */
function endDead(start: i32): void {
  dead = 0;
  unwritten = start;
}

function writeUpTo(end: i32): void {
  writeBytes(unwritten, end);
  unwritten = end;
}

/** Skips the rest of an instruction with prefix 0xfc: `memory.copy` has two memory bytes, `memory.fill` one. */
function skipPrefixed(): void {
  const opcode = readByte();
  if (opcode === MEMORY_COPY) skip(2);
  else if (opcode === MEMORY_FILL) skip(1);
}
