/** Readers of the element and data sections: initial contents of table and memory (binary format §5.5.12, §5.5.14). */

import type { ByteWindow } from "./byte-window.js";
import { readConstant } from "./constant-expression.js";
import { minimum } from "./integer-math.js";
import { ListReader } from "./sections.js";
import { I32 } from "./value-types.js";
import { invalid, unsupported } from "./verdict.js";

export class ElementSection extends ListReader {
  /** Number of segments without functions. The engine fails on them, so the prepared module omits them. */
  emptySegments = 0;
  /** Total bytes of the segments without functions. */
  emptyBytes = 0;
  /** Total number of segments. */
  segments = 0;
  /** Functions of the segment not yet read, -1 before a segment. */
  #functionsLeft = -1;

  protected override onCount(count: number): void {
    this.segments = count;
  }

  protected override readItem(window: ByteWindow): boolean {
    if (this.#functionsLeft < 0) this.#beginSegment(window);
    const { functions } = this.declarations;
    while (this.#functionsLeft > 0) {
      if (!window.isReady) return false;
      const { offset } = window;
      const index = window.readUnsigned();
      if (index >= functions.length) throw invalid(offset, `there is no function ${index}`);
      this.#functionsLeft--;
    }
    this.#functionsLeft = -1;
    return true;
  }

  #beginSegment(window: ByteWindow): void {
    const { offset } = window;
    const { tableElements } = this.declarations;
    const flags = window.readUnsigned();
    if (flags > 7) throw invalid(offset, `${flags} is not a kind of element segment`);
    if (flags > 0) throw unsupported(offset, "bulk memory", "an element segment is passive or has a kind");
    if (tableElements < 0) throw invalid(offset, "there is no table");
    const start = readConstant(window, I32) >>> 0;
    const count = window.readUnsigned();
    if (start + count > tableElements)
      throw unsupported(
        offset,
        "element segment outside the table",
        "an element segment ends past the table",
      );
    this.#functionsLeft = count;
    if (count > 0) return;
    this.emptySegments++;
    this.emptyBytes += window.offset - offset;
  }
}

export class DataSection extends ListReader {
  /** Bytes of the segment not yet read, -1 before a segment. */
  #bytesLeft = -1;

  protected override onCount(count: number, offset: number): void {
    const { dataSegments } = this.declarations;
    if (dataSegments >= 0 && dataSegments !== count)
      throw invalid(offset, `there are ${count} data segments, the data count is ${dataSegments}`);
  }

  protected override readItem(window: ByteWindow): boolean {
    if (this.#bytesLeft < 0) this.#beginSegment(window);
    const count = minimum(this.#bytesLeft, window.limit - window.position);
    window.position += count;
    this.#bytesLeft -= count;
    if (this.#bytesLeft > 0) {
      if (window.isContainerSeen) throw window.cut();
      return false;
    }
    this.#bytesLeft = -1;
    return true;
  }

  #beginSegment(window: ByteWindow): void {
    const { offset } = window;
    const flags = window.readUnsigned();
    if (flags > 2) throw invalid(offset, `${flags} is not a kind of data segment`);
    if (flags > 0) throw unsupported(offset, "bulk memory", "a data segment is passive or names its memory");
    if (this.declarations.memoryPages < 0) throw invalid(offset, "there is no memory");
    readConstant(window, I32);
    this.#bytesLeft = window.readUnsigned();
  }
}
