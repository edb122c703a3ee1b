/**
 * The colours, in RGB565. Text has a contrast of at least 4.5:1 on what lies below it (WCAG 2.2, 1.4.3), which the
 * tests compute from the pairs below. This file is also a module of TypeScript, for them.
 */
export const BACKGROUND = 0x0000;
/** Status bar, line of hints, cards. */
export const SURFACE = 0x18e4;
/** What the cursor is on. It stands out from the other grounds by at least 3:1 (WCAG 2.2, 1.4.11). */
export const HIGHLIGHT = 0x0359;
export const LINE = 0x4a6a;
export const TEXT = 0xffff;
export const DIM = 0xbdf8;
export const TITLE = 0x7e7f;
export const GOOD = 0x6f4c;
export const WARNING = 0xfe8a;
export const BAD = 0xfd34;
/** Codes are dark on light, as readers expect them. */
export const PAPER = 0xffff;
export const INK = 0x0000;

/** Grounds of the letters that stand for missing icons; the letters are {@link TEXT}. */
export const TILE_1 = 0x9803;
export const TILE_2 = 0x7a20;
export const TILE_3 = 0x03a6;
export const TILE_4 = 0x038d;
export const TILE_5 = 0x1a99;
export const TILE_6 = 0x6153;
export const TILE_7 = 0x91ae;
export const TILE_8 = 0x4a49;
