/**
 * Reads DNS messages in place (RFC 1035 §4). {@link readMessage} walks a message once, checks every length, count and
 * pointer, and makes a table of its questions and records. A cursor visits them.
 */
import { copy, load8, load16, store8, store16 } from "../memory.js";
import { loadBig16 } from "./big-endian.js";
import { DATA_HEAD, ENTRIES, ENTRY_BYTES, ENTRY_LIMIT } from "./layout.js";
import { copyName, endOf, lengthOf, MALFORMED, measureName, nameMatches, sameText } from "./name.js";
import {
  ADDITIONAL,
  DATAGRAM,
  DATAGRAM_LIMIT_BYTES,
  ENTRY_SECTION_SHIFT,
  ENTRY_TOP_BIT,
  OPERAND,
  OPERAND_LIMIT_BYTES,
  QUESTION,
  VERDICT_CONCERNS_US,
  VERDICT_RESPONSE,
  VERDICT_TRUNCATED,
} from "./operations.js";
import { isOurName } from "./our-names.js";
import { dataIsWellFormed, nameOffsetInData } from "./record-data.js";

/**
 * Questions in a message. A computer that browses for all services at once asks for about thirty types
 * (docs/spec/mdns.md#mdns-limits).
 */
const QUESTION_LIMIT: i32 = 64;

const HEADER_BYTES: i32 = 12;
const FLAG_RESPONSE: i32 = 0x8000;
const FLAG_TRUNCATED: i32 = 0x0200;
/** Operation and response code: nonzero ones are not multicast DNS (RFC 6762 §18.3 and §18.11). */
const FLAGS_FOREIGN: i32 = 0x780f;
/** Top bit of a class: cache flush in a record, unicast answer requested in a question (RFC 6762 §18.12-13). */
const CLASS_TOP_BIT: i32 = 0x8000;

const REJECTED: i32 = -1;
const PAST_THE_LAST: i32 = -1;

// A row of the table: offset of the name, offset behind it, section, and whether the name is ours.
const ROW_NAME_END: i32 = 2;
const ROW_SECTION: i32 = 4;
const ROW_IS_OURS: i32 = 5;

let entryCount: i32 = 0;
/** Address of the row before the next one to visit. */
let row: i32 = ENTRIES - ENTRY_BYTES;
let visitsOnlyOurs: i32 = 0;

/** Bytes at {@link DATA_HEAD} for the record at `row`; -1 before they are made. */
let headBytes: i32 = -1;
/** Address and number of the bytes behind them. */
let restAt: i32 = 0;
let restBytes: i32 = 0;

export function forgetMessage(): void {
  entryCount = 0;
  rewind(0);
}

/**
 * Checks the datagram of `byteLength` bytes.
 * @returns its verdict; negative if it is malformed, exceeds a limit, or is not multicast DNS
 */
export function readMessage(byteLength: i32): i32 {
  forgetMessage();
  if (byteLength < HEADER_BYTES || byteLength > DATAGRAM_LIMIT_BYTES) return REJECTED;
  const flags: i32 = loadBig16(DATAGRAM + 2);
  if ((flags & FLAGS_FOREIGN) !== 0) return REJECTED;
  let promised: i32 = 0;
  for (let section: i32 = QUESTION; section <= ADDITIONAL; section++) promised += countOf(section);
  if (promised > ENTRY_LIMIT || countOf(QUESTION) > QUESTION_LIMIT) return REJECTED;
  const isQuery: boolean = (flags & FLAG_RESPONSE) === 0;
  const verdict: i32 =
    (isQuery ? 0 : VERDICT_RESPONSE) | ((flags & FLAG_TRUNCATED) === 0 ? 0 : VERDICT_TRUNCATED);
  const ours: i32 = readEntries(byteLength);
  if (ours < 0) return REJECTED;
  entryCount = promised;
  return ours > 0 || (isQuery && countOf(QUESTION) === 0) ? verdict | VERDICT_CONCERNS_US : verdict;
}

/** @returns how many entries have one of our names, negative if the message is malformed */
function readEntries(byteLength: i32): i32 {
  let at: i32 = HEADER_BYTES;
  let to: i32 = ENTRIES;
  let ours: i32 = 0;
  for (let section: i32 = QUESTION; section <= ADDITIONAL; section++)
    for (let left: i32 = countOf(section); left > 0; left--) {
      const measured: i32 = measureName(DATAGRAM, byteLength, at);
      if (measured === MALFORMED) return REJECTED;
      const isOurs: i32 = isOurName(DATAGRAM, at, lengthOf(measured)) ? 1 : 0;
      store16(to, at);
      store16(to + ROW_NAME_END, endOf(measured));
      store8(to + ROW_SECTION, section);
      store8(to + ROW_IS_OURS, isOurs);
      at = endOfEntry(section, byteLength, endOf(measured));
      if (at < 0) return REJECTED;
      to += ENTRY_BYTES;
      ours += isOurs;
    }
  return ours;
}

/** @returns end of the entry whose name ends at `nameEnd`, negative if it is malformed */
function endOfEntry(section: i32, byteLength: i32, nameEnd: i32): i32 {
  if (section === QUESTION) return nameEnd + 4 > byteLength ? REJECTED : nameEnd + 4;
  const dataAt: i32 = nameEnd + 10;
  if (dataAt > byteLength) return REJECTED;
  const dataBytes: i32 = loadBig16(DATAGRAM + nameEnd + 8);
  if (dataAt + dataBytes > byteLength) return REJECTED;
  const type: i32 = loadBig16(DATAGRAM + nameEnd);
  return dataIsWellFormed(type, DATAGRAM, byteLength, dataAt, dataBytes) ? dataAt + dataBytes : REJECTED;
}

