/**
 * Readers of the small sections of a module: types, functions, tables, memories, globals, start and data count
 * (binary format §5.5). A reader consumes the bytes available and returns whether its section is complete.
 */

import {
  FUNCTION_LIMIT,
  GLOBAL_LIMIT,
  PARAMETER_LIMIT,
  RESULT_LIMIT,
  TABLE_LIMIT_ELEMENTS,
  TYPE_LIMIT,
  TYPE_VALUES_LIMIT,
} from "../../../device/sandbox/validator/limits.js";
import type { ByteWindow } from "./byte-window.js";
import { readConstant } from "./constant-expression.js";
import { type Declarations, MUTABLE } from "./declarations.js";
import { FIRST_OWN_TYPE } from "./type-table.js";
import { F64, I32, refuseType } from "./value-types.js";
import { beyondLimit, invalid, unsupported } from "./verdict.js";

const FUNCTION_TYPE = 0x60;
const FUNCTION_REFERENCE = 0x70;
export const PAGES_LIMIT = 65_536;

export interface SectionReader {
  begin(): void;
  /** Reads the bytes available. @returns whether the section is complete */
  read(window: ByteWindow): boolean;
}

/** Reads a section that consists of a count and that many items. */
export abstract class ListReader implements SectionReader {
  /** Encoded length of the count, padding included. */
  countBytes = 0;
  protected readonly declarations: Declarations;
  /** Items not yet read, -1 before the count. */
  #left = -1;

  constructor(declarations: Declarations) {
    this.declarations = declarations;
  }

  begin(): void {
    this.#left = -1;
  }

  read(window: ByteWindow): boolean {
    if (this.#left < 0) {
      if (!window.isReady) return false;
      const { offset } = window;
      this.#left = window.readUnsigned();
      this.countBytes = window.offset - offset;
      this.onCount(this.#left, offset);
    }
    while (this.#left > 0) {
      if (!window.isReady || !this.readItem(window)) return false;
      this.#left--;
    }
    return true;
  }

  protected onCount(_count: number, _offset: number): void {}

  /** Reads one item or continues one. @returns false if it needs more bytes; the bytes read so far stay consumed */
  protected abstract readItem(window: ByteWindow): boolean;
}

export class TypeSection extends ListReader {
  protected override onCount(count: number, offset: number): void {
    if (count > TYPE_LIMIT)
      throw beyondLimit(offset, "TYPE_LIMIT", `there are more than ${TYPE_LIMIT} types`);
  }

  protected override readItem(window: ByteWindow): boolean {
    const { offset } = window;
    const { types } = this.declarations;
    const form = window.readByte();
    if (form !== FUNCTION_TYPE) {
      const isKnown = form === 0x5f || form === 0x5e || form === 0x50 || form === 0x4f || form === 0x4e;
      if (isKnown) throw unsupported(offset, "garbage collection", "a type is not that of a function");
      throw invalid(offset, `0x${form.toString(16)} is not a form of a type`);
    }
    const parameterCount = this.#readValues(window, PARAMETER_LIMIT, "PARAMETER_LIMIT");
    const resultCount = this.#readValues(window, RESULT_LIMIT, "RESULT_LIMIT");
    types.end(parameterCount, resultCount);
    if (types.values.length > TYPE_VALUES_LIMIT)
      throw beyondLimit(offset, "TYPE_VALUES_LIMIT", "the types have too many parameters and results");
    return true;
  }

  #readValues(window: ByteWindow, limit: number, name: string): number {
    const { offset } = window;
    const count = window.readUnsigned();
    if (count > limit)
      throw beyondLimit(offset, name, `a type has ${count} parameters or results, the limit is ${limit}`);
    for (let index = 0; index < count; index++) {
      const type = window.readByte();
      if (type < F64 || type > I32) throw refuseType(window.offset - 1, type);
      this.declarations.types.values.push(type);
    }
    return count;
  }
}

export class FunctionSection extends ListReader {
  /** Reserves the whole list: it is the only long one in a module of ordinary size, and two copies exceed our heap. */
  protected override onCount(count: number, offset: number): void {
    const { functions } = this.declarations;
    if (count > FUNCTION_LIMIT - functions.length)
      throw beyondLimit(offset, "FUNCTION_LIMIT", `there are more than ${FUNCTION_LIMIT} functions`);
    functions.reserve(functions.length + count);
  }

  protected override readItem(window: ByteWindow): boolean {
    addFunction(this.declarations, window);
    return true;
  }
}

