/**
 * The layout of the prepared module. The validator computes the length of each section before the rewriter writes a
 * byte: the rewriter only appends, because files on flash are slow to change.
 *
 * The interrupt is the last global: `i32`, mutable, initially 0. The engine recognizes a prepared module by it. In a
 * module without a global section, a new one is inserted before the first section that must follow it.
 */
import { lebLength } from "./value-types.js";

export const SECTION_CUSTOM = 0;
export const SECTION_TYPE = 1;
export const SECTION_IMPORT = 2;
export const SECTION_FUNCTION = 3;
export const SECTION_TABLE = 4;
export const SECTION_MEMORY = 5;
export const SECTION_GLOBAL = 6;
export const SECTION_EXPORT = 7;
export const SECTION_START = 8;
export const SECTION_ELEMENT = 9;
export const SECTION_CODE = 10;
export const SECTION_DATA = 11;
export const SECTION_DATA_COUNT = 12;
/** Tags of exception handling: only later versions of WebAssembly have this section. */
export const SECTION_TAG = 13;

/** Position of each section id in the prescribed order (binary format §5.5.2). Custom sections may be anywhere. */
const ORDER: readonly number[] = Object.freeze([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 10]);

export function sectionOrder(id: number): number {
  return ORDER[id] as number;
}

export const PREAMBLE_BYTES = 8;

/** Encoding of the interrupt: `i32`, mutable, `i32.const 0`, `end`. */
export const INTERRUPT_GLOBAL: readonly number[] = Object.freeze([0x7f, 0x01, 0x41, 0x00, 0x0b]);

/** Encoding of a global section that holds the interrupt alone. */
export const INTERRUPT_SECTION: readonly number[] = Object.freeze([
  SECTION_GLOBAL,
  1 + INTERRUPT_GLOBAL.length,
  1,
  ...INTERRUPT_GLOBAL,
]);

/** Length of a section with its header, in bytes. */
export function sectionBytes(contentBytes: number): number {
  return 1 + lebLength(contentBytes) + contentBytes;
}

/** Content length of a prepared memory section, which always has a maximum. */
export function memoryContentBytes(initialPages: number, maximumPages: number): number {
  return 2 + lebLength(initialPages) + lebLength(maximumPages);
}

/** Content length of a prepared global section. @param rest bytes that follow the count in the original */
export function globalContentBytes(count: number, rest: number): number {
  return lebLength(count + 1) + rest + INTERRUPT_GLOBAL.length;
}

/** Content length of a prepared element section. @param rest bytes that follow the count and are kept */
export function elementContentBytes(count: number, rest: number): number {
  return lebLength(count) + rest;
}

/** Decides where to insert a global section. Validator and rewriter each call it for every section. */
export class InterruptPlace {
  #isPlaced = false;

  /** Whether to insert {@link INTERRUPT_SECTION} before section `id`. */
  comesBefore(id: number): boolean {
    if (this.#isPlaced || id === SECTION_CUSTOM) return false;
    const order = sectionOrder(id);
    this.#isPlaced = order >= sectionOrder(SECTION_GLOBAL);
    return order > sectionOrder(SECTION_GLOBAL);
  }

  /** Whether to append it after all sections. */
  get comesLast(): boolean {
    return !this.#isPlaced;
  }
}
