/**
 * Where everything stands in the prepared module, worked out section by section before a byte of it is
 * written: the rewriter only appends, because files on flash are slow to change.
 *
 * The interrupt is a global `i32`, mutable, 0, after all others, by which the engine knows a prepared module.
 * Where there is no section of globals, one is put in before the first section that must follow it.
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
/** Known to later versions of WebAssembly. */
export const SECTION_TAG = 13;

/** Where a section stands among the others (binary format §5.5.2): custom sections anywhere, none twice. */
const ORDER: readonly number[] = Object.freeze([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 10]);

export function sectionOrder(id: number): number {
  return ORDER[id] as number;
}

export const PREAMBLE_BYTES = 8;

/** `i32`, mutable, `i32.const 0`, `end`. */
export const INTERRUPT_GLOBAL: readonly number[] = Object.freeze([0x7f, 0x01, 0x41, 0x00, 0x0b]);

/** A section of globals with the interrupt alone. */
export const INTERRUPT_SECTION: readonly number[] = Object.freeze([
  SECTION_GLOBAL,
  1 + INTERRUPT_GLOBAL.length,
  1,
  ...INTERRUPT_GLOBAL,
]);

/** Bytes of a section with its header. */
export function sectionBytes(contentBytes: number): number {
  return 1 + lebLength(contentBytes) + contentBytes;
}

/** Bytes of the contents of a prepared memory section, which always has a maximum. */
export function memoryContentBytes(initialPages: number, maximumPages: number): number {
  return 2 + lebLength(initialPages) + lebLength(maximumPages);
}

/** Bytes of the contents of a prepared section of globals. @param rest bytes after the count that came */
export function globalContentBytes(count: number, rest: number): number {
  return lebLength(count + 1) + rest + INTERRUPT_GLOBAL.length;
}

/** Bytes of the contents of a prepared element section. @param rest bytes after the count that are kept */
export function elementContentBytes(count: number, rest: number): number {
  return lebLength(count) + rest;
}

/** Decides where the section of globals is put in. Validator and rewriter each ask it for every section. */
export class InterruptPlace {
  #isPlaced = false;

  /** Whether the section with the interrupt alone comes before section `id`. */
  comesBefore(id: number): boolean {
    if (this.#isPlaced || id === SECTION_CUSTOM) return false;
    const order = sectionOrder(id);
    this.#isPlaced = order >= sectionOrder(SECTION_GLOBAL);
    return order > sectionOrder(SECTION_GLOBAL);
  }

  /** Whether it comes after all sections. */
  get comesLast(): boolean {
    return !this.#isPlaced;
  }
}
