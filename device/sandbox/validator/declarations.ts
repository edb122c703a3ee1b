/**
 * What a module declares before its code, in tables of the program's memory: types, functions, globals, and the one
 * table and memory. The table of types begins with the block types that need no entry in the type section: no result,
 * or one result.
 */
import { isBelow, load8, load16, load32, store8, store16 } from "../memory.js";
import {
  EXCEPTIONS,
  GARBAGE_COLLECTION,
  invalid,
  NO_FEATURE,
  NO_TYPE,
  REFERENCE_TYPES,
  reject,
  SIMD,
  TOO_MANY_FUNCTIONS,
  UNKNOWN_VALUE_TYPE,
  UNSUPPORTED_VALUE_TYPE,
} from "./failures.js";
import { FIRST_OWN_TYPE, FUNCTIONS, GLOBALS, TYPE_VALUES, TYPES } from "./layout.js";
import { FUNCTION_LIMIT } from "./limits.js";
import { offset, readUnsigned } from "./window.js";

export const I32: i32 = 0x7f;
export const I64: i32 = 0x7e;
export const F32: i32 = 0x7d;
export const F64: i32 = 0x7c;
/** Type of an operand in unreachable code: matches every type. */
export const ANY: i32 = 0;
/** Bit that marks a mutable global, in the byte that also holds its type. */
export const MUTABLE: i32 = 0x80;
/** Table index of the empty block type. */
export const TYPE_NOTHING: i32 = 0;

let typeCount: i32 = 0;
export let valueCount: i32 = 0;
export let functionCount: i32 = 0;
export let importedFunctions: i32 = 0;
export let globalCount: i32 = 0;
/** Declared minimum length of the table in elements, -1 without a table. */
export let tableElements: i32 = -1;
/** Declared initial pages of the memory, -1 without a memory. */
export let memoryPages: i32 = -1;
/** Declared maximum pages of the memory, -1 without a maximum. */
export let memoryMaximumPages: i32 = -1;
/** Whether the module names a function that runs before the entry. */
export let hasStart: boolean = false;
/** Whether there is a data count section, and its count. */
export let hasDataCount: boolean = false;
export let dataCount: i32 = 0;

export function resetDeclarations(): void {
  typeCount = 0;
  valueCount = 0;
  functionCount = 0;
  importedFunctions = 0;
  globalCount = 0;
  tableElements = -1;
  memoryPages = -1;
  memoryMaximumPages = -1;
  hasStart = false;
  hasDataCount = false;
  dataCount = 0;
  addType(0, 0);
  for (let type: i32 = I32; type >= F64; type--) {
    addValue(type);
    addType(0, 1);
  }
}

export function addValue(type: i32): void {
  store8(TYPE_VALUES + valueCount, type);
  valueCount++;
}

/** Adds a type whose values have been added. */
export function addType(parameters: i32, results: i32): void {
  const at = TYPES + 4 * typeCount;
  store16(at, valueCount - results - parameters);
  store8(at + 2, parameters);
  store8(at + 3, results);
  typeCount++;
}

/** Number of types in the type section. */
export function ownTypes(): i32 {
  return typeCount - FIRST_OWN_TYPE;
}

/** Index of the first parameter among the values. */
export function parameterStart(type: i32): i32 {
  return load16(TYPES + 4 * type);
}

export function parameterCount(type: i32): i32 {
  return load8(TYPES + 4 * type + 2);
}

export function resultStart(type: i32): i32 {
  return parameterStart(type) + parameterCount(type);
}

export function resultCount(type: i32): i32 {
  return load8(TYPES + 4 * type + 3);
}

/** Whether a type has no values at all. */
export function isEmptyType(type: i32): boolean {
  return load32(TYPES + 4 * type) >>> 16 === 0;
}

export function valueAt(index: i32): i32 {
  return load8(TYPE_VALUES + index);
}

/** Table index of the type of function `index`. */
export function functionType(index: i32): i32 {
  return load16(FUNCTIONS + 2 * index);
}

/** Reads the type index of an imported or declared function and adds the function. @returns its table index */
export function addFunction(): i32 {
  const at = offset();
  const type = readUnsigned();
  if (!isBelow(type, ownTypes())) invalid(NO_TYPE, at, type);
  if (functionCount === FUNCTION_LIMIT) invalid(TOO_MANY_FUNCTIONS, at, 0);
  store16(FUNCTIONS + 2 * functionCount, type + FIRST_OWN_TYPE);
  functionCount++;
  return type + FIRST_OWN_TYPE;
}

export function addImportedFunction(): i32 {
  const type = addFunction();
  importedFunctions++;
  return type;
}

/** Type of global `index`, with {@link MUTABLE}. */
export function globalType(index: i32): i32 {
  return load8(GLOBALS + index);
}

export function addGlobal(type: i32): void {
  store8(GLOBALS + globalCount, type);
  globalCount++;
}

export function declareTable(elements: i32): void {
  tableElements = elements;
}

export function declareMemory(pages: i32, maximumPages: i32): void {
  memoryPages = pages;
  memoryMaximumPages = maximumPages;
}

export function declareStart(): void {
  hasStart = true;
}

export function declareDataCount(count: i32): void {
  hasDataCount = true;
  dataCount = count;
}

export function requireValueType(type: i32, at: i32): void {
  if (type >= F64 && type <= I32) return;
  const feature = featureOfType(type);
  reject(feature === NO_FEATURE ? UNKNOWN_VALUE_TYPE : UNSUPPORTED_VALUE_TYPE, at, type, feature);
}

function featureOfType(type: i32): i32 {
  if (type === 0x7b) return SIMD;
  if (type === 0x70 || type === 0x6f) return REFERENCE_TYPES;
  if (type === 0x69 || type === 0x68 || type === 0x74) return EXCEPTIONS;
  return type >= 0x63 && type <= 0x78 ? GARBAGE_COLLECTION : NO_FEATURE;
}

/** Length of an unsigned `value` in LEB128 without padding, in bytes. */
export function lebLength(value: i32): i32 {
  if (isBelow(value, 0x80)) return 1;
  if (isBelow(value, 0x4000)) return 2;
  if (isBelow(value, 0x20_0000)) return 3;
  return isBelow(value, 0x1000_0000) ? 4 : 5;
}
