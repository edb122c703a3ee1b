/**
 * Reads custom sections: checks that the name is UTF-8, and ignores the contents except for function names. The
 * engine's parser reads and trusts these (an excessive length makes it leave the module, or even jump back into an
 * endless loop), but by the standard a malformed name section does not make a module invalid. So the name section is parsed
 * as the engine does, and the prepared module omits it, and those after it, if the engine would fail on it.
 */
import { isBelow, load8 } from "../memory.js";
import { NAME_LIMIT_BYTES } from "./limits.js";
import {
  beginName,
  beginNameOf,
  continueName,
  isNameOfNames,
  NAME_BROKEN,
  NAME_COMPLETE,
  nameByte,
  nameLength,
  readName,
} from "./names.js";
import {
  containerEnd,
  endAfter,
  isReady,
  limit,
  NO_END,
  offset,
  position,
  positionOf,
  setPosition,
} from "./window.js";

const FUNCTION_NAMES: i32 = 1;

const PHASE_NAME: i32 = 0;
const PHASE_SKIP: i32 = 1;
const PHASE_SUBSECTION: i32 = 2;
const PHASE_PASS: i32 = 3;
const PHASE_COUNT: i32 = 4;
const PHASE_INDEX: i32 = 5;
const PHASE_FUNCTION: i32 = 6;

/** Kinds of custom sections. */
const CUSTOM_OTHER: i32 = 0;
const CUSTOM_NAMES: i32 = 1;
/** Named `svc_manifest` and `svc_py_script`. */
export const CUSTOM_MANIFEST: i32 = 2;
export const CUSTOM_SCRIPT: i32 = 3;

/** Kind of the section that was read last. */
export let customKind: i32 = CUSTOM_OTHER;
/** Offset in the module at which the contents begin, after the name. */
export let contentStart: i32 = 0;
/** Name sections from this byte on are omitted. */
export let namesUntil: i32 = NO_END;
let phase: i32 = PHASE_NAME;
let sectionStart: i32 = 0;
let subsectionEnd: i32 = 0;
/** Names not yet read, unsigned. */
let namesLeft: i32 = 0;
/** Whether a number of the name section was too long or cut. */
let isBroken: boolean = false;
/** Whether the length of the function's name has been read. */
let isBegun: boolean = false;

export function resetCustom(): void {
  namesUntil = NO_END;
}

export function beginCustom(): void {
  phase = PHASE_NAME;
  sectionStart = offset();
  beginName();
}

/** Whether the prepared module omits the section that was read last. */
export function isLeftOut(): boolean {
  return customKind === CUSTOM_NAMES && sectionStart >= namesUntil;
}

export function readCustom(): boolean {
  if (phase === PHASE_NAME) {
    if (!readName()) return false;
    contentStart = offset();
    customKind = kindOfName();
    phase = customKind === CUSTOM_NAMES && !isLeftOut() ? PHASE_SUBSECTION : PHASE_SKIP;
  }
  if (phase !== PHASE_SKIP) readNames();
  if (phase === PHASE_SKIP) setPosition(limit);
  return offset() === containerEnd;
}

/** `svc_manifest` and `svc_py_script` differ from the fifth letter on. */
function kindOfName(): i32 {
  if (isNameOfNames()) return CUSTOM_NAMES;
  if (nameLength < 5 || nameByte(0) !== 0x73 || nameByte(1) !== 0x76) return CUSTOM_OTHER;
  if (nameByte(2) !== 0x63 || nameByte(3) !== 0x5f) return CUSTOM_OTHER;
  if (isManifest()) return CUSTOM_MANIFEST;
  return isScript() ? CUSTOM_SCRIPT : CUSTOM_OTHER;
}

function isManifest(): boolean {
  return nameLength === 12 && isWord(4, 0x69_6e_61_6d) && isWord(8, 0x74_73_65_66); // "mani", "fest"
}

function isScript(): boolean {
  if (nameLength !== 13 || nameByte(12) !== 0x74) return false;
  return isWord(4, 0x73_5f_79_70) && isWord(8, 0x70_69_72_63); // "py_s", "crip"
}

/** Whether four bytes of the name from `index` are those of `word`, the first one lowest. */
function isWord(index: i32, word: i32): boolean {
  for (let byte: i32 = 0; byte < 4; byte++)
    if (nameByte(index + byte) !== ((word >> (8 * byte)) & 0xff)) return false;
  return true;
}

function readNames(): void {
  while (phase !== PHASE_SKIP && offset() < containerEnd && readNamesStep());
  if (phase !== PHASE_SUBSECTION && offset() === containerEnd) leaveOut();
}

/** The engine would fail on this section. */
function leaveOut(): void {
  if (sectionStart < namesUntil) namesUntil = sectionStart;
  phase = PHASE_SKIP;
}

/** Reads the next part of the name section. @returns whether to go on: not if it needs more bytes */
function readNamesStep(): boolean {
  if (phase === PHASE_FUNCTION) return readFunctionName();
  if (phase === PHASE_PASS) return pass();
  if (!isReady()) return false;
  if (phase === PHASE_SUBSECTION) beginSubsection();
  else if (phase === PHASE_COUNT) beginFunctionNames();
  else beginFunctionName();
  return true;
}

/** As `readUnsigned`, but a number that is wrong is {@link isBroken}. */
function tryUnsigned(): i32 {
  let value: i32 = 0;
  isBroken = true;
  for (let bits: i32 = 0; bits <= 28; bits += 7) {
    if (position >= limit) return 0;
    const byte = load8(position);
    setPosition(position + 1);
    if (bits === 28 && byte > 0x0f) return 0;
    value |= (byte & 0x7f) << bits;
    if (byte >= 0x80) continue;
    isBroken = false;
    return value;
  }
  return 0;
}

function beginSubsection(): void {
  const kind = load8(position);
  setPosition(position + 1);
  const byteLength = tryUnsigned();
  if (isBroken || kind >= 0x80 || isBelow(containerEnd - offset(), byteLength)) {
    leaveOut();
    return;
  }
  subsectionEnd = endAfter(byteLength);
  if (kind === FUNCTION_NAMES) phase = PHASE_COUNT;
  else if (byteLength !== 0) phase = PHASE_PASS;
}

function pass(): boolean {
  const end = positionOf(subsectionEnd);
  setPosition(end < limit ? end : limit);
  if (offset() < subsectionEnd) return false;
  phase = PHASE_SUBSECTION;
  return true;
}

function beginFunctionNames(): void {
  namesLeft = tryUnsigned();
  if (isBroken) {
    leaveOut();
    return;
  }
  phase = PHASE_INDEX;
  if (namesLeft === 0) endSubsection();
}

function beginFunctionName(): void {
  tryUnsigned();
  if (isBroken) leaveOut();
  else {
    isBegun = false;
    phase = PHASE_FUNCTION;
  }
}

function readFunctionName(): boolean {
  if (!isBegun) {
    if (!isReady()) return false;
    const byteLength = tryUnsigned();
    if (isBroken || isBelow(NAME_LIMIT_BYTES, byteLength)) {
      leaveOut();
      return false;
    }
    beginNameOf(byteLength);
    isBegun = true;
  }
  const result = continueName();
  if (result === NAME_BROKEN) leaveOut();
  if (result !== NAME_COMPLETE) return false;
  namesLeft--;
  phase = PHASE_INDEX;
  if (namesLeft === 0) endSubsection();
  return true;
}

function endSubsection(): void {
  if (offset() === subsectionEnd) phase = PHASE_SUBSECTION;
  else leaveOut();
}
