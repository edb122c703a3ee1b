/**
 * Readers of the sections but the code and custom ones (binary format §5.5). Each consists of a count and that many
 * items, or of one number. A reader continues where the input ended.
 */
import { fill, isBelow, load32, store32 } from "../memory.js";
import { readConstant } from "./constants.js";
import {
  addFunction,
  addGlobal,
  addImportedFunction,
  addType,
  addValue,
  dataCount,
  declareDataCount,
  declareMemory,
  declareStart,
  declareTable,
  functionCount,
  functionType,
  globalCount,
  hasDataCount,
  I32,
  isEmptyType,
  MUTABLE,
  memoryPages,
  parameterCount,
  parameterStart,
  requireValueType,
  resultCount,
  tableElements,
  valueAt,
  valueCount,
} from "./declarations.js";
import {
  BULK_MEMORY,
  DATA_COUNT,
  DATA_PASSIVE,
  ELEMENTS_OUTSIDE,
  ELEMENTS_PASSIVE,
  ENTRY_NO_FUNCTION,
  ENTRY_TYPE,
  EXCEPTIONS,
  EXPORT_TAG,
  EXPORTED_TWICE,
  FUNCTION_REFERENCES,
  GARBAGE_COLLECTION,
  IMPORT_NO_FUNCTION,
  IMPORT_TAG,
  invalid,
  MEMORY_64,
  MEMORY_MAXIMUM,
  MEMORY_SHARED,
  MEMORY64,
  MULTIPLE_MEMORIES,
  NO_EXPORTED,
  NO_FUNCTION,
  NO_MEMORY,
  NO_TABLE,
  REFERENCE_TYPES,
  reject,
  SECOND_MEMORY,
  SECOND_TABLE,
  SEGMENT_OUTSIDE,
  START_TYPE,
  TABLE_64,
  TABLE_HAS_VALUE,
  TABLE_MAXIMUM,
  TABLE_OF_OTHERS,
  TABLE_SHARED,
  TABLE_TOO_LONG,
  THREADS,
  TOO_MANY_EXPORTS,
  TOO_MANY_FUNCTIONS,
  TOO_MANY_GLOBALS,
  TOO_MANY_PAGES,
  TOO_MANY_PARAMETERS,
  TOO_MANY_RESULTS,
  TOO_MANY_TYPE_VALUES,
  TOO_MANY_TYPES,
  TYPE_IS_NO_FUNCTION,
  UNKNOWN_DATA,
  UNKNOWN_ELEMENT_TYPE,
  UNKNOWN_ELEMENTS,
  UNKNOWN_EXPORT,
  UNKNOWN_IMPORT,
  UNKNOWN_LIMITS,
  UNKNOWN_MUTABILITY,
  UNKNOWN_TYPE_FORM,
} from "./failures.js";
import { EXPORT_NAME_SLOTS, EXPORT_NAMES, IMPORT, MODULE_NAME } from "./layout.js";
import {
  EXPORT_LIMIT,
  FUNCTION_LIMIT,
  GLOBAL_LIMIT,
  PARAMETER_LIMIT,
  RESULT_LIMIT,
  TABLE_LIMIT_ELEMENTS,
  TYPE_LIMIT,
  TYPE_VALUES_LIMIT,
} from "./limits.js";
import { beginName, firstHash, isEntryName, keepName, nameStart, readName, secondHash } from "./names.js";
import {
  isContainerSeen,
  isReady,
  limit,
  offset,
  position,
  readByte,
  readUnsigned,
  rejectCut,
  setPosition,
} from "./window.js";

export const SECTION_CUSTOM: i32 = 0;
const SECTION_TYPE: i32 = 1;
const SECTION_IMPORT: i32 = 2;
const SECTION_FUNCTION: i32 = 3;
const SECTION_TABLE: i32 = 4;
export const SECTION_MEMORY: i32 = 5;
export const SECTION_GLOBAL: i32 = 6;
const SECTION_EXPORT: i32 = 7;
const SECTION_START: i32 = 8;
export const SECTION_ELEMENT: i32 = 9;
export const SECTION_CODE: i32 = 10;
export const SECTION_DATA: i32 = 11;
export const SECTION_DATA_COUNT: i32 = 12;
/** Tags of exception handling: only later versions of WebAssembly have this section. */
export const SECTION_TAG: i32 = 13;

const FUNCTION_TYPE: i32 = 0x60;
const FUNCTION_REFERENCE: i32 = 0x70;
const PAGES_LIMIT: i32 = 65_536;

