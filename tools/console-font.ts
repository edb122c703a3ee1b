/**
 * The console's font for programs that are not C: read from `device/wasm/native/font.c` and `font-latin.c`, its only source, and
 * composed as they do.
 */
import { readFileSync } from "node:fs";
import path from "node:path";

const NATIVE = path.join(import.meta.dirname, "../device/wasm/native");
const FONT_SOURCES: readonly string[] = Object.freeze([
  path.join(NATIVE, "font.c"),
  path.join(NATIVE, "font-latin.c"),
]);

const HEIGHT = 16;
const FIRST = 0x20;
const ASCII_COUNT = 95;
const OWN_TOP = 2;
const OWN_ROWS = 13;
const CAPITAL_TOP = 2;
const SMALL_TOP = 5;
const BASELINE = 12;
const BELOW: readonly string[] = ["CEDILLA", "OGONEK"];

type Rows = readonly number[];

/** @returns the table that `Font` of `web/player/screen.ts` reads */
export function consoleFont(): Uint8Array {
  const [ascii, latin] = FONT_SOURCES.map((file) => readFileSync(file, "utf8")) as [string, string];
  const glyphs = new Map<number, Rows>();
  const plain = [...ascii.matchAll(/^\t\{ ((?:0x[0-9A-F]{2}(?:, )?){16}) \}/gm)].map(([, rows]) =>
    bytes(rows),
  );
  if (plain.length !== ASCII_COUNT) throw new Error(`font.c has ${plain.length} glyphs, not ${ASCII_COUNT}`);
  for (const [index, rows] of plain.entries()) glyphs.set(FIRST + index, rows);
  glyphs.set(0, bytes(/BOX\[FONT_HEIGHT\] = \{ (.*?) \}/.exec(ascii)?.[1]));
  for (const [, character = "", rows] of latin.matchAll(/^\t\{ (0x[0-9A-F]{4}), \{ (.*?) \} \}/gm))
    glyphs.set(Number(character), [...Array(OWN_TOP).fill(0), ...bytes(rows, OWN_ROWS), 0]);
  const marks = new Map<string, Rows>();
  for (const [, name = "", rows] of latin.matchAll(/^\t\[([A-Z_]+)\] = \{ (.*?) \}/gm))
    marks.set(name, bytes(rows, 2));
  for (const [, character = "", letter = "", mark = ""] of latin.matchAll(
    /\{ (0x[0-9A-F]{4}), '(.)', ([A-Z_]+) \}/g,
  ))
    glyphs.set(Number(character), composed(letter, glyphs.get(letter.charCodeAt(0)), mark, marks.get(mark)));
  return Uint8Array.from(
    [...glyphs].flatMap(([character, rows]) => [character & 0xff, character >> 8, ...rows]),
  );
}

function bytes(text = "", count = HEIGHT): Rows {
  const found = text.split(", ").map(Number);
  if (found.length !== count || found.some(Number.isNaN)) throw new Error(`Cannot read a glyph in "${text}"`);
  return found;
}

/** As `compose` of font-latin.c. */
function composed(letter: string, glyph: Rows | undefined, name: string, mark: Rows | undefined): Rows {
  if (!glyph || !mark) throw new Error(`The font has no "${letter}" or no mark ${name}`);
  const rows = [...glyph];
  const add = (top: number) => {
    for (const [row, bits] of mark.entries()) rows[top + row] = (rows[top + row] as number) | bits;
  };
  if (BELOW.includes(name)) {
    add(BASELINE);
    return rows;
  }
  if (letter === "i" || letter === "j") rows.fill(0, 0, SMALL_TOP); // without its dot
  const isHigh = rows[CAPITAL_TOP] !== 0 || rows[CAPITAL_TOP + 1] !== 0;
  if (isHigh) lowerTop(rows);
  add(isHigh ? 0 : CAPITAL_TOP);
  return rows;
}

/** As `lower_top` of font-latin.c. */
function lowerTop(rows: number[]): void {
  let row = CAPITAL_TOP + 1;
  while (row < BASELINE - 1 && rows[row] !== rows[row + 1]) row++;
  rows.copyWithin(CAPITAL_TOP + 1, CAPITAL_TOP, row);
  rows[CAPITAL_TOP] = 0;
}
