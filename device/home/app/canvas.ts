/**
 * Drawing. Text is printed in the console's font, a column of 8 pixels a character; a character that the font does not
 * have is a box of one column.
 */
import { raw } from "svc";
import { Text } from "./text";

export const WIDTH = 240;
export const HEIGHT = 320;
export const LETTER_WIDTH = 8;
export const LETTER_HEIGHT = 16;
export const BAR_HEIGHT = 22;
export const CONTENT_TOP = 24;
export const HINTS_TOP = 300;
/** Characters in a row with a margin of 8 pixels on both sides. */
export const COLUMNS = 28;
export const MARGIN = 8;

const PRINTED_COLUMNS = 30;
const printed: usize = memory.data(30);
/** Any code without a glyph. */
const BOX = 0x7f;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const DOT = 0x2e;

let isDrawn: bool = false;
let isLost: bool = true;
const scratch = new Text(160);

export function fill(x: i32, y: i32, width: i32, height: i32, colour: i32): void {
  raw.display_fill(x, y, width, height, colour);
  isDrawn = true;
}

export function blit(x: i32, y: i32, width: i32, height: i32, pixels: usize): void {
  raw.display_blit(x, y, width, height, pixels);
  isDrawn = true;
}

/** Shows what was drawn, if anything was. */
export function flush(): void {
  if (isDrawn && raw.display_flush() < 0) isLost = true;
  isDrawn = false;
}

/** Nothing is known of the display: another app may have had it since, if only for a moment. */
export function loseDisplay(): void {
  isLost = true;
}

/** Whether everything has to be drawn again; it counts as drawn from then on. */
export function takeLoss(): bool {
  const wasLost = isLost;
  isLost = false;
  return wasLost;
}

/** An empty rectangle draws nothing; its result tells whether the app is in front. */
export function isInFront(): bool {
  return raw.display_fill(0, 0, 0, 0, 0) >= 0;
}

/** A frame of one pixel. */
export function frame(x: i32, y: i32, width: i32, height: i32, colour: i32): void {
  fill(x, y, width, 1, colour);
  fill(x, y + height - 1, width, 1, colour);
  fill(x, y, 1, height, colour);
  fill(x + width - 1, y, 1, height, colour);
}

export function drawString(x: i32, y: i32, colour: i32, text: string, columns: i32 = PRINTED_COLUMNS): void {
  drawText(x, y, colour, scratch.clear().put(text), columns);
}

/** Prints on one line; text that is longer than `columns` ends in two dots. */
export function drawText(x: i32, y: i32, colour: i32, text: Text, columns: i32 = PRINTED_COLUMNS): void {
  drawPart(x, y, colour, text, 0, text.length, columns);
}

export function drawPart(
  x: i32,
  y: i32,
  colour: i32,
  text: Text,
  from: i32,
  to: i32,
  columns: i32 = PRINTED_COLUMNS,
): void {
  const room = min(columns, PRINTED_COLUMNS);
  let count = 0;
  let isCut = false;
  for (let i = from; i < to; i++) {
    const byte = text.byte(i);
    if ((byte & 0xc0) === 0x80) continue; // the rest of a character
    if (count >= room) {
      isCut = true;
      break;
    }
    store<u8>(printed + usize(count++), u8(printable(byte)));
  }
  if (isCut && room > 2) {
    store<u8>(printed + usize(room - 1), DOT);
    store<u8>(printed + usize(room - 2), DOT);
  }
  if (count === 0) return;
  raw.display_text(x, y, colour, printed, count);
  isDrawn = true;
}

/** A line feed is a space: it is in no text of ours, and one in a text of others must not begin a line. */
function printable(byte: i32): i32 {
  if (byte === LINE_FEED) return SPACE;
  return byte < SPACE || byte > 0x7e ? BOX : byte;
}

/** Characters of the text. */
export function columnsOf(text: Text): i32 {
  let count = 0;
  for (let i = 0; i < text.length; i++) if ((text.byte(i) & 0xc0) !== 0x80) count++;
  return count;
}

export function drawCentred(y: i32, colour: i32, text: Text, left: i32 = 0, width: i32 = WIDTH): void {
  const columns = min(columnsOf(text), width / LETTER_WIDTH);
  drawText(left + (width - columns * LETTER_WIDTH) / 2, y, colour, text, columns);
}

export function drawCentredString(
  y: i32,
  colour: i32,
  text: string,
  left: i32 = 0,
  width: i32 = WIDTH,
): void {
  drawCentred(y, colour, scratch.clear().put(text), left, width);
}

/** @param right edge */
export function drawRight(right: i32, y: i32, colour: i32, text: Text, columns: i32): void {
  const count = min(columnsOf(text), columns);
  drawText(right - count * LETTER_WIDTH, y, colour, text, count);
}

/**
 * Where the line that begins at `from` ends: before the last word that does not fit, or within a word that is longer than a
 * line.
 */
export function lineEnd(text: Text, from: i32, columns: i32): i32 {
  let count = 0;
  let space = -1;
  for (let i = from; i < text.length; i++) {
    const byte = text.byte(i);
    if ((byte & 0xc0) === 0x80) continue;
    if (isSpace(byte)) space = i;
    if (count === columns) return space > from ? space : i;
    count++;
  }
  return text.length;
}

/** Where the next line begins: a space between two lines is not printed. */
export function nextLine(text: Text, end: i32): i32 {
  return isSpace(text.byte(end)) ? end + 1 : end;
}

function isSpace(byte: i32): bool {
  return byte === SPACE || byte === LINE_FEED;
}

/** Draws wrapped lines and returns the y below them. */
export function drawWrapped(x: i32, y: i32, colour: i32, text: Text, columns: i32, lines: i32): i32 {
  let from = 0;
  let below = y;
  for (let line = 0; line < lines && from < text.length; line++) {
    const end = lineEnd(text, from, columns);
    const isLast = line === lines - 1 && end < text.length;
    drawPart(x, below, colour, text, from, isLast ? text.length : end, columns);
    below += LETTER_HEIGHT;
    from = nextLine(text, end);
  }
  return below;
}