/** Reads the type index of an imported or declared function and adds the function. @returns its type table index */
export function addFunction(declarations: Declarations, window: ByteWindow): number {
  const { offset } = window;
  const { functions, types } = declarations;
  const type = window.readUnsigned();
  if (type >= types.ownCount) throw invalid(offset, `there is no type ${type}`);
  if (functions.length === FUNCTION_LIMIT)
    throw beyondLimit(offset, "FUNCTION_LIMIT", `there are more than ${FUNCTION_LIMIT} functions`);
  functions.push(type + FIRST_OWN_TYPE);
  return type + FIRST_OWN_TYPE;
}

export class TableSection extends ListReader {
  protected override readItem(window: ByteWindow): boolean {
    const { offset } = window;
    if (this.declarations.tableElements >= 0)
      throw unsupported(offset, "reference types", "there is more than one table");
    const type = window.readByte();
    if (type !== FUNCTION_REFERENCE) throw refuseTable(offset, type);
    const flags = window.readByte();
    if (flags > 1) throw refuseTableLimits(offset + 1, flags);
    const least = window.readUnsigned();
    const most = flags === 1 ? window.readUnsigned() : least;
    if (most < least) throw invalid(offset, "the maximum of the table is below its length");
    if (least > TABLE_LIMIT_ELEMENTS)
      throw beyondLimit(offset, "TABLE_LIMIT_ELEMENTS", `the table has ${least} elements`);
    this.declarations.tableElements = least;
    return true;
  }
}

function refuseTable(offset: number, type: number): Error {
  if (type === 0x40) return unsupported(offset, "function references", "the table has an initial value");
  if (type >= 0x63 && type <= 0x78)
    return unsupported(offset, "reference types", "the table is not of functions");
  return invalid(offset, `0x${type.toString(16)} is not a type of elements`);
}

function refuseTableLimits(offset: number, flags: number): Error {
  if (flags === 2 || flags === 3) return unsupported(offset, "threads", "the table is shared");
  if (flags < 8) return unsupported(offset, "memory64", "the table has 64-bit indices");
  return invalid(offset, `0x${flags.toString(16)} is not a kind of limits`);
}

export class MemorySection extends ListReader {
  protected override readItem(window: ByteWindow): boolean {
    const { offset } = window;
    const { declarations } = this;
    if (declarations.memoryPages >= 0)
      throw unsupported(offset, "multiple memories", "there is more than one memory");
    const flags = window.readByte();
    if (flags > 1) throw refuseMemoryLimits(offset, flags);
    const least = window.readUnsigned();
    const most = flags === 1 ? window.readUnsigned() : PAGES_LIMIT;
    if (least > PAGES_LIMIT || most > PAGES_LIMIT)
      throw invalid(offset, `a memory has at most ${PAGES_LIMIT} pages`);
    if (most < least) throw invalid(offset, "the maximum of the memory is below its length");
    declarations.memoryPages = least;
    if (flags === 1) declarations.memoryMaximumPages = most;
    return true;
  }
}

function refuseMemoryLimits(offset: number, flags: number): Error {
  if (flags === 2 || flags === 3) return unsupported(offset, "threads", "the memory is shared");
  if (flags < 8) return unsupported(offset, "memory64", "the memory has 64-bit addresses");
  return invalid(offset, `0x${flags.toString(16)} is not a kind of limits`);
}

export class GlobalSection extends ListReader {
  protected override readItem(window: ByteWindow): boolean {
    const { offset } = window;
    const { globals } = this.declarations;
    const type = window.readByte();
    if (type < F64 || type > I32) throw refuseType(offset, type);
    const mutability = window.readByte();
    if (mutability > 1) throw invalid(offset + 1, "a global is neither constant nor variable");
    readConstant(window, type);
    if (globals.length === GLOBAL_LIMIT)
      throw beyondLimit(offset, "GLOBAL_LIMIT", `there are more than ${GLOBAL_LIMIT} globals`);
    globals.push(mutability === 1 ? type | MUTABLE : type & ~MUTABLE);
    return true;
  }
}

/** Reads the start section, which holds one function index. */
export class StartSection implements SectionReader {
  readonly #declarations: Declarations;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  begin(): void {}

  read(window: ByteWindow): boolean {
    if (!window.isReady) return false;
    const { offset } = window;
    const { functions, types } = this.#declarations;
    const index = window.readUnsigned();
    if (index >= functions.length) throw invalid(offset, `there is no function ${index}`);
    const type = functions.at(index);
    if (types.parameterCount(type) + types.resultCount(type) > 0)
      throw invalid(offset, "the start function has parameters or results");
    this.#declarations.start = index;
    return true;
  }
}

/** Reads the data count section, which holds one count. */
export class DataCountSection implements SectionReader {
  readonly #declarations: Declarations;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  begin(): void {}

  read(window: ByteWindow): boolean {
    if (!window.isReady) return false;
    this.#declarations.dataSegments = window.readUnsigned();
    return true;
  }
}
