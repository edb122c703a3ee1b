/**
 * Table of function types: first the block types that need no entry in the type section (no result, or one result),
 * then the types of the type section. One list holds the values of all types, parameters before results.
 */
import { ByteList, ShortList } from "./growing-list.js";
import { F32, F64, I32, I64 } from "./value-types.js";

/** Table index of the empty block type. The four block types with one result follow, up to {@link FIRST_OWN_TYPE}. */
export const TYPE_NOTHING = 0;
/** Table index of the type section's type 0. */
export const FIRST_OWN_TYPE = 5;

/** Byte that encodes the empty block type. */
export const EMPTY_BLOCK = 0x40;

const RESULT_TYPES = Object.freeze([I32, I64, F32, F64]);

export class TypeTable {
  /** Parameters, then results, of each type in turn. */
  readonly values = new ByteList();
  readonly #parameterStarts = new ShortList();
  readonly #parameterCounts = new ByteList();
  readonly #resultCounts = new ByteList();
  /** Number of types from the type section. The constructor's {@link FIRST_OWN_TYPE} block types bring it to 0. */
  ownCount = -FIRST_OWN_TYPE;

  constructor() {
    this.end(0, 0);
    for (const type of RESULT_TYPES) {
      this.values.push(type);
      this.end(0, 1);
    }
  }

  /** Adds a type whose values the caller has pushed. */
  end(parameterCount: number, resultCount: number): void {
    this.#parameterStarts.push(this.values.length - resultCount - parameterCount);
    this.#parameterCounts.push(parameterCount);
    this.#resultCounts.push(resultCount);
    this.ownCount++;
  }

  /** Index in `values` of the first parameter. */
  parameterStart(type: number): number {
    return this.#parameterStarts.items[type] as number;
  }

  parameterCount(type: number): number {
    return this.#parameterCounts.items[type] as number;
  }

  /** Index in `values` of the first result. */
  resultStart(type: number): number {
    return this.parameterStart(type) + this.parameterCount(type);
  }

  resultCount(type: number): number {
    return this.#resultCounts.items[type] as number;
  }
}

/** Table index of a block type that is encoded in one byte, or -1 if `byte` is not one. */
export function shortBlockType(byte: number): number {
  if (byte === EMPTY_BLOCK) return TYPE_NOTHING;
  return byte >= F64 && byte <= I32 ? 1 + I32 - byte : -1;
}
