/**
 * The fields whose names the program knows: where their values are, values of fields that may occur once, and values of
 * lists, which may occur several times (RFC 9110 §5.3).
 */
import { copy, load8, load32, store8, store32 } from "../memory.js";
import { COLON, COMMA, CR, SPACE, toLowerCase, trimmedEnd, trimmedStart } from "./characters.js";
import {
  FIRST_NAME_BIT,
  HEAD,
  LIST,
  LIST_TOO_LONG,
  NAME_LIMIT,
  NAMES,
  NAMES_BYTES,
  TOO_MANY_MEMBERS,
  VALUE_TOO_LONG,
  VALUES,
} from "./layout.js";

// The same as in protocol/http/fields.ts.
const LIST_LIMIT: i32 = 32;
const LIST_LIMIT_CHARACTERS: i32 = 256;
const VALUE_LIMIT_CHARACTERS: i32 = 1280;

/** Bytes of an entry of {@link VALUES}. */
const VALUE_BYTES: i32 = 8;

let nameCount: i32 = 0;
/** A bit for each name that occurs, and for each that occurs again. */
let present: i32 = 0;
let repeated: i32 = 0;

/** The value that {@link readSingle} read, without spaces around it. */
export let valueStart: i32 = 0;
export let valueEnd: i32 = 0;

/** Length of the list that {@link readList} put at {@link LIST}; -1: no such field. */
export let listLength: i32 = -1;

/** Learn the names at {@link HEAD}, in lower case, with a colon after each. @returns how many, -1 for too many */
export function learnNames(byteLength: i32): i32 {
  nameCount = 0;
  present = 0;
  repeated = 0;
  valueStart = 0;
  valueEnd = 0;
  listLength = -1;
  if (byteLength < 0 || byteLength > NAMES_BYTES) return -1;
  let start = HEAD;
  let entry = NAMES;
  for (let at = HEAD; at < HEAD + byteLength; at++) {
    if (load8(at) !== COLON) continue;
    if (nameCount === NAME_LIMIT) return -1;
    store8(entry, at - start);
    copy(entry + 1, start, at - start);
    entry += 1 + at - start;
    start = at + 1;
    nameCount++;
  }
  return nameCount;
}

export function forgetFields(): void {
  present = 0;
  repeated = 0;
}

/** The names that occur, as bits of the summary. */
export function presentBits(): i32 {
  return present << FIRST_NAME_BIT;
}

export function isPresent(id: i32): boolean {
  return ((present >> id) & 1) !== 0;
}

/** Remember the field if its name, in lower case from `name` to the colon, is known. The value is raw. */
export function noteField(name: i32, colon: i32, end: i32): void {
  const id = idOf(name, colon - name);
  if (id < 0) return;
  if (isPresent(id)) {
    repeated |= 1 << id;
    return;
  }
  present |= 1 << id;
  store32(VALUES + id * VALUE_BYTES, colon + 1);
  store32(VALUES + id * VALUE_BYTES + 4, end);
}

function idOf(name: i32, length: i32): i32 {
  let entry = NAMES;
  for (let id = 0; id < nameCount; id++) {
    const known = load8(entry);
    if (known === length && isSame(entry + 1, name, length)) return id;
    entry += 1 + known;
  }
  return -1;
}

function isSame(one: i32, other: i32, length: i32): boolean {
  for (let at = 0; at < length; at++) if (load8(one + at) !== load8(other + at)) return false;
  return true;
}

/**
 * Read a field that occurs.
 * @param repeatedFault for one that occurs twice
 * @returns 0 or a fault
 */
export function readSingle(id: i32, repeatedFault: i32): i32 {
  if (((repeated >> id) & 1) !== 0) return repeatedFault;
  const start = load32(VALUES + id * VALUE_BYTES);
  const end = load32(VALUES + id * VALUE_BYTES + 4);
  if (end - start > VALUE_LIMIT_CHARACTERS) return VALUE_TOO_LONG;
  valueStart = trimmedStart(start, end);
  valueEnd = trimmedEnd(valueStart, end);
  return 0;
}

/** Put all values of a field at {@link LIST}, in lower case, joined by commas. @returns 0 or a fault */
export function readList(id: i32): i32 {
  listLength = -1;
  if (!isPresent(id)) return 0;
  const start = load32(VALUES + id * VALUE_BYTES);
  const end = load32(VALUES + id * VALUE_BYTES + 4);
  listLength = 0;
  if (!addToList(start, end)) return LIST_TOO_LONG;
  return ((repeated >> id) & 1) === 0 ? 0 : readRest(id, end + 2);
}

/** Adds the values in the lines from `from`. */
function readRest(id: i32, from: i32): i32 {
  let line = from;
  while (load8(line) !== CR) {
    let colon = line;
    while (load8(colon) !== COLON) colon++;
    let end = colon + 1;
    while (load8(end) !== CR) end++;
    if (idOf(line, colon - line) === id) {
      store8(LIST + listLength, COMMA);
      store8(LIST + listLength + 1, SPACE);
      listLength += 2;
      if (!addToList(colon + 1, end)) return LIST_TOO_LONG;
    }
    line = end + 2;
  }
  return 0;
}

function addToList(start: i32, end: i32): boolean {
  if (end - start > LIST_LIMIT_CHARACTERS) return false;
  const from = trimmedStart(start, end);
  const length = trimmedEnd(from, end) - from;
  copy(LIST + listLength, from, length);
  for (let at = 0; at < length; at++) toLowerCase(LIST + listLength + at);
  listLength += length;
  return listLength <= LIST_LIMIT_CHARACTERS;
}

// Members that the program searches for.
export const EMPTY: i32 = 0;
export const CHUNKED: i32 = 1;
export const CLOSE: i32 = 2;
export const KEEP_ALIVE: i32 = 3;

/**
 * Start of the first such member of the list, from {@link LIST} on; -1 if there is none.
 * @returns or {@link TOO_MANY_MEMBERS} if it is not among the first of too many
 */
export function findMember(member: i32): i32 {
  let start = 0;
  for (let count = 0; count < LIST_LIMIT; count++) {
    let comma = start;
    while (comma < listLength && load8(LIST + comma) !== COMMA) comma++;
    const from = trimmedStart(LIST + start, LIST + comma);
    if (isMember(from, trimmedEnd(from, LIST + comma) - from, member)) return start;
    if (comma >= listLength) return -1;
    start = comma + 1;
  }
  return TOO_MANY_MEMBERS;
}

function isMember(at: i32, length: i32, member: i32): boolean {
  switch (member) {
    case CHUNKED:
      return length === 7 && load32(at) === 0x6e756863 && load32(at + 3) === 0x64656b6e; // "chun", "nked"
    case CLOSE:
      return length === 5 && load32(at) === 0x736f6c63 && load8(at + 4) === 0x65; // "clos", "e"
    case KEEP_ALIVE: // "keep", "-ali", "live"
      return (
        length === 10 &&
        load32(at) === 0x7065656b &&
        load32(at + 4) === 0x696c612d &&
        load32(at + 6) === 0x6576696c
      );
    default:
      return length === 0;
  }
}
