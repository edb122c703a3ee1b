/** Writes a DNS message, with names compressed against all names before them (RFC 1035 §4.1.4). */
import { copy, fill, load8, load16, store16 } from "../memory.js";
import { loadBig16, storeBig16 } from "./big-endian.js";
import { SUFFIX_LIMIT, SUFFIXES } from "./layout.js";
import { nameMatches, POINTER_MARK } from "./name.js";
import {
  MESSAGE,
  MESSAGE_LIMIT_BYTES,
  OPERAND,
  OPERAND_LIMIT_BYTES,
  QUESTION,
  RECORD_FLUSH,
  RECORD_PLAIN,
} from "./operations.js";
import { nameOffsetInData, TYPE_SRV } from "./record-data.js";

const HEADER_BYTES: i32 = 12;
const CLASS_IN: i32 = 1;
const CLASS_TOP_BIT: i32 = 0x8000;

/** End of the message: offset within it. */
let length: i32 = HEADER_BYTES;
let isFull: boolean = false;
let suffixCount: i32 = 0;

/** Starts a new message. */
export function startMessage(id: i32, flags: i32): void {
  fill(MESSAGE, 0, HEADER_BYTES);
  storeBig16(MESSAGE, id);
  storeBig16(MESSAGE + 2, flags);
  length = HEADER_BYTES;
  isFull = false;
  suffixCount = 0;
}

/** Sets further flags in the current message. */
export function addFlags(flags: i32): void {
  storeBig16(MESSAGE + 2, loadBig16(MESSAGE + 2) | flags);
}

export function messageLength(): i32 {
  return length;
}

/** Writes a question for the name in the operand. @returns 1, or 0 if it does not fit */
export function writeQuestion(type: i32, wantsUnicast: boolean): i32 {
  const start: i32 = length;
  isFull = false;
  writeName(OPERAND, true);
  write16(type);
  write16(wantsUnicast ? CLASS_IN | CLASS_TOP_BIT : CLASS_IN);
  return finishEntry(start, QUESTION);
}

/**
 * Writes a record from the `byteLength` bytes of the operand: its name, then its data.
 * @param form section, options and type in the bits of `WRITE_RECORD`
 * @returns 1, or 0 if it does not fit
 */
export function writeRecord(form: i32, ttlSeconds: i32, byteLength: i32): i32 {
  if (byteLength > OPERAND_LIMIT_BYTES) return 0;
  const type: i32 = (form >> 8) & 0xffff;
  const start: i32 = length;
  isFull = false;
  const dataAt: i32 = writeName(OPERAND, true);
  write16(type);
  write16((form & RECORD_FLUSH) !== 0 ? CLASS_IN | CLASS_TOP_BIT : CLASS_IN);
  write16(ttlSeconds >> 16);
  write16(ttlSeconds);
  const lengthAt: i32 = length;
  write16(0);
  writeData(type, dataAt, OPERAND + byteLength, type !== TYPE_SRV || (form & RECORD_PLAIN) === 0);
  if (!isFull) storeBig16(MESSAGE + lengthAt, length - lengthAt - 2);
  return finishEntry(start, (form >> 4) & 3);
}

function writeData(type: i32, from: i32, end: i32, compress: boolean): void {
  const nameAt: i32 = nameOffsetInData(type);
  if (nameAt < 0 || from + nameAt >= end) {
    write(from, end - from);
    return;
  }
  write(from, nameAt);
  const nameEnd: i32 = writeName(from + nameAt, compress);
  write(nameEnd, end - nameEnd);
}

/** Writes the name at address `from`. @returns the address behind it */
function writeName(from: i32, compress: boolean): i32 {
  const start: i32 = length;
  let pointer: i32 = -1;
  let at: i32 = from;
  while (load8(at) !== 0) {
    if (compress && pointer < 0) pointer = findSuffix(at);
    const labelBytes: i32 = 1 + load8(at);
    if (pointer < 0) write(at, labelBytes);
    at += labelBytes;
  }
  const labelsEnd: i32 = length;
  if (pointer < 0) write(at, 1);
  else write16((POINTER_MARK << 8) | pointer);
  rememberSuffixes(start, labelsEnd);
  return at + 1;
}

/** Offset in the message of the name at an address, -1 if the message does not contain it. */
function findSuffix(name: i32): i32 {
  for (let index: i32 = 0; index < suffixCount; index++) {
    const offset: i32 = load16(SUFFIXES + 2 * index);
    if (nameMatches(MESSAGE, offset, name)) return offset;
  }
  return -1;
}

/** Records the suffixes of a complete name. Earlier, a comparison would run into bytes of the previous message. */
function rememberSuffixes(start: i32, labelsEnd: i32): void {
  if (isFull) return;
  for (let at: i32 = start; at < labelsEnd && suffixCount < SUFFIX_LIMIT; at += 1 + load8(MESSAGE + at)) {
    store16(SUFFIXES + 2 * suffixCount, at);
    suffixCount++;
  }
}

function write(from: i32, byteLength: i32): void {
  if (!hasRoom(byteLength)) return;
  copy(MESSAGE + length, from, byteLength);
  length += byteLength;
}

function write16(value: i32): void {
  if (!hasRoom(2)) return;
  storeBig16(MESSAGE + length, value);
  length += 2;
}

function hasRoom(byteLength: i32): boolean {
  if (length + byteLength > MESSAGE_LIMIT_BYTES) isFull = true;
  return !isFull;
}

/** Counts the entry that begins at `start`, or removes it if it did not fit. */
function finishEntry(start: i32, section: i32): i32 {
  if (isFull) {
    length = start;
    while (suffixCount > 0 && load16(SUFFIXES + 2 * (suffixCount - 1)) >= start) suffixCount--;
    return 0;
  }
  const count: i32 = MESSAGE + 4 + 2 * section;
  storeBig16(count, loadBig16(count) + 1);
  return 1;
}
