/** The display for one app: text in the console's font, and what the functions of the ABI may draw (docs/spec/display-and-input.md). */
import { Canvas565, DISPLAY_HEIGHT, DISPLAY_WIDTH, GLYPH_HEIGHT, GLYPH_WIDTH } from "./drawing.js";
import { characterAt, sequenceLength } from "./utf8.js";

/** Glyphs by character. The console has them in C; `tools/console-font.ts` reads them there. */
export class Font {
  readonly #rows = new Map<number, Uint8Array>();
  readonly #box: Uint8Array;

  /** @param table for each glyph its character in 16 bits, low byte first, and its rows; the one of character 0 is the box */
  constructor(table: Uint8Array) {
    for (let at = 0; at < table.length; at += 2 + GLYPH_HEIGHT) {
      const character = (table[at] as number) | ((table[at + 1] as number) << 8);
      this.#rows.set(character, table.subarray(at + 2, at + 2 + GLYPH_HEIGHT));
    }
    this.#box = this.#rows.get(0) ?? new Uint8Array(GLYPH_HEIGHT);
  }

  /** @param character a code point, or `undefined` for a byte that is not UTF-8 */
  rowsOf(character: number | undefined): Uint8Array {
    return (character && this.#rows.get(character)) || this.#box;
  }
}

const LINE_FEED = 0x0a;

export class Screen extends Canvas565 {
  readonly #font: Font;

  constructor(font: Font) {
    super();
    this.#font = font;
  }

  /** Writes UTF-8, its top left corner at x and y; the background stays. */
  text(x: number, y: number, scale: number, colour: number, text: Uint8Array): void {
    const [width, height] = [GLYPH_WIDTH * scale, GLYPH_HEIGHT * scale];
    let [column, top] = [x, y];
    for (let at = 0; at < text.length && top < DISPLAY_HEIGHT; ) {
      const length = sequenceLength(text, at);
      const character = length > 0 ? characterAt(text, at, length) : undefined;
      at += Math.max(1, length);
      if (character === LINE_FEED) {
        column = x;
        top += height;
        continue;
      }
      if (column > -width && column < DISPLAY_WIDTH && top > -height)
        this.glyph(column, top, scale, colour, this.#font.rowsOf(character));
      column += width;
    }
  }
}
