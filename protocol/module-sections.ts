/**
 * Finds custom sections by name in a WebAssembly module that arrives in pieces (core specification 3.0 §5.5). Reports
 * the position of each requested section and, on request, keeps its content. Does not validate the rest of the module:
 * it follows the section lengths only, and the validator checks the contents.
 *
 *     magic, version ── id ── length ── [name length ── name] ── content ── id …
 *
 * Section heads are read byte by byte; content is copied or skipped in one step per piece.
 */
import { Fault } from "./fault.js";

export interface SectionQuery {
  /** ASCII. */
  readonly name: string;
  /** Keep the content, up to this length; a longer section is a fault. If left out, only the position is reported. */
  readonly keepBytes?: number;
}

export interface FoundSection {
  /** Offset of the content (after the section's name) in the module. */
  readonly offset: number;
  readonly byteLength: number;
  /** Present if the query set `keepBytes`. The caller owns it. */
  readonly content?: Uint8Array;
}

const PREAMBLE: readonly number[] = Object.freeze([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
const CUSTOM = 0;
/** The fifth byte of a LEB128 u32 starts at bit 28 and may have only 4 bits. */
const LAST_SHIFT = 28;
const LAST_BITS = 4;

type Phase = "preamble" | "id" | "length" | "nameLength" | "name" | "content";

export class ModuleSections {
  readonly #queries: readonly SectionQuery[];
  readonly #found: (FoundSection | undefined)[];
  /** Name of the current section so far; only names with the length of a requested one are collected. */
  readonly #name: Uint8Array;
  #phase: Phase = "preamble";
  /** Bytes since the beginning of the module. */
  #offset = 0;
  #isCustom = false;
  /** Bytes left in the current section. */
  #sectionLeft = 0;
  #nameLength = 0;
  #nameRead = 0;
  #value = 0;
  #shift = 0;
  #content: Uint8Array | undefined;

  constructor(queries: readonly SectionQuery[]) {
    this.#queries = queries;
    this.#found = queries.map(() => undefined);
    this.#name = new Uint8Array(Math.max(0, ...queries.map(({ name }) => name.length)));
  }

  /**
   * Process the next bytes of the module.
   * @throws {Fault} `module_invalid` with `details.offset`, for a wrong magic or version, an invalid length, a second
   *   section with a requested name, or a section longer than its `keepBytes`
   */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#phase === "content") at += this.#passContent(bytes, at);
      else this.#take(bytes[at++] as number);
    }
  }

  /**
   * Signal the end of the module.
   * @throws {Fault} `module_invalid` if it ends within a section
   */
  end(): void {
    if (this.#phase !== "id") throw this.#invalid("it ends before its last section does");
  }

  /** The section with this name, which must be one of the queries; `undefined` if the module has none. */
  find(name: string): FoundSection | undefined {
    return this.#found[this.#queries.findIndex((query) => query.name === name)];
  }

  #take(byte: number): void {
    switch (this.#phase) {
      case "preamble":
        this.#takePreamble(byte);
        break;
      case "id":
        this.#isCustom = byte === CUSTOM;
        this.#begin("length");
        break;
      case "length":
        if (this.#takeNumber(byte)) this.#beginSection();
        break;
      case "nameLength":
        this.#countInSection();
        if (this.#takeNumber(byte)) this.#beginName();
        break;
      case "name":
        this.#countInSection();
        this.#takeName(byte);
        break;
    }
    this.#offset++;
    if (this.#phase === "content") this.#beginContent();
  }

  #takePreamble(byte: number): void {
    if (byte !== PREAMBLE[this.#offset])
      throw this.#invalid(this.#offset < 4 ? "it does not begin with \\0asm" : "its version is not 1");
    if (this.#offset === PREAMBLE.length - 1) this.#begin("id");
  }

  #begin(phase: Phase): void {
    this.#phase = phase;
    this.#value = 0;
    this.#shift = 0;
  }

  /** Take the next byte of a LEB128 u32 (§5.2.2). @returns whether it was the last one */
  #takeNumber(byte: number): boolean {
    if (this.#shift === LAST_SHIFT && byte >> LAST_BITS !== 0) throw this.#invalid("a length is not a u32");
    this.#value += (byte & 0x7f) * 2 ** this.#shift; // not `<<`: bit 31 would make it negative
    this.#shift += 7;
    return byte < 0x80;
  }

  #beginSection(): void {
    this.#sectionLeft = this.#value;
    this.#begin(this.#isCustom ? "nameLength" : "content");
  }

  #countInSection(): void {
    if (this.#sectionLeft-- === 0) throw this.#invalid("the name of a custom section passes its end");
  }

  #beginName(): void {
    if (this.#value > this.#sectionLeft) throw this.#invalid("the name of a custom section passes its end");
    this.#nameLength = this.#value;
    this.#nameRead = 0;
    // No requested name has this length: skip the name together with the content.
    this.#begin(this.#isAskedLength(this.#nameLength) ? "name" : "content");
  }

  #isAskedLength(length: number): boolean {
    for (const { name } of this.#queries) if (name.length === length) return true;
    return false;
  }

  #takeName(byte: number): void {
    this.#name[this.#nameRead++] = byte;
    if (this.#nameRead === this.#nameLength) this.#begin("content");
  }

  /** Called at the first byte of the content: records a requested section, and ends one with empty content. */
  #beginContent(): void {
    const index = this.#nameRead > 0 ? this.#askedFor() : -1;
    this.#nameRead = 0;
    if (index >= 0) this.#note(index);
    if (this.#sectionLeft === 0) this.#endContent();
  }

  #askedFor(): number {
    const name = String.fromCharCode(...this.#name.subarray(0, this.#nameRead));
    return this.#queries.findIndex((query) => query.name === name);
  }

  #note(index: number): void {
    const { name, keepBytes } = this.#queries[index] as SectionQuery;
    if (this.#found[index]) throw this.#invalid(`it has two sections "${name}"`);
    const place = { offset: this.#offset, byteLength: this.#sectionLeft };
    if (keepBytes === undefined) {
      this.#found[index] = place;
      return;
    }
    if (place.byteLength > keepBytes)
      throw this.#invalid(`its section "${name}" has ${place.byteLength} bytes, ${keepBytes} are taken`);
    this.#content = new Uint8Array(place.byteLength);
    this.#found[index] = { ...place, content: this.#content };
  }

  /** Copy or skip content. @returns how many bytes from `at` on belong to it */
  #passContent(bytes: Uint8Array, at: number): number {
    const count = Math.min(this.#sectionLeft, bytes.length - at);
    if (this.#content)
      this.#content.set(bytes.subarray(at, at + count), this.#content.length - this.#sectionLeft);
    this.#sectionLeft -= count;
    this.#offset += count;
    if (this.#sectionLeft === 0) this.#endContent();
    return count;
  }

  #endContent(): void {
    this.#content = undefined;
    this.#begin("id");
  }

  #invalid(reason: string): Fault {
    const offset = this.#offset;
    return new Fault("module_invalid", `Cannot read the module: ${reason} (offset ${offset})`, {
      details: { offset },
    });
  }
}
