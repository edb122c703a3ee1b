/**
 * The icons: BMPs of 32 by 32 pixels, read when they come into view, kept in RGB565 in a cache, and drawn at twice
 * their size. An app without an icon has a tile with its first letter.
 */
import { askAbout, isBusy } from "./api";
import { App } from "./apps";
import { drawBigLetter } from "./big-letters";
import { blit, fill } from "./canvas";
import { TEXT, TILE_1, TILE_2, TILE_3, TILE_4, TILE_5, TILE_6, TILE_7, TILE_8 } from "./palette";
import { readByte } from "./request";

export const ICON_SIZE = 64;
const PIXELS = 32;
const ICON_BYTES = PIXELS * PIXELS * 2;
/** A display full of icons, and one of the page of an app. */
const SLOTS = 10;
const slots: usize = memory.data(20480);

/** Rows of the icon that are drawn with one call. */
const STRIP_ROWS = 4;
const strip: usize = memory.data(1024);
const palette: usize = memory.data(512);

const keys = new StaticArray<u32>(SLOTS);
const usedAt = new StaticArray<u32>(SLOTS);
/** Whether the slot has pixels; a slot without them remembers that there is no icon. */
const hasPixels = new StaticArray<bool>(SLOTS);
let uses: u32 = 0;

/** A busy console is asked for an icon again after this. */
const RETRY_MS = 1000;
let retryAt: i64 = 0;

/** Whether the icon has to be read before it can be drawn. */
export function isIconMissing(app: App): bool {
  return app.hasIcon && slotOf(app.iconKey) < 0;
}

/** Reads an icon into the cache. An answer that is no icon counts as none; a busy console is asked again later. */
export function loadIcon(app: App, now: i64): bool {
  if (now < retryAt) return false;
  const isAnswered = askAbout("GET /api/apps/icon?name=", app.name);
  if (!isAnswered && isBusy()) {
    retryAt = now + RETRY_MS;
    return false;
  }
  const slot = oldestSlot();
  keys[slot] = app.iconKey;
  hasPixels[slot] = isAnswered && readBmp(slots + usize(slot * ICON_BYTES));
  usedAt[slot] = ++uses;
  return true;
}

/** Draws the icon, or the tile while there is none. */
export function drawIcon(app: App, x: i32, y: i32): void {
  const slot = app.hasIcon ? slotOf(app.iconKey) : -1;
  if (slot < 0 || !hasPixels[slot]) {
    drawTile(app, x, y);
    return;
  }
  usedAt[slot] = ++uses;
  const icon = slots + usize(slot * ICON_BYTES);
  for (let row = 0; row < PIXELS; row += STRIP_ROWS) {
    enlarge(icon + usize(row * PIXELS * 2));
    blit(x, y + row * 2, ICON_SIZE, STRIP_ROWS * 2, strip);
  }
}

function drawTile(app: App, x: i32, y: i32): void {
  fill(x, y, ICON_SIZE, ICON_SIZE, tileColour(app.name.hash() % 8));
  drawBigLetter(x + 15, y + 8, 7, TEXT, app.name.byte(0));
}

function tileColour(index: u32): i32 {
  if (index === 0) return TILE_1;
  if (index === 1) return TILE_2;
  if (index === 2) return TILE_3;
  if (index === 3) return TILE_4;
  if (index === 4) return TILE_5;
  if (index === 5) return TILE_6;
  return index === 6 ? TILE_7 : TILE_8;
}

/** Each pixel becomes four, of which two lie in one word. */
function enlarge(rows: usize): void {
  let to = strip;
  for (let row = 0; row < STRIP_ROWS; row++) {
    for (let column = 0; column < PIXELS; column++) {
      const pixel = u32(load<u16>(rows + (usize(row * PIXELS + column) << 1)));
      const pair = pixel | (pixel << 16);
      store<u32>(to, pair);
      store<u32>(to, pair, PIXELS * 4);
      to += 4;
    }
    to += PIXELS * 4;
  }
}

function slotOf(key: u32): i32 {
  for (let i = 0; i < SLOTS; i++) if (keys[i] === key && usedAt[i] !== 0) return i;
  return -1;
}

function oldestSlot(): i32 {
  let oldest = 0;
  for (let i = 1; i < SLOTS; i++) if (usedAt[i] < usedAt[oldest]) oldest = i;
  return oldest;
}

let readCount: i32 = 0;
let isCutOff: bool = false;

/** 0 beyond the end. */
function byte(): i32 {
  const value = readByte();
  readCount++;
  if (value < 0) isCutOff = true;
  return max(value, 0);
}

function number(bytes: i32): i32 {
  let value = 0;
  for (let i = 0; i < bytes; i++) value |= byte() << (8 * i);
  return value;
}

/** Goes to a position in the file. @returns whether that was possible */
function goTo(position: i32): bool {
  if (position < readCount || position > 4096) return false;
  while (readCount < position) byte();
  return !isCutOff;
}

/** BITMAPFILEHEADER, BITMAPINFOHEADER or a later one, not compressed; 1, 4, 8, 24 or 32 bits a pixel. */
function readBmp(icon: usize): bool {
  readCount = 0;
  isCutOff = false;
  if (number(2) !== 0x4d42 || !goTo(10)) return false;
  const pixelsAt = number(4);
  const headerBytes = number(4);
  const width = number(4);
  const height = number(4);
  number(2);
  const bits = number(2);
  const compression = number(4);
  if (width !== PIXELS || (height !== PIXELS && height !== -PIXELS)) return false;
  if (headerBytes < 40 || (compression !== 0 && !(compression === 3 && bits === 32))) return false;
  if (bits !== 1 && bits !== 4 && bits !== 8 && bits !== 24 && bits !== 32) return false;
  if (!goTo(46)) return false;
  const colours = number(4);
  if (bits <= 8 && !readPalette(14 + headerBytes, colours, 1 << bits)) return false;
  if (!goTo(pixelsAt)) return false;
  for (let row = 0; row < PIXELS; row++) {
    const y = height > 0 ? PIXELS - 1 - row : row;
    readRow(icon + usize(y * PIXELS * 2), bits);
  }
  return !isCutOff;
}

function readPalette(position: i32, used: i32, most: i32): bool {
  if (!goTo(position)) return false;
  const colours = used > 0 && used < most ? used : most;
  memory.fill(palette, 0, 512);
  for (let i = 0; i < colours; i++) {
    store<u16>(palette + (usize(i) << 1), u16(colour()));
    byte();
  }
  return true;
}

/** Blue, green, red. */
function colour(): i32 {
  const blue = byte();
  const green = byte();
  const red = byte();
  return ((red & 0xf8) << 8) | ((green & 0xfc) << 3) | (blue >> 3);
}

/** Rows of this width are whole words of four bytes, as they have to be. */
function readRow(row: usize, bits: i32): void {
  let at = row;
  if (bits >= 24)
    for (let i = 0; i < PIXELS; i++, at += 2) {
      store<u16>(at, u16(colour()));
      if (bits === 32) byte();
    }
  else
    for (let i = 0; i < PIXELS; ) {
      const packed = byte();
      for (let shift = 8 - bits; shift >= 0; shift -= bits, i++, at += 2) {
        const index = (packed >> shift) & ((1 << bits) - 1);
        store<u16>(at, load<u16>(palette + (usize(index) << 1)));
      }
    }
}
