/**
 * Function types: of the type section, and before them the types of blocks that are written without one
 * (nothing, or one result). All values stand in one list, parameters before results.
 */
import { ByteList, ShortList } from "./growing-list.js";
import { F32, F64, I32, I64 } from "./value-types.js";

/** Numbers of the types before the type section's own. */
export const TYPE_NOTHING = 0;
export const FIRST_OWN_TYPE = 5;

/** The block type of one byte that stands for it. */
export const EMPTY_BLOCK = 0x40;

const RESULT_TYPES = Object.freeze([I32, I64, F32, F64]);

export class TypeTable {
  /** Parameters, then results, of each type in turn. */
  readonly values = new ByteList();
  readonly #parameterStarts = new ShortList();
  readonly #parameterCounts = new ByteList();
  readonly #resultCounts = new ByteList();
  /** Types of the type section. */
  ownCount = -FIRST_OWN_TYPE;

  constructor() {
    this.end(0, 0);
    for (const type of RESULT_TYPES) {
      this.values.push(type);
      this.end(0, 1);
    }
  }

  /** Ends a type whose values have been pushed. */
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

/** The block type of one byte, or -1 where it is none of those. */
export function shortBlockType(byte: number): number {
  if (byte === EMPTY_BLOCK) return TYPE_NOTHING;
  return byte >= F64 && byte <= I32 ? 1 + I32 - byte : -1;
}
