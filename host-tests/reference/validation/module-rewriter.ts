/**
 * The second pass over a valid module: writes the prepared module, which the engine runs
 * (docs/spec/app-packages.md#validated). It caps the memory's maximum at the quota, adds the interrupt to the globals,
 * and rewrites functions as `prepared-code.ts` describes. All else is copied, except that lengths lose their padding.
 * Output is append-only: the first pass has computed every length.
 */
import { BodyRewriter } from "./body-rewriter.js";
import { ByteWindow } from "./byte-window.js";
import { ElementRewriter } from "./element-rewriter.js";
import type { ModuleFacts } from "./facts.js";
import { PieceWriter } from "./piece-writer.js";
import * as layout from "./prepared-layout.js";

type Phase = "preamble" | "section" | "copy" | "globals" | "drop" | "elements" | "bodies" | "body";

const LETTERS_OF_NAME = "name";

export class ModuleRewriter {
  readonly #window = new ByteWindow();
  readonly #facts: ModuleFacts;
  readonly #writer: PieceWriter;
  readonly #body: BodyRewriter;
  readonly #elements: ElementRewriter;
  readonly #place = new layout.InterruptPlace();
  readonly #read = () => this.#readSections();
  #phase: Phase = "preamble";
  #sectionEnd = 0;
  /** Bodies begun so far. */
  #bodies = 0;

  /**
   * @param facts result of `ModuleValidator` for the same bytes
   * @param onPiece receives the next bytes of the prepared module, at most 1 KiB, as a view that is valid only during
   *   the call
   */
  constructor(facts: ModuleFacts, onPiece: (piece: Uint8Array) => void) {
    this.#facts = facts;
    this.#writer = new PieceWriter(onPiece);
    this.#elements = new ElementRewriter(this.#writer);
    this.#body = new BodyRewriter(this.#writer, facts.plan.types);
  }

  /** Read the next bytes of the module. */
  push(chunk: Uint8Array): void {
    this.#window.feed(chunk, this.#read);
  }

