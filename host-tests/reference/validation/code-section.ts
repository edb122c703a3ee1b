/** Reads the code section: validates the body of each function and computes the lengths in the prepared module. */

import { GROWTH_LIMIT_BYTES } from "../../../device/sandbox/validator/limits.js";
import { BodyValidator } from "./body-validator.js";
import type { ByteWindow } from "./byte-window.js";
import type { Declarations } from "./declarations.js";
import type { SectionReader } from "./sections.js";
import { lebLength } from "./value-types.js";
import { beyondLimit, invalid } from "./verdict.js";

export class CodeSection implements SectionReader {
  /** Bytes by which preparing lengthens each body; negative if it shrinks. */
  growths: Int16Array = new Int16Array(0);
  /** Length of the prepared section's contents. */
  preparedBytes = 0;
  readonly body: BodyValidator;
  readonly #declarations: Declarations;
  /** Number of complete bodies, -1 before the count is read. */
  #done = -1;
  #bodyStart = 0;
  /** Offset at which the section ends, while the window's container is a body; 0 between bodies. */
  #sectionEnd = 0;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
    this.body = new BodyValidator(declarations);
  }

  begin(): void {}

  read(window: ByteWindow): boolean {
    if (this.#done < 0) {
      if (!window.isReady) return false;
      this.#begin(window);
    }
    while (this.#done < this.growths.length) {
      if (this.#sectionEnd === 0) {
        if (!window.isReady) return false;
        this.#beginBody(window);
      }
      if (!this.body.read(window)) return false;
      this.#endBody(window);
    }
    return true;
  }

  #begin(window: ByteWindow): void {
    const { offset } = window;
    const count = window.readUnsigned();
    const declared = this.#declarations.functions.length - this.#declarations.importedFunctions;
    if (count !== declared) throw invalid(offset, `there are ${count} bodies for ${declared} functions`);
    this.growths = this.#declarations.growths?.subarray(0, count) ?? new Int16Array(count);
    this.preparedBytes = lebLength(count);
    this.#done = 0;
  }

  #beginBody(window: ByteWindow): void {
    const { offset } = window;
    const byteLength = window.readUnsigned();
    const { importedFunctions, functions } = this.#declarations;
    this.#bodyStart = window.offset;
    if (this.#bodyStart + byteLength > window.containerEnd)
      throw invalid(offset, "a function ends past its section");
    this.#sectionEnd = window.containerEnd;
    window.enter(this.#bodyStart + byteLength);
    this.body.begin(functions.at(importedFunctions + this.#done));
  }

  #endBody(window: ByteWindow): void {
    const { growth } = this.body;
    if (growth > GROWTH_LIMIT_BYTES || growth < -GROWTH_LIMIT_BYTES)
      throw beyondLimit(
        window.offset,
        "GROWTH_LIMIT_BYTES",
        "a function has too many branches to loops or too much dead code",
      );
    const byteLength = window.offset - this.#bodyStart + growth;
    this.growths[this.#done++] = growth;
    this.preparedBytes += lebLength(byteLength) + byteLength;
    window.enter(this.#sectionEnd);
    this.#sectionEnd = 0;
  }
}