/** Kinds of imports and exports. */
const KIND_FUNCTION: i32 = 0;
const KIND_TABLE: i32 = 1;
const KIND_MEMORY: i32 = 2;
const KIND_GLOBAL: i32 = 3;
const KIND_TAG: i32 = 4;

/** Encoded length of the section's count, padding included. */
export let countBytes: i32 = 0;
/** Element segments; those without functions, which the engine fails on, and their bytes. */
export let segments: i32 = 0;
export let emptySegments: i32 = 0;
export let emptyBytes: i32 = 0;
/** Index of the exported function that has the entry's name, and its signature; -1 before it is found. */
export let entryFunction: i32 = -1;
export let entrySignature: i32 = 0;
/** Whether an import awaits its caller's verdict. */
export let awaitsImport: boolean = false;

let entryBytes: i32 = -1;
/** Length of the entry's name in bytes, -1 if the module needs no entry. */
export function entryNameBytes(): i32 {
  return entryBytes;
}

let hasCount: boolean = false;
/** Items of the section not yet read, unsigned. */
let itemsLeft: i32 = 0;
/** Steps of the current item that are complete. */
let step: i32 = 0;
/** Functions or bytes of the current segment not yet read, unsigned. */
let restLeft: i32 = 0;
let exportNames: i32 = 0;

export function resetSections(entryLength: i32): void {
  segments = 0;
  emptySegments = 0;
  emptyBytes = 0;
  entryFunction = -1;
  entrySignature = 0;
  awaitsImport = false;
  entryBytes = entryLength;
  exportNames = 0;
  fill(EXPORT_NAMES, 0, 8 * EXPORT_NAME_SLOTS);
}

export function beginSection(): void {
  hasCount = false;
  step = 0;
  beginName();
}

/** Reads the available part of section `id`. @returns whether it is complete */
export function readSection(id: i32): boolean {
  if (id === SECTION_START) return readStart();
  if (id === SECTION_DATA_COUNT) return readDataCount();
  if (!hasCount) {
    if (!isReady()) return false;
    const at = offset();
    itemsLeft = readUnsigned();
    countBytes = offset() - at;
    hasCount = true;
    checkCount(id, itemsLeft, at);
  }
  while (itemsLeft !== 0) {
    if (awaitsImport || !isReady() || !readItem(id)) return false;
    itemsLeft--;
  }
  return !awaitsImport;
}

/** The caller has accepted the import. */
export function acceptImport(): void {
  awaitsImport = false;
}

function checkCount(id: i32, count: i32, at: i32): void {
  if (id === SECTION_TYPE) {
    if (isBelow(TYPE_LIMIT, count)) invalid(TOO_MANY_TYPES, at, 0);
  } else if (id === SECTION_FUNCTION) {
    if (isBelow(FUNCTION_LIMIT - functionCount, count)) invalid(TOO_MANY_FUNCTIONS, at, 0);
  } else if (id === SECTION_ELEMENT) segments = count;
  else if (id === SECTION_DATA && hasDataCount && dataCount !== count) {
    store32(IMPORT, dataCount);
    invalid(DATA_COUNT, at, count);
  }
}

/** Reads one item or continues one. @returns whether it is complete */
function readItem(id: i32): boolean {
  switch (id) {
    case SECTION_TYPE:
      readType();
      return true;
    case SECTION_IMPORT:
      return readImport();
    case SECTION_FUNCTION:
      addFunction();
      return true;
    case SECTION_TABLE:
      readTable();
      return true;
    case SECTION_MEMORY:
      readMemory();
      return true;
    case SECTION_GLOBAL:
      readGlobal();
      return true;
    case SECTION_EXPORT:
      return readExport();
    case SECTION_ELEMENT:
      return readElements();
    default:
      return readData();
  }
}

function readType(): void {
  const at = offset();
  const form = readByte();
  if (form !== FUNCTION_TYPE) {
    const isKnown = form === 0x5f || form === 0x5e || form === 0x50 || form === 0x4f || form === 0x4e;
    if (isKnown) reject(TYPE_IS_NO_FUNCTION, at, 0, GARBAGE_COLLECTION);
    invalid(UNKNOWN_TYPE_FORM, at, form);
  }
  const parameters = readValues(PARAMETER_LIMIT, TOO_MANY_PARAMETERS);
  const results = readValues(RESULT_LIMIT, TOO_MANY_RESULTS);
  addType(parameters, results);
  if (valueCount > TYPE_VALUES_LIMIT) invalid(TOO_MANY_TYPE_VALUES, at, 0);
}

