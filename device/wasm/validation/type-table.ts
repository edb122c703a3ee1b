/**
 * Function types: of the type section, and before them the types of blocks that are written without one
 * (nothing, or one result). All values stand in one list, parameters before results.
 */
import { ByteList, ShortList } from "./growing-list.js";
import { F32, F64, I32, I64 } from "./value-types.js";

/** Numbers of the types before the type section's own. */
export const TYPE_NOTHING = 0;
export const FIRST_OWN_TYPE = 5;

const RESULT_TYPES = Object.freeze([I32, I64, F32, F64]);

export class TypeTable {
  /** Parameters, then results, of each type in turn. */
  readonly values = new ByteList();
  /** Where each type begins in `values`; one more entry ends the last. */
  readonly #starts = new ShortList();
  readonly #parameterCounts = new ByteList();
  /** Types of the type section. */
  ownCount = -FIRST_OWN_TYPE;

  constructor() {
    this.#starts.push(0);
    this.end(0);
    for (const type of RESULT_TYPES) {
      this.values.push(type);
      this.end(0);
    }
  }

  /** Ends a type whose values have been pushed. */
  end(parameterCount: number): void {
    this.#parameterCounts.push(parameterCount);
    this.#starts.push(this.values.length);
    this.ownCount++;
  }

  /** Index in `values` of the first parameter. */
  parameterStart(type: number): number {
    return this.#starts.at(type);
  }

  parameterCount(type: number): number {
    return this.#parameterCounts.at(type);
  }

  /** Index in `values` of the first result. */
  resultStart(type: number): number {
    return this.#starts.at(type) + this.#parameterCounts.at(type);
  }

  resultCount(type: number): number {
    return this.#starts.at(type + 1) - this.resultStart(type);
  }
}

/** The block type of one byte, or -1 where it is none of those. */
export function shortBlockType(byte: number): number {
  if (byte === 0x40) return TYPE_NOTHING;
  return byte >= F64 && byte <= I32 ? 1 + I32 - byte : -1;
}
