/**
 * Reads custom sections: checks that the name is UTF-8, and ignores the contents except for function names. The
 * engine's parser reads and trusts these (an excessive length makes it leave the module, or even jump back into an
 * endless loop), but by the standard a malformed name section does not make a module invalid. So this class parses the
 * name section as the engine does, and the prepared module omits it if the engine would fail on it.
 */

import { Fault } from "../../../protocol/fault.js";
import type { ByteWindow } from "./byte-window.js";
import { minimum } from "./integer-math.js";
import type { NameReader } from "./name-reader.js";
import type { SectionReader } from "./sections.js";
import { invalid } from "./verdict.js";

const FUNCTION_NAMES = 1;

/** Whether the engine treats a custom section as the name section: it compares the name up to a NUL. */
export function isNameSection(name: NameReader): boolean {
  return name.startsWith("name") && (name.byteLength === 4 || name.byteAt(4) === 0);
}

export class CustomSection implements SectionReader {
  /** Offset in the module at which the contents begin, after the name. */
  contentStart = 0;
  /** Length of the contents after the name. */
  contentBytes = 0;
  /** Name sections from this byte on are omitted. */
  namesUntil = Number.POSITIVE_INFINITY;
  readonly #name: NameReader;
  readonly #functionName: NameReader;
  #phase: "name" | "skip" | "subsection" | "pass" | "count" | "index" | "function" = "name";
  #sectionStart = 0;
  #subsectionEnd = 0;
  #namesLeft = 0;

  /** @param name reader that holds the section's name afterwards @param functionName reader of the function names */
  constructor(name: NameReader, functionName: NameReader) {
    this.#name = name;
    this.#functionName = functionName;
  }

  begin(): void {
    this.#phase = "name";
    this.#sectionStart = -1;
    this.#name.begin();
  }

  get isNames(): boolean {
    return isNameSection(this.#name);
  }

  /** Whether the prepared module omits the section that was read last. */
  get isLeftOut(): boolean {
    return this.isNames && this.#sectionStart >= this.namesUntil;
  }

  read(window: ByteWindow): boolean {
    if (this.#sectionStart < 0) this.#sectionStart = window.offset;
    if (this.#phase === "name") {
      if (!this.#name.read(window)) return false;
      this.contentStart = window.offset;
      this.contentBytes = window.containerEnd - window.offset;
      this.#phase = this.isNames && !this.isLeftOut ? "subsection" : "skip";
    }
    if (this.#phase !== "skip") this.#tryNames(window);
    if (this.#phase === "skip") window.position = window.limit;
    return window.offset === window.containerEnd;
  }

  #tryNames(window: ByteWindow): void {
    try {
      while (window.offset < window.containerEnd && this.#readNames(window));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.namesUntil = this.#sectionStart;
      this.#phase = "skip";
    }
    if (window.offset === window.containerEnd && this.#phase !== "subsection") this.#stopReadingNames();
  }

  #stopReadingNames(): void {
    this.namesUntil = minimum(this.namesUntil, this.#sectionStart);
    this.#phase = "skip";
  }

  /** Reads the next part of the name section. @returns false if it needs more bytes */
  #readNames(window: ByteWindow): boolean {
    if (this.#phase === "function") {
      if (!this.#functionName.read(window)) return false;
      this.#endName(window);
      return true;
    }
    if (this.#phase === "pass") return this.#pass(window);
    if (!window.isReady) return false;
    if (this.#phase === "subsection") this.#beginSubsection(window);
    else if (this.#phase === "count") this.#beginFunctionNames(window);
    else this.#beginName(window);
    return true;
  }

  #beginSubsection(window: ByteWindow): void {
    const { offset } = window;
    const kind = window.readByte();
    const byteLength = window.readUnsigned();
    this.#subsectionEnd = window.offset + byteLength;
    if (kind >= 0x80 || this.#subsectionEnd > window.containerEnd)
      throw invalid(offset, "names end too early");
    this.#phase = kind === FUNCTION_NAMES ? "count" : "pass";
  }

  #pass(window: ByteWindow): boolean {
    window.position = minimum(window.limit, this.#subsectionEnd - window.base);
    if (window.offset < this.#subsectionEnd) return false;
    this.#phase = "subsection";
    return true;
  }

  #beginFunctionNames(window: ByteWindow): void {
    this.#namesLeft = window.readUnsigned();
    this.#phase = "index";
    if (this.#namesLeft === 0) this.#endSubsection(window);
  }

  #beginName(window: ByteWindow): void {
    window.readUnsigned();
    this.#functionName.begin();
    this.#phase = "function";
  }

  #endName(window: ByteWindow): void {
    this.#namesLeft--;
    this.#phase = "index";
    if (this.#namesLeft === 0) this.#endSubsection(window);
  }

  #endSubsection(window: ByteWindow): void {
    if (window.offset !== this.#subsectionEnd)
      throw invalid(window.offset, "names do not fill their section");
    this.#phase = "subsection";
  }
}
