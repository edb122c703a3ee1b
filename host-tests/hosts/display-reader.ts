/**
 * Reads the texts on a picture of the display, as its font prints them: letters of 8 by 16 pixels in one colour on one
 * ground. A cell counts as a letter only if every pixel of it is as the font has it, so that nothing else is read as text.
 */
import * as palette from "../../device/home/app/palette.js";
import { rgbOf } from "./colours.js";
import { FIRST_LETTER, GLYPHS, LETTER_HEIGHT, LETTER_WIDTH } from "./console-font.js";
import type { Picture } from "./read-png.js";

/** Letters side by side in one colour on one ground, with single spaces between them. */
export interface PrintedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** RGB, eight bits each. */
  readonly ink: number;
  readonly ground: number;
}

/** What texts are printed in; lines and marks have other colours. */
const INKS = new Set(
  [palette.TEXT, palette.DIM, palette.TITLE, palette.GOOD, palette.WARNING, palette.BAD].map(rgbOf),
);

const LETTERS = new Map(
  GLYPHS.map((rows, index) => [rows.join(), String.fromCharCode(FIRST_LETTER + index)] as const),
);

/** More than any letter of the font has; white paper has more in each cell. */
const MOST_INK = 64;

/** Texts from top to bottom, and from left to right. */
export function readTexts(picture: Picture): readonly PrintedText[] {
  const pixels = pixelsOf(picture);
  const { width, height } = picture;
  const inkOf = countsOfInk(pixels, width, height);
  const taken = new Uint8Array(width * height);
  const texts: PrintedText[] = [];
  for (let y = 0; y + LETTER_HEIGHT <= height; y++)
    for (let x = 0; x + LETTER_WIDTH <= width; x++) {
      const ink = inkOf(x, y);
      if (ink === 0 || ink > MOST_INK || taken[y * width + x]) continue;
      const letter = letterAt(pixels, width, x, y);
      if (!letter) continue;
      const text = restOfText(pixels, width, letter);
      texts.push(text);
      for (let row = y; row < y + LETTER_HEIGHT; row++)
        taken.fill(1, row * width + x, row * width + x + text.text.length * LETTER_WIDTH);
    }
  return texts;
}

/** @returns how many pixels of a cell have the colour of an ink, from a table of sums over the pixels above and left of each */
function countsOfInk(pixels: Uint32Array, width: number, height: number): (x: number, y: number) => number {
  const stride = width + 1;
  const sums = new Uint32Array(stride * (height + 1));
  const sum = (x: number, y: number) => sums[y * stride + x] as number;
  let last = -1; // most pixels are as the one before
  let isInk = false;
  for (let y = 0; y < height; y++) {
    let inRow = 0;
    for (let x = 0; x < width; x++) {
      const pixel = pixels[y * width + x] as number;
      if (pixel !== last) isInk = INKS.has(pixel);
      last = pixel;
      if (isInk) inRow++;
      sums[(y + 1) * stride + x + 1] = sum(x + 1, y) + inRow;
    }
  }
  return (x, y) => {
    const [right, bottom] = [x + LETTER_WIDTH, y + LETTER_HEIGHT];
    return sum(right, bottom) - sum(x, bottom) - sum(right, y) + sum(x, y);
  };
}

function restOfText(pixels: Uint32Array, width: number, first: PrintedText): PrintedText {
  let { text } = first;
  for (;;) {
    const next = following(pixels, width, first, text.length);
    if (next === undefined) return { ...first, text };
    text += next;
  }
}

/** The letter in the next cell, or a space and the letter in the one after it. */
function following(pixels: Uint32Array, width: number, first: PrintedText, cells: number) {
  const at = (cell: number) => {
    const x = first.x + cell * LETTER_WIDTH;
    const letter = x + LETTER_WIDTH <= width ? letterAt(pixels, width, x, first.y) : undefined;
    const isAlike = letter?.ground === first.ground && (letter.text === " " || letter.ink === first.ink);
    return isAlike ? letter?.text : undefined;
  };
  const next = at(cells);
  if (next !== " ") return next;
  const afterSpace = at(cells + 1);
  return afterSpace === undefined || afterSpace === " " ? undefined : ` ${afterSpace}`;
}

/** The letter whose cell begins at `x`, `y`; no glyph has the pixel in its first row and column. */
function letterAt(pixels: Uint32Array, width: number, x: number, y: number): PrintedText | undefined {
  const ground = pixels[y * width + x] as number;
  let ink = -1;
  const rows: number[] = [];
  for (let row = 0; row < LETTER_HEIGHT; row++) {
    let bits = 0;
    for (let column = 0; column < LETTER_WIDTH; column++) {
      const pixel = pixels[(y + row) * width + x + column] as number;
      bits <<= 1;
      if (pixel === ground) continue;
      if (ink < 0 && !INKS.has(pixel)) return undefined;
      if (ink >= 0 && pixel !== ink) return undefined;
      ink = pixel;
      bits |= 1;
    }
    rows.push(bits);
  }
  const text = LETTERS.get(rows.join());
  return text === undefined ? undefined : { text, x, y, ink, ground };
}

function pixelsOf({ rgb }: Picture): Uint32Array {
  const pixels = new Uint32Array(rgb.length / 3);
  for (let index = 0, at = 0; index < pixels.length; index++, at += 3)
    pixels[index] = ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);
  return pixels;
}
