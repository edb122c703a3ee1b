/** What the sections before the code declare, as small as it can be kept. */
import { ByteList, ShortList } from "./growing-list.js";
import { FUNCTION_LIMIT } from "./limits.js";
import { TypeTable } from "./type-table.js";

/** Bit of a global's byte beside its type. */
export const MUTABLE = 0x80;

export class Declarations {
  readonly types = new TypeTable();
  /** Number of the type of each function, imported ones first. */
  readonly functions: ShortList;
  /** Room for the bytes by which preparing makes each body longer, where there is some outside of the heap. */
  readonly growths: Int16Array | undefined;
  importedFunctions = 0;
  /** Type of each global, with {@link MUTABLE}. */
  readonly globals = new ByteList();
  /** Declared least length of the table in elements, -1 without one. */
  tableElements = -1;
  /** Declared pages of the memory, -1 without one. */
  memoryPages = -1;
  /** Declared maximum, -1 without one. */
  memoryMaximumPages = -1;
  /** Function that runs before the entry, -1 without one. */
  start = -1;
  /** What the data count section says, -1 without one. */
  dataSegments = -1;

  /** @param functionTable room for `FUNCTION_TABLE_BYTES` */
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
