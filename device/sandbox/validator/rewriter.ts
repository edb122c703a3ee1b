/**
 * The second pass over a valid module: writes the prepared module, which the engine runs
 * (docs/spec/app-packages.md#validated), as `module.ts` has laid it out. What is not changed is copied, except that
 * lengths lose their padding.
 */
import { load8 } from "../memory.js";
import { beginBodyRewrite, rewriteBody } from "./body-rewriter.js";
import { growthOf, preparedCodeBytes } from "./code-section.js";
import { readConstant } from "./constants.js";
import { namesUntil } from "./custom-section.js";
import { functionCount, I32, importedFunctions, lebLength, memoryPages } from "./declarations.js";
import {
  globalContentBytes,
  memoryContentBytes,
  placesInterrupt,
  placesInterruptLast,
  preparedMaximumPages,
  resetInterrupt,
} from "./module.js";
import { writeByte, writeBytes, writeInterrupt, writeUnsigned } from "./output.js";
import {
  emptyBytes,
  emptySegments,
  SECTION_CODE,
  SECTION_CUSTOM,
  SECTION_ELEMENT,
  SECTION_GLOBAL,
  SECTION_MEMORY,
} from "./sections.js";
import {
  end,
  endAfter,
  enter,
  isReady,
  limit,
  NO_END,
  offset,
  position,
  readByte,
  readUnsigned,
  setPosition,
} from "./window.js";

const PREAMBLE_BYTES: i32 = 8;

const PHASE_PREAMBLE: i32 = 0;
const PHASE_SECTION: i32 = 1;
const PHASE_COPY: i32 = 2;
const PHASE_GLOBALS: i32 = 3;
const PHASE_DROP: i32 = 4;
const PHASE_ELEMENTS: i32 = 5;
const PHASE_BODIES: i32 = 6;
const PHASE_BODY: i32 = 7;

let phase: i32 = PHASE_PREAMBLE;
let sectionEnd: i32 = 0;
/** Bodies begun so far. */
let bodies: i32 = 0;
/** Element segments not yet complete, and the functions of the current one not yet copied, -1 before a segment. */
let segmentsLeft: i32 = 0;
let functionsLeft: i32 = -1;

export function beginRewrite(): void {
  phase = PHASE_PREAMBLE;
  bodies = 0;
  resetInterrupt();
}

/** Rewrites the available part of the module. */
export function rewrite(): void {
  while (rewriteStep());
}

/** No bytes follow. */
export function endRewrite(): void {
  if (placesInterruptLast()) writeInterruptSection();
}

/** @returns whether to go on: not if it needs more bytes */
function rewriteStep(): boolean {
  switch (phase) {
    case PHASE_PREAMBLE:
      if (!isReady()) return false;
      copyInput(PREAMBLE_BYTES);
      phase = PHASE_SECTION;
      return true;
    case PHASE_SECTION:
      if (!isReady() || position === end) return false;
      beginSection();
      return true;
    case PHASE_BODIES:
      if (bodies === functionCount - importedFunctions) endSection();
      else if (!isReady()) return false;
      else beginBody();
      return true;
    case PHASE_BODY:
      if (!rewriteBody()) return false;
      enter(sectionEnd);
      phase = PHASE_BODIES;
      return true;
    case PHASE_ELEMENTS:
      if (!rewriteElements()) return false;
      endSection();
      return true;
    default:
      return passContents();
  }
}

/** Copies or drops the available rest of the section. @returns whether the section is complete */
function passContents(): boolean {
  if (phase === PHASE_DROP) setPosition(limit);
  else copyInput(limit - position);
  if (offset() < sectionEnd) return false;
  if (phase === PHASE_GLOBALS) writeInterrupt();
  endSection();
  return true;
}

function beginSection(): void {
  const id = readByte();
  const byteLength = readUnsigned();
  sectionEnd = endAfter(byteLength);
  enter(sectionEnd);
  if (placesInterrupt(id)) writeInterruptSection();
  phase = PHASE_COPY;
  if (id === SECTION_CUSTOM && offset() >= namesUntil && isNameSection()) phase = PHASE_DROP;
  else if (id === SECTION_MEMORY) writeMemory();
  else if (id === SECTION_GLOBAL) beginGlobals(byteLength);
  else if (id === SECTION_ELEMENT && emptySegments > 0) beginElements(byteLength);
  else if (id === SECTION_CODE) beginCode();
  else writeHeader(id, byteLength);
}

function endSection(): void {
  enter(NO_END);
  phase = PHASE_SECTION;
}

function writeHeader(id: i32, contentBytes: i32): void {
  writeByte(id);
  writeUnsigned(contentBytes);
}

function writeInterruptSection(): void {
  writeHeader(SECTION_GLOBAL, 6);
  writeByte(1);
  writeInterrupt();
}

/** As `isNameOfNames` in `names.ts`, without consuming bytes: "name", alone or before a NUL. */
function isNameSection(): boolean {
  const from = position;
  const length = readUnsigned();
  const at = position;
  setPosition(from);
  if (length < 4 || load8(at) !== 0x6e || load8(at + 1) !== 0x61) return false;
  if (load8(at + 2) !== 0x6d || load8(at + 3) !== 0x65) return false;
  return length === 4 || load8(at + 4) === 0;
}

function writeMemory(): void {
  phase = PHASE_DROP;
  if (memoryPages < 0) return;
  writeHeader(SECTION_MEMORY, memoryContentBytes());
  writeByte(1);
  writeByte(1);
  writeUnsigned(memoryPages);
  writeUnsigned(preparedMaximumPages());
}

function beginGlobals(byteLength: i32): void {
  const at = offset();
  const count = readUnsigned();
  writeHeader(SECTION_GLOBAL, globalContentBytes(count, byteLength - (offset() - at)));
  writeUnsigned(count + 1);
  phase = PHASE_GLOBALS;
}

function beginElements(byteLength: i32): void {
  const at = offset();
  segmentsLeft = readUnsigned();
  functionsLeft = -1;
  const kept = segmentsLeft - emptySegments;
  const rest = byteLength - (offset() - at) - emptyBytes;
  writeHeader(SECTION_ELEMENT, lebLength(kept) + rest);
  writeUnsigned(kept);
  phase = PHASE_ELEMENTS;
}

/** Copies the available element segments, and omits those without functions. @returns whether all are complete */
function rewriteElements(): boolean {
  while (segmentsLeft > 0) {
    if (!isReady()) return false;
    const from = position;
    if (functionsLeft < 0) beginSegment();
    else {
      readUnsigned();
      functionsLeft--;
      writeBytes(from, position);
    }
    if (functionsLeft > 0) continue;
    functionsLeft = -1;
    segmentsLeft--;
  }
  return true;
}

function beginSegment(): void {
  const from = position;
  readUnsigned();
  readConstant(I32);
  functionsLeft = readUnsigned();
  if (functionsLeft > 0) writeBytes(from, position);
}

function beginCode(): void {
  writeHeader(SECTION_CODE, preparedCodeBytes);
  writeUnsigned(readUnsigned());
  phase = PHASE_BODIES;
}

function beginBody(): void {
  const byteLength = readUnsigned();
  writeUnsigned(byteLength + growthOf(bodies));
  bodies++;
  enter(endAfter(byteLength));
  beginBodyRewrite();
  phase = PHASE_BODY;
}

function copyInput(byteLength: i32): void {
  writeBytes(position, position + byteLength);
  setPosition(position + byteLength);
}