function readValues(most: i32, reason: i32): i32 {
  const at = offset();
  const count = readUnsigned();
  if (isBelow(most, count)) invalid(reason, at, count);
  for (let index: i32 = 0; index < count; index++) {
    const type = readByte();
    requireValueType(type, offset() - 1);
    addValue(type);
  }
  return count;
}

function readImport(): boolean {
  if (step === 0) {
    if (!readName()) return false;
    keepName(MODULE_NAME);
    store32(IMPORT, nameStart);
    beginName();
    step = 1;
  }
  if (step === 1) {
    if (!readName()) return false;
    step = 2;
  }
  if (!isReady()) return false;
  const at = offset();
  const kind = readByte();
  if (kind === KIND_TAG) reject(IMPORT_TAG, at, 0, EXCEPTIONS);
  if (kind > KIND_TAG) invalid(UNKNOWN_IMPORT, at, kind);
  if (kind !== KIND_FUNCTION) invalid(IMPORT_NO_FUNCTION, at, kind);
  const type = addImportedFunction();
  store32(IMPORT + 4, parameterStart(type));
  store32(IMPORT + 8, parameterCount(type));
  store32(IMPORT + 12, resultCount(type));
  awaitsImport = true;
  beginName();
  step = 0;
  return true;
}

function readTable(): void {
  const at = offset();
  if (tableElements >= 0) reject(SECOND_TABLE, at, 0, REFERENCE_TYPES);
  const type = readByte();
  if (type !== FUNCTION_REFERENCE) rejectTable(type, at);
  const flags = readByte();
  if (flags > 1) rejectLimits(flags, at + 1, TABLE_SHARED, TABLE_64);
  const least = readUnsigned();
  const most: i32 = flags === 1 ? readUnsigned() : least;
  if (isBelow(most, least)) invalid(TABLE_MAXIMUM, at, 0);
  if (isBelow(TABLE_LIMIT_ELEMENTS, least)) invalid(TABLE_TOO_LONG, at, least);
  declareTable(least);
}

function rejectTable(type: i32, at: i32): void {
  if (type === 0x40) reject(TABLE_HAS_VALUE, at, 0, FUNCTION_REFERENCES);
  if (type >= 0x63 && type <= 0x78) reject(TABLE_OF_OTHERS, at, 0, REFERENCE_TYPES);
  invalid(UNKNOWN_ELEMENT_TYPE, at, type);
}

function rejectLimits(flags: i32, at: i32, shared: i32, wide: i32): void {
  if (flags === 2 || flags === 3) reject(shared, at, 0, THREADS);
  if (flags < 8) reject(wide, at, 0, MEMORY64);
  invalid(UNKNOWN_LIMITS, at, flags);
}

function readMemory(): void {
  const at = offset();
  if (memoryPages >= 0) reject(SECOND_MEMORY, at, 0, MULTIPLE_MEMORIES);
  const flags = readByte();
  if (flags > 1) rejectLimits(flags, at, MEMORY_SHARED, MEMORY_64);
  const least = readUnsigned();
  const most: i32 = flags === 1 ? readUnsigned() : PAGES_LIMIT;
  if (isBelow(PAGES_LIMIT, least) || isBelow(PAGES_LIMIT, most)) invalid(TOO_MANY_PAGES, at, 0);
  if (most < least) invalid(MEMORY_MAXIMUM, at, 0);
  declareMemory(least, flags === 1 ? most : -1);
}

function readGlobal(): void {
  const at = offset();
  const type = readByte();
  requireValueType(type, at);
  const mutability = readByte();
  if (mutability > 1) invalid(UNKNOWN_MUTABILITY, at + 1, 0);
  readConstant(type);
  if (globalCount === GLOBAL_LIMIT) invalid(TOO_MANY_GLOBALS, at, 0);
  addGlobal(mutability === 1 ? type | MUTABLE : type);
}

function readExport(): boolean {
  if (step === 0) {
    if (!readName()) return false;
    step = 1;
  }
  if (!isReady()) return false;
  const at = offset();
  if (!addExportName()) invalid(EXPORTED_TWICE, at, 0);
  if (exportNames > EXPORT_LIMIT) invalid(TOO_MANY_EXPORTS, at, 0);
  const kind = readByte();
  const index = readUnsigned();
  if (kind === KIND_TAG) reject(EXPORT_TAG, at, 0, EXCEPTIONS);
  if (kind > KIND_TAG) invalid(UNKNOWN_EXPORT, at, kind);
  if (!isBelow(index, exportable(kind))) {
    store32(IMPORT, kind);
    invalid(NO_EXPORTED, at, index);
  }
  if (entryBytes >= 0 && isEntryName(entryBytes)) setEntry(kind, index);
  beginName();
  step = 0;
  return true;
}

