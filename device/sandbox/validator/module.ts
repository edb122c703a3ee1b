/**
 * The first pass: validates the module section by section and computes the layout of the prepared one, which the second
 * pass (`rewriter.ts`) only appends to, since files on flash are slow to change.
 *
 * The prepared module caps the memory's maximum at the quota, omits element segments without functions and name sections
 * that the engine would trust wrongly, and has the interrupt as its last global: `i32`, mutable, initially 0. The engine
 * recognizes a prepared module by it. In a module without a global section, a new one is inserted before the first
 * section that must follow it.
 */
import { load32, store32 } from "../memory.js";
import { beginCode, preparedCodeBytes, readCode } from "./code-section.js";
import {
  beginCustom,
  CUSTOM_MANIFEST,
  CUSTOM_SCRIPT,
  customKind,
  contentStart as customStart,
  isLeftOut,
  readCustom,
} from "./custom-section.js";
import {
  dataCount,
  functionCount,
  globalCount,
  hasDataCount,
  hasStart,
  importedFunctions,
  lebLength,
  memoryMaximumPages,
  memoryPages,
  tableElements,
} from "./declarations.js";
import {
  CODE_MISSING,
  DATA_MISSING,
  ENTRY_MISSING,
  EXCEPTIONS,
  invalid,
  NOT_A_MODULE,
  OTHER_VERSION,
  QUOTA,
  reject,
  SECTION_ORDER,
  SECTION_REST,
  TAG_SECTION,
  UNKNOWN_SECTION,
} from "./failures.js";
import { deepestBlock, deepestLoop } from "./function-state.js";
import {
  FACT_BYTES,
  FACT_DEEPEST_BLOCK,
  FACT_DEEPEST_LOOP,
  FACT_ENTRY,
  FACT_ENTRY_SIGNATURE,
  FACT_GLOBALS,
  FACT_HAS_START,
  FACT_IMPORTED_FUNCTIONS,
  FACT_MANIFEST,
  FACT_MEMORY_MAXIMUM_PAGES,
  FACT_MEMORY_PAGES,
  FACT_OWN_FUNCTIONS,
  FACT_PREPARED_BYTES,
  FACT_PREPARED_MAXIMUM_PAGES,
  FACT_SCRIPT,
  FACT_TABLE_ELEMENTS,
  FACTS,
} from "./layout.js";
import {
  beginSection,
  countBytes,
  emptyBytes,
  emptySegments,
  entryFunction,
  entryNameBytes,
  entrySignature,
  readSection,
  SECTION_CODE,
  SECTION_CUSTOM,
  SECTION_DATA,
  SECTION_DATA_COUNT,
  SECTION_ELEMENT,
  SECTION_GLOBAL,
  SECTION_MEMORY,
  SECTION_TAG,
  segments,
} from "./sections.js";
import {
  containerEnd,
  end,
  endAfter,
  enter,
  isReady,
  NO_END,
  offset,
  position,
  readByte,
  readUnsigned,
  rejectCut,
} from "./window.js";

const MAGIC: i32 = 0x6d73_6100;
const VERSION: i32 = 1;
const PREAMBLE_BYTES: i32 = 8;
/** Encoding of the interrupt: `i32`, mutable, `i32.const 0`, `end`. */
const INTERRUPT_GLOBAL_BYTES: i32 = 5;
/** A global section that holds the interrupt alone: header of two bytes, count, interrupt. */
const INTERRUPT_SECTION_BYTES: i32 = 8;

let isPastPreamble: boolean = false;
/** Id of the section being read, -1 between sections. */
let section: i32 = -1;
let lastOrder: i32 = 0;
let sectionStart: i32 = 0;
let hasData: boolean = false;
let hasCode: boolean = false;
let preparedBytes: i32 = 0;
let isInterruptPlaced: boolean = false;
let quotaPages: i32 = 0;

export function resetModule(pages: i32): void {
  quotaPages = pages;
  isPastPreamble = false;
  section = -1;
  lastOrder = 0;
  hasData = false;
  hasCode = false;
  preparedBytes = PREAMBLE_BYTES;
  resetInterrupt();
  store32(FACTS + FACT_MANIFEST, -1);
  store32(FACTS + FACT_SCRIPT, -1);
}

/** Reads the available sections. */
export function readModule(): void {
  if (!isPastPreamble) {
    if (!isReady()) return;
    readPreamble();
  }
  for (;;) {
    if (section < 0) {
      if (!isReady() || position === end) return;
      beginNextSection();
    }
    if (!readCurrentSection()) return;
    endCurrentSection();
  }
}

function readPreamble(): void {
  if (readWord() !== MAGIC) invalid(NOT_A_MODULE, 0, 0);
  const version = readWord();
  if (version !== VERSION) invalid(OTHER_VERSION, 4, version);
  isPastPreamble = true;
}

function readWord(): i32 {
  let word: i32 = 0;
  for (let bits: i32 = 0; bits < 32; bits += 8) word |= readByte() << bits;
  return word;
}

function beginNextSection(): void {
  const at = offset();
  const id = readByte();
  if (id === SECTION_TAG) reject(TAG_SECTION, at, 0, EXCEPTIONS);
  if (id > SECTION_TAG) invalid(UNKNOWN_SECTION, at, id);
  if (id !== SECTION_CUSTOM) {
    const order = orderOf(id);
    if (order <= lastOrder) invalid(SECTION_ORDER, at, id);
    lastOrder = order;
  }
  const byteLength = readUnsigned();
  sectionStart = offset();
  enter(endAfter(byteLength));
  if (placesInterrupt(id)) preparedBytes += INTERRUPT_SECTION_BYTES;
  section = id;
  if (id === SECTION_CUSTOM) beginCustom();
  else if (id === SECTION_CODE) beginCode(byteLength);
  else beginSection();
}

