/** Copies the element segments, which are known to be valid, and omits those without functions. */
import type { ByteWindow } from "./byte-window.js";
import { readConstant } from "./constant-expression.js";
import type { PieceWriter } from "./piece-writer.js";
import { I32 } from "./value-types.js";

export class ElementRewriter {
  readonly #writer: PieceWriter;
  #segments = 0;
  /** Functions of the segment not yet copied, -1 before a segment. */
  #functions = -1;

  constructor(writer: PieceWriter) {
    this.#writer = writer;
  }

  begin(segments: number): void {
    this.#segments = segments;
    this.#functions = -1;
  }

  /** Copies the available segments. @returns whether all are complete */
  read(window: ByteWindow): boolean {
    while (this.#segments > 0) {
      if (!window.isReady) return false;
      const { position } = window;
      if (this.#functions < 0) this.#beginSegment(window);
      else {
        window.readUnsigned();
        this.#functions--;
        this.#writer.write(window.bytes, position, window.position);
      }
      if (this.#functions > 0) continue;
      this.#functions = -1;
      this.#segments--;
    }
    return true;
  }

  #beginSegment(window: ByteWindow): void {
    const { position } = window;
    window.readUnsigned();
    readConstant(window, I32);
    this.#functions = window.readUnsigned();
    if (this.#functions > 0) this.#writer.write(window.bytes, position, window.position);
  }
}