function countOf(section: i32): i32 {
  return loadBig16(DATAGRAM + 4 + 2 * section);
}

// The cursor.

/** Moves before the first entry. @param onlyOurs 1 to visit only the entries with our names */
export function rewind(onlyOurs: i32): void {
  row = ENTRIES - ENTRY_BYTES;
  visitsOnlyOurs = onlyOurs;
  headBytes = -1;
}

/** Moves to the next entry. @returns its type, section and top bit, or {@link PAST_THE_LAST} */
export function next(): i32 {
  const end: i32 = ENTRIES + entryCount * ENTRY_BYTES;
  headBytes = -1;
  if (row < end) row += ENTRY_BYTES;
  while (row < end && visitsOnlyOurs !== 0 && load8(row + ROW_IS_OURS) === 0) row += ENTRY_BYTES;
  if (row >= end) return PAST_THE_LAST;
  const topBit: i32 = (loadBig16(fixedPart() + 2) & CLASS_TOP_BIT) === 0 ? 0 : ENTRY_TOP_BIT;
  return typeOfEntry() | topBit | (load8(row + ROW_SECTION) << ENTRY_SECTION_SHIFT);
}

export function classOfEntry(): i32 {
  return loadBig16(fixedPart() + 2) & ~CLASS_TOP_BIT;
}

/** RFC 2181 §8: a TTL with its top bit set counts as 0. */
export function ttlOfEntry(): i32 {
  if (load8(row + ROW_SECTION) === QUESTION) return 0;
  const high: i32 = loadBig16(fixedPart() + 4);
  return high >= 0x8000 ? 0 : (high << 16) | loadBig16(fixedPart() + 6);
}

/** Whether the entry's name is the name in the operand. */
export function entryNameMatches(): boolean {
  return nameMatches(DATAGRAM, load16(row), OPERAND);
}

/** Puts the entry's name into the operand. @returns its length */
export function copyEntryName(): i32 {
  return copyName(DATAGRAM, load16(row), OPERAND);
}

function typeOfEntry(): i32 {
  return loadBig16(fixedPart());
}

/** Address of what follows the entry's name. */
function fixedPart(): i32 {
  return DATAGRAM + load16(row + ROW_NAME_END);
}

// The data of a record with its name uncompressed (RFC 6762 §8.2): a head that ends with the name, then bytes of the
// message. Data without a name has no head.

/** Length of the data; 0 for a question. */
export function dataLength(): i32 {
  prepareData();
  return headBytes + restBytes;
}

/** Whether the `length` bytes of data from `offset` on equal the operand. Names compare without case. */
export function dataMatches(offset: i32, length: i32): boolean {
  if (offset < 0 || length > OPERAND_LIMIT_BYTES || offset + length > dataLength()) return false;
  const inHead: i32 = bytesInHead(offset, length);
  const nameAt: i32 = headBytes === 0 ? 0 : nameOffsetInData(typeOfEntry());
  for (let index: i32 = 0; index < inHead; index++) {
    const address: i32 = DATA_HEAD + offset + index;
    if (load8(address) === load8(OPERAND + index)) continue;
    if (offset + index < nameAt || !sameText(address, OPERAND + index, 1)) return false;
  }
  const rest: i32 = restAt + offset + inHead - headBytes;
  for (let index: i32 = 0; index < length - inHead; index++)
    if (load8(rest + index) !== load8(OPERAND + inHead + index)) return false;
  return true;
}

/** Puts the data from `offset` on into the operand, as far as it fits. @returns how many bytes */
export function copyData(offset: i32): i32 {
  const left: i32 = dataLength() - offset;
  if (offset < 0 || left <= 0) return 0;
  const length: i32 = left < OPERAND_LIMIT_BYTES ? left : OPERAND_LIMIT_BYTES;
  const inHead: i32 = bytesInHead(offset, length);
  if (inHead > 0) copy(OPERAND, DATA_HEAD + offset, inHead);
  copy(OPERAND + inHead, restAt + offset + inHead - headBytes, length - inHead);
  return length;
}

/** How many of `length` bytes from `offset` on belong to the head. */
function bytesInHead(offset: i32, length: i32): i32 {
  if (offset >= headBytes) return 0;
  return offset + length <= headBytes ? length : headBytes - offset;
}

/** Makes the head of the record's data, unless it is made. */
function prepareData(): void {
  if (headBytes >= 0) return;
  headBytes = 0;
  restBytes = 0;
  if (load8(row + ROW_SECTION) === QUESTION) return;
  restAt = fixedPart() + 10;
  restBytes = loadBig16(restAt - 2);
  const nameAt: i32 = nameOffsetInData(typeOfEntry());
  if (nameAt < 0) return;
  const end: i32 = restAt + restBytes;
  const nameOffset: i32 = restAt + nameAt - DATAGRAM;
  copy(DATA_HEAD, restAt, nameAt);
  headBytes = nameAt + copyName(DATAGRAM, nameOffset, DATA_HEAD + nameAt);
  restAt = DATAGRAM + endOf(measureName(DATAGRAM, DATAGRAM_LIMIT_BYTES, nameOffset));
  restBytes = end - restAt;
}