function readCurrentSection(): boolean {
  if (section === SECTION_CUSTOM) return readCustom();
  return section === SECTION_CODE ? readCode() : readSection(section);
}

/** Position of a section in the prescribed order (binary format §5.5.2). Custom sections may be anywhere. */
function orderOf(id: i32): i32 {
  if (id === SECTION_DATA_COUNT) return SECTION_CODE;
  return id >= SECTION_CODE ? id + 1 : id;
}

export function resetInterrupt(): void {
  isInterruptPlaced = false;
}

/** Whether to insert a global section before section `id`. Both passes call it for every section. */
export function placesInterrupt(id: i32): boolean {
  if (isInterruptPlaced || id === SECTION_CUSTOM) return false;
  isInterruptPlaced = orderOf(id) >= SECTION_GLOBAL;
  return orderOf(id) > SECTION_GLOBAL;
}

/** Whether to append a global section after all sections. */
export function placesInterruptLast(): boolean {
  return !isInterruptPlaced;
}

function endCurrentSection(): void {
  if (offset() !== containerEnd) invalid(SECTION_REST, offset(), 0);
  layOut(section, offset() - sectionStart);
  enter(NO_END);
  section = -1;
}

/** Adds the section to the length of the prepared module. */
function layOut(id: i32, contentBytes: i32): void {
  if (id === SECTION_CUSTOM) layOutCustom(contentBytes);
  else if (id === SECTION_MEMORY) layOutMemory();
  else if (id === SECTION_GLOBAL) addPrepared(globalContentBytes(globalCount, contentBytes - countBytes));
  else if (id === SECTION_ELEMENT && emptySegments > 0) {
    const kept = contentBytes - countBytes - emptyBytes;
    addPrepared(lebLength(segments - emptySegments) + kept);
  } else if (id === SECTION_CODE) {
    hasCode = true;
    addPrepared(preparedCodeBytes);
  } else {
    if (id === SECTION_DATA) hasData = true;
    addPrepared(contentBytes);
  }
}

/** A section with its header. */
function addPrepared(contentBytes: i32): void {
  preparedBytes += 1 + lebLength(contentBytes) + contentBytes;
}

/** Content length of a prepared global section. @param rest bytes that follow the count in the original */
export function globalContentBytes(count: i32, rest: i32): i32 {
  return lebLength(count + 1) + rest + INTERRUPT_GLOBAL_BYTES;
}

function layOutCustom(contentBytes: i32): void {
  if (isLeftOut()) return;
  const nameBytes = customStart - sectionStart;
  const header = 1 + lebLength(contentBytes);
  if (customKind === CUSTOM_MANIFEST) noteRange(FACTS + FACT_MANIFEST, header, nameBytes, contentBytes);
  if (customKind === CUSTOM_SCRIPT) noteRange(FACTS + FACT_SCRIPT, header, nameBytes, contentBytes);
  addPrepared(contentBytes);
}

/** Only the first section of its name counts. */
function noteRange(address: i32, header: i32, nameBytes: i32, contentBytes: i32): void {
  if (load32(address) >= 0) return;
  store32(address, customStart);
  store32(address + 4, preparedBytes + header + nameBytes);
  store32(address + 8, contentBytes - nameBytes);
}

/** The engine rejects an empty memory section: omitted. */
function layOutMemory(): void {
  if (memoryPages < 0) return;
  if (memoryPages > quotaPages) invalid(QUOTA, 0, memoryPages);
  addPrepared(memoryContentBytes());
}

/** Content length of the prepared memory section, which always has a maximum. */
export function memoryContentBytes(): i32 {
  return 2 + lebLength(memoryPages) + lebLength(preparedMaximumPages());
}

export function preparedMaximumPages(): i32 {
  return memoryMaximumPages < 0 || memoryMaximumPages > quotaPages ? quotaPages : memoryMaximumPages;
}

/** Ends the module: checks what needs all of it, and stores the facts. */
export function endModule(): void {
  if (!isPastPreamble || section >= 0) rejectCut();
  const at = offset();
  if (!hasCode && functionCount > importedFunctions) invalid(CODE_MISSING, at, 0);
  if (!hasData && hasDataCount && dataCount !== 0) invalid(DATA_MISSING, at, 0);
  if (entryNameBytes() >= 0 && entryFunction < 0) invalid(ENTRY_MISSING, 0, 0);
  if (placesInterruptLast()) preparedBytes += INTERRUPT_SECTION_BYTES;
  storeFacts();
}

function storeFacts(): void {
  store32(FACTS + FACT_BYTES, offset());
  store32(FACTS + FACT_PREPARED_BYTES, preparedBytes);
  store32(FACTS + FACT_MEMORY_PAGES, memoryPages);
  store32(FACTS + FACT_MEMORY_MAXIMUM_PAGES, memoryMaximumPages);
  store32(FACTS + FACT_PREPARED_MAXIMUM_PAGES, preparedMaximumPages());
  store32(FACTS + FACT_TABLE_ELEMENTS, tableElements < 0 ? 0 : tableElements);
  store32(FACTS + FACT_HAS_START, hasStart ? 1 : 0);
  store32(FACTS + FACT_ENTRY, entryFunction);
  store32(FACTS + FACT_ENTRY_SIGNATURE, entrySignature);
  store32(FACTS + FACT_IMPORTED_FUNCTIONS, importedFunctions);
  store32(FACTS + FACT_OWN_FUNCTIONS, functionCount - importedFunctions);
  store32(FACTS + FACT_GLOBALS, globalCount);
  store32(FACTS + FACT_DEEPEST_LOOP, deepestLoop);
  store32(FACTS + FACT_DEEPEST_BLOCK, deepestBlock);
}
