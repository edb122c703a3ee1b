/** The declarations that precede the code section, in compact form. */

import { FUNCTION_LIMIT } from "../../../device/sandbox/validator/limits.js";
import { ByteList, ShortList } from "./growing-list.js";
import { TypeTable } from "./type-table.js";

/** Bit that marks a mutable global, in the byte that also holds its type. */
export const MUTABLE = 0x80;

export class Declarations {
  readonly types = new TypeTable();
  /** Type table index of each function, imported ones first. */
  readonly functions: ShortList;
  /** Storage outside the heap for the growth of each body, if the caller provides a function table. */
  readonly growths: Int16Array | undefined;
  importedFunctions = 0;
  /** Type of each global, with {@link MUTABLE}. */
  readonly globals = new ByteList();
  /** Declared minimum length of the table in elements, -1 without a table. */
  tableElements = -1;
  /** Declared initial pages of the memory, -1 without a memory. */
  memoryPages = -1;
  /** Declared maximum pages of the memory, -1 without a maximum. */
  memoryMaximumPages = -1;
  /** Index of the function that runs before the entry, -1 without one. */
  start = -1;
  /** Count from the data count section, -1 without that section. */
  dataSegments = -1;

  /** @param functionTable storage of {@link FUNCTION_TABLE_BYTES} outside the heap; default: lists in the heap */
  constructor(functionTable?: Uint8Array) {
    if (!functionTable) {
      this.functions = new ShortList();
      return;
    }
    const { buffer, byteOffset } = functionTable;
    this.functions = new ShortList(new Uint16Array(buffer, byteOffset, FUNCTION_LIMIT));
    this.growths = new Int16Array(buffer, byteOffset + 2 * FUNCTION_LIMIT, FUNCTION_LIMIT);
  }
}
