/** The font of the console, read from its C source, for tests that print with it or read what it printed. */
import { readFileSync } from "node:fs";
import path from "node:path";

export const LETTER_WIDTH = 8;
export const LETTER_HEIGHT = 16;
export const FIRST_LETTER = 0x20;
const LETTERS = 95;

const SOURCE = path.join(import.meta.dirname, "../../device/wasm/native/font.c");
const GLYPH = /^\t\{ ((?:0x[0-9A-F]{2}(?:, )?){16}) \}/gm;

/** Rows of each printable character of ASCII from the space on, from top to bottom; the highest bit is on the left. */
export const GLYPHS: readonly (readonly number[])[] = [...readFileSync(SOURCE, "utf8").matchAll(GLYPH)]
  .slice(0, LETTERS)
  .map(([, bytes = ""]) => bytes.split(", ").map(Number));