  /** Finish the prepared module: all bytes have been pushed. @throws {Error} if the facts are of another module */
  end(): void {
    this.#window.finish(this.#read);
    if (this.#place.comesLast) this.#writer.writeList(layout.INTERRUPT_SECTION);
    this.#writer.flush();
    if (this.#writer.byteLength !== this.#facts.preparedByteLength)
      throw new Error(
        `Cannot prepare the module: ${this.#writer.byteLength} bytes came out, not ${this.#facts.preparedByteLength}`,
      );
  }

  #readSections(): void {
    const window = this.#window;
    for (;;) {
      if (this.#phase === "preamble") {
        if (!window.isReady) return;
        this.#copy(layout.PREAMBLE_BYTES);
        this.#phase = "section";
      } else if (this.#phase === "section") {
        if (!window.isReady || window.position === window.end) return;
        this.#beginSection();
      } else if (this.#phase === "bodies") {
        if (this.#bodies === this.#facts.plan.growths.length) this.#endSection();
        else if (!window.isReady) return;
        else this.#beginBody();
      } else if (this.#phase === "body") {
        if (!this.#body.read(window)) return;
        window.enter(this.#sectionEnd);
        this.#phase = "bodies";
      } else if (this.#phase === "elements") {
        if (!this.#elements.read(window)) return;
        this.#endSection();
      } else if (!this.#passContents()) return;
    }
  }

  /** Copies or drops the available rest of the section. @returns whether the section is complete */
  #passContents(): boolean {
    const window = this.#window;
    const count = window.limit - window.position;
    if (this.#phase === "drop") window.position += count;
    else this.#copy(count);
    if (window.offset < this.#sectionEnd) return false;
    if (this.#phase === "globals") this.#writer.writeList(layout.INTERRUPT_GLOBAL);
    this.#endSection();
    return true;
  }

  #beginSection(): void {
    const window = this.#window;
    const id = window.readByte();
    const byteLength = window.readUnsigned();
    const { plan } = this.#facts;
    this.#sectionEnd = window.offset + byteLength;
    window.enter(this.#sectionEnd);
    if (this.#place.comesBefore(id)) this.#writer.writeList(layout.INTERRUPT_SECTION);
    this.#phase = "copy";
    if (id === layout.SECTION_CUSTOM && window.offset >= plan.namesUntil && this.#isNameSection())
      this.#phase = "drop";
    else if (id === layout.SECTION_MEMORY) this.#writeMemory();
    else if (id === layout.SECTION_GLOBAL) this.#beginGlobals(byteLength);
    else if (id === layout.SECTION_ELEMENT && plan.emptySegments > 0) this.#beginElements(byteLength);
    else if (id === layout.SECTION_CODE) this.#beginCode();
    else this.#writeHeader(id, byteLength);
  }

  #endSection(): void {
    this.#window.enter(Number.POSITIVE_INFINITY);
    this.#phase = "section";
  }

  #writeHeader(id: number, contentBytes: number): void {
    this.#writer.writeByte(id);
    this.#writer.writeUnsigned(contentBytes);
  }

  /** As `isNameSection` in `custom-section.ts`, without consuming bytes. */
  #isNameSection(): boolean {
    const window = this.#window;
    const { position } = window;
    const length = window.readUnsigned();
    let isName = length >= LETTERS_OF_NAME.length;
    for (let index = 0; isName && index < LETTERS_OF_NAME.length; index++)
      isName = window.readByte() === LETTERS_OF_NAME.charCodeAt(index);
    if (isName && length > LETTERS_OF_NAME.length) isName = window.readByte() === 0;
    window.position = position;
    return isName;
  }

  #writeMemory(): void {
    const { memory } = this.#facts;
    this.#phase = "drop";
    if (!memory) return;
    const { initialPages, preparedMaximumPages } = memory;
    this.#writeHeader(layout.SECTION_MEMORY, layout.memoryContentBytes(initialPages, preparedMaximumPages));
    this.#writer.writeByte(1);
    this.#writer.writeByte(1);
    this.#writer.writeUnsigned(initialPages);
    this.#writer.writeUnsigned(preparedMaximumPages);
  }

  #beginGlobals(byteLength: number): void {
    const window = this.#window;
    const { offset } = window;
    const count = window.readUnsigned();
    const rest = byteLength - (window.offset - offset);
    this.#writeHeader(layout.SECTION_GLOBAL, layout.globalContentBytes(count, rest));
    this.#writer.writeUnsigned(count + 1);
    this.#phase = "globals";
  }

  #beginElements(byteLength: number): void {
    const window = this.#window;
    const { offset } = window;
    const { emptySegments, emptySegmentBytes } = this.#facts.plan;
    const count = window.readUnsigned();
    const rest = byteLength - (window.offset - offset) - emptySegmentBytes;
    this.#writeHeader(layout.SECTION_ELEMENT, layout.elementContentBytes(count - emptySegments, rest));
    this.#writer.writeUnsigned(count - emptySegments);
    this.#elements.begin(count);
    this.#phase = "elements";
  }

  #beginCode(): void {
    const { plan } = this.#facts;
    this.#writeHeader(layout.SECTION_CODE, plan.codeContentBytes);
    this.#writer.writeUnsigned(this.#window.readUnsigned());
    this.#phase = "bodies";
  }

  #beginBody(): void {
    const window = this.#window;
    const byteLength = window.readUnsigned();
    this.#writer.writeUnsigned(byteLength + (this.#facts.plan.growths[this.#bodies++] as number));
    window.enter(window.offset + byteLength);
    this.#body.begin();
    this.#phase = "body";
  }

  #copy(count: number): void {
    const window = this.#window;
    this.#writer.write(window.bytes, window.position, window.position + count);
    window.position += count;
  }
}