/** Number of things of this kind. */
function exportable(kind: i32): i32 {
  if (kind === KIND_FUNCTION) return functionCount;
  if (kind === KIND_TABLE) return tableElements >= 0 ? 1 : 0;
  if (kind === KIND_MEMORY) return memoryPages >= 0 ? 1 : 0;
  return kind === KIND_GLOBAL ? globalCount : 0;
}

/**
 * Adds the name that was read to a set of names, kept as hashes of 64 bits. Names with equal hashes count as duplicates:
 * only the author of a module can cause that, and it rejects that module alone.
 * @returns false if the set already contains the name
 */
function addExportName(): boolean {
  const second = secondHash | 1;
  let at = slotAt(firstHash);
  while (load32(at + 4) !== 0) {
    if (load32(at) === firstHash && load32(at + 4) === second) return false;
    at = slotAt((at - EXPORT_NAMES) / 8 + 1);
  }
  store32(at, firstHash);
  store32(at + 4, second);
  exportNames++;
  return true;
}

/** Address of a slot in the table of export names, which begins again after its end. */
function slotAt(index: i32): i32 {
  return EXPORT_NAMES + 8 * (index & (EXPORT_NAME_SLOTS - 1));
}

function setEntry(kind: i32, index: i32): void {
  if (kind !== KIND_FUNCTION) invalid(ENTRY_NO_FUNCTION, 0, kind);
  const type = functionType(index);
  const parameters = parameterCount(type);
  const results = resultCount(type);
  if ((parameters !== 0 && parameters !== 2) || results > 1) invalid(ENTRY_TYPE, 0, 0);
  const start = parameterStart(type);
  for (let value: i32 = 0; value < parameters + results; value++)
    if (valueAt(start + value) !== I32) invalid(ENTRY_TYPE, 0, 0);
  entryFunction = index;
  entrySignature = (parameters === 2 ? 1 : 0) | (results << 1);
}

/** The start section holds one function index. */
function readStart(): boolean {
  if (!isReady()) return false;
  const at = offset();
  const index = readUnsigned();
  if (!isBelow(index, functionCount)) invalid(NO_FUNCTION, at, index);
  if (!isEmptyType(functionType(index))) invalid(START_TYPE, at, 0);
  declareStart();
  return true;
}

function readDataCount(): boolean {
  if (!isReady()) return false;
  declareDataCount(readUnsigned());
  return true;
}

function readElements(): boolean {
  if (step === 0) beginElements();
  while (restLeft !== 0) {
    if (!isReady()) return false;
    const at = offset();
    const index = readUnsigned();
    if (!isBelow(index, functionCount)) invalid(NO_FUNCTION, at, index);
    restLeft--;
  }
  step = 0;
  return true;
}

function beginElements(): void {
  const at = offset();
  const flags = readUnsigned();
  if (isBelow(7, flags)) invalid(UNKNOWN_ELEMENTS, at, flags);
  if (flags !== 0) reject(ELEMENTS_PASSIVE, at, 0, BULK_MEMORY);
  if (tableElements < 0) invalid(NO_TABLE, at, 0);
  const start = readConstant(I32);
  const count = readUnsigned();
  if (isBelow(tableElements, start) || isBelow(tableElements - start, count))
    reject(ELEMENTS_OUTSIDE, at, 0, SEGMENT_OUTSIDE);
  restLeft = count;
  step = 1;
  if (count > 0) return;
  emptySegments++;
  emptyBytes += offset() - at;
}

function readData(): boolean {
  if (step === 0) beginData();
  const available = limit - position;
  const count = isBelow(restLeft, available) ? restLeft : available;
  setPosition(position + count);
  restLeft -= count;
  if (restLeft !== 0) {
    if (isContainerSeen()) rejectCut();
    return false;
  }
  step = 0;
  return true;
}

function beginData(): void {
  const at = offset();
  const flags = readUnsigned();
  if (isBelow(2, flags)) invalid(UNKNOWN_DATA, at, flags);
  if (flags !== 0) reject(DATA_PASSIVE, at, 0, BULK_MEMORY);
  if (memoryPages < 0) invalid(NO_MEMORY, at, 0);
  readConstant(I32);
  restLeft = readUnsigned();
  step = 1;
}
