/**
 * Drawing as the console does it (`device/hosts/common/native/drawing.c`), pixel by pixel the same: rectangles, lines, circles,
 * triangles, sprites and glyphs on a picture of the size of the display (docs/spec/display-and-input.md#drawing).
 *
 * Everything is clipped, so the work of a call is bounded by the picture, whatever its numbers are. All numbers are integers that
 * a double holds exactly.
 */

export const DISPLAY_WIDTH = 240;
export const DISPLAY_HEIGHT = 320;
/** Points and radii lie within this of 0. */
export const COORDINATE_LIMIT = 32_767;
export const TEXT_SCALE_LIMIT = 4;
export const GLYPH_WIDTH = 8;
export const GLYPH_HEIGHT = 16;

const FLIP_X = 1;
const FLIP_Y = 2;
export const FLIPS = FLIP_X | FLIP_Y;

/** Part of the display, exclusive of right and bottom. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const WHOLE: Area = Object.freeze({ left: 0, top: 0, right: DISPLAY_WIDTH, bottom: DISPLAY_HEIGHT });

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One of the equal parts of a picture, numbered from 0 in rows from left to right. */
export interface Sprite {
  /** RGB565, low byte first, row by row. */
  readonly sheet: Uint8Array;
  readonly sheetWidth: number;
  readonly sheetHeight: number;
  readonly width: number;
  readonly height: number;
  readonly number: number;
  /** The colour that is left out, or -1. */
  readonly transparent: number;
  readonly flip: number;
}

/** Whether the sheet has a part of this number. */
export function hasPart({ sheetWidth, sheetHeight, width, height, number }: Omit<Sprite, "sheet">): boolean {
  if (width <= 0 || height <= 0 || number < 0) return false;
  return number < Math.trunc(sheetWidth / width) * Math.trunc(sheetHeight / height);
}

/** The part of a rectangle that lies in `area`. */
function clipped(area: Area, x: number, y: number, w: number, h: number): Area {
  return {
    left: clamp(x, area.left, area.right),
    right: clamp(x + w, area.left, area.right),
    top: clamp(y, area.top, area.bottom),
    bottom: clamp(y + h, area.top, area.bottom),
  };
}

function clamp(value: number, least: number, most: number): number {
  return value < least ? least : value > most ? most : value;
}

function isEmpty({ left, right, top, bottom }: Area): boolean {
  return left >= right || top >= bottom;
}

/** A picture, and the part of it that is drawn on. Colours are RGB565. */
export class Canvas565 {
  readonly pixels = new Uint16Array(DISPLAY_WIDTH * DISPLAY_HEIGHT);
  clip: Area = WHOLE;

  /** From now on, draws within this rectangle alone. */
  setClip(x: number, y: number, w: number, h: number): void {
    this.clip = clipped(WHOLE, x, y, w, h);
  }

  fill(x: number, y: number, w: number, h: number, colour: number): void {
    const area = clipped(this.clip, x, y, w, h);
    if (isEmpty(area)) return;
    for (let row = area.top; row < area.bottom; row++) {
      const start = row * DISPLAY_WIDTH;
      this.pixels.fill(colour, start + area.left, start + area.right);
    }
  }

  /** @param source `w * h` pixels, low byte first, those that are clipped included */
  blit(x: number, y: number, w: number, h: number, source: Uint8Array): void {
    const area = clipped(this.clip, x, y, w, h);
    if (isEmpty(area)) return;
    const target = new Uint8Array(this.pixels.buffer);
    for (let row = area.top; row < area.bottom; row++) {
      const from = 2 * ((row - y) * w + area.left - x);
      target.set(
        source.subarray(from, from + 2 * (area.right - area.left)),
        2 * (row * DISPLAY_WIDTH + area.left),
      );
    }
  }

  /** With both ends; the same pixels whichever end is the first. */
  line(from: Point, to: Point, colour: number): void {
    const { clip } = this;
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const isWide = Math.abs(dx) >= Math.abs(dy);
    const isBackward = isWide ? dx < 0 : dy < 0;
    const [a, b] = isBackward ? [to, from] : [from, to];
    if (dx === 0 && dy === 0) this.#pixel(a.x, a.y, colour);
    else if (isWide)
      for (let x = Math.max(a.x, clip.left); x <= Math.min(b.x, clip.right - 1); x++)
        this.#pixel(x, minorAt(x, a.x, b.x, a.y, b.y), colour);
    else
      for (let y = Math.max(a.y, clip.top); y <= Math.min(b.y, clip.bottom - 1); y++)
        this.#pixel(minorAt(y, a.y, b.y, a.x, b.x), y, colour);
  }

  /** `2 * radius + 1` pixels wide. */
  circle(centre: Point, radius: number, colour: number, isFilled: boolean): void {
    const last = Math.min(centre.y + radius, this.clip.bottom - 1);
    for (let row = Math.max(centre.y - radius, this.clip.top); row <= last; row++) {
      const distance = Math.abs(row - centre.y);
      const outer = halfWidth(radius, distance);
      const beside = distance === radius ? -1 : halfWidth(radius, distance + 1);
      const inner = isFilled ? 0 : Math.min(beside + 1, outer);
      this.#span(row, centre.x - outer, centre.x - inner, colour);
      this.#span(row, centre.x + inner, centre.x + outer, colour);
    }
  }

  /** Filled, with its edges. */
  triangle(corners: readonly [Point, Point, Point], colour: number): void {
    const [one, two, three] = corners;
    const edges = [[one, two] as const, [two, three] as const, [three, one] as const];
    const top = Math.max(Math.min(one.y, two.y, three.y), this.clip.top);
    const bottom = Math.min(Math.max(one.y, two.y, three.y), this.clip.bottom - 1);
    for (let row = top; row <= bottom; row++) {
      let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const [a, b] of edges) {
        const [upper, lower] = a.y < b.y ? [a, b] : [b, a];
        if (row < upper.y || row > lower.y) continue;
        const isFlat = upper.y === lower.y;
        const at = isFlat ? upper.x : minorAt(row, upper.y, lower.y, upper.x, lower.x);
        const other = isFlat ? lower.x : at;
        left = Math.min(left, at, other);
        right = Math.max(right, at, other);
      }
      this.#span(row, left, right, colour);
    }
    for (const [a, b] of edges) this.line(a, b, colour);
  }

  /** @param sprite a part that {@link hasPart} */
  sprite(x: number, y: number, sprite: Sprite): void {
    const { sheet, sheetWidth, width: w, height: h, number, transparent, flip } = sprite;
    const inRow = Math.trunc(sheetWidth / w);
    const left = (number % inRow) * w;
    const top = Math.trunc(number / inRow) * h;
    const area = clipped(this.clip, x, y, w, h);
    if (isEmpty(area)) return;
    for (let row = area.top; row < area.bottom; row++) {
      const down = row - y;
      const from = (top + (flip & FLIP_Y ? h - 1 - down : down)) * sheetWidth + left;
      for (let column = area.left; column < area.right; column++) {
        const along = column - x;
        const at = 2 * (from + (flip & FLIP_X ? w - 1 - along : along));
        const colour = (sheet[at] as number) | ((sheet[at + 1] as number) << 8);
        if (colour !== transparent) this.pixels[row * DISPLAY_WIDTH + column] = colour;
      }
    }
  }

  /** @param rows of the glyph, from top to bottom, the highest bit on the left; @param scale pixels for each of its pixels */
  glyph(x: number, y: number, scale: number, colour: number, rows: Uint8Array): void {
    const area = clipped(this.clip, x, y, GLYPH_WIDTH * scale, GLYPH_HEIGHT * scale);
    if (isEmpty(area)) return;
    for (let row = area.top; row < area.bottom; row++) {
      const bits = rows[Math.trunc((row - y) / scale)] as number;
      for (let column = area.left; bits !== 0 && column < area.right; column++)
        if (bits & (0x80 >> Math.trunc((column - x) / scale)))
          this.pixels[row * DISPLAY_WIDTH + column] = colour;
    }
  }

  /** Moves the pixels of the clip; those that come from outside it stay as they are. */
  scroll(dx: number, dy: number): void {
    const { clip } = this;
    const to = clipped(clip, clip.left + dx, clip.top + dy, clip.right - clip.left, clip.bottom - clip.top);
    if (isEmpty(to)) return;
    for (let index = 0; index < to.bottom - to.top; index++) {
      const row = dy > 0 ? to.bottom - 1 - index : to.top + index; // none is overwritten before it is moved
      const from = (row - dy) * DISPLAY_WIDTH + to.left - dx;
      this.pixels.copyWithin(row * DISPLAY_WIDTH + to.left, from, from + to.right - to.left);
    }
  }

  /** From column `left` to column `right`, both included, of a row that may lie outside the clip. */
  #span(row: number, left: number, right: number, colour: number): void {
    this.fill(left, row, right - left + 1, 1, colour);
  }

  #pixel(x: number, y: number, colour: number): void {
    const { left, right, top, bottom } = this.clip;
    if (x >= left && x < right && y >= top && y < bottom) this.pixels[y * DISPLAY_WIDTH + x] = colour;
  }
}

/** Where a line from a to b is at `at`, rounded; `at` counts along the axis in which it is longer, and a < b there. */
function minorAt(at: number, a: number, b: number, minorA: number, minorB: number): number {
  const length = b - a;
  return minorA + Math.floor((2 * (at - a) * (minorB - minorA) + length) / (2 * length));
}

/** Columns of a circle on either side of its centre, `distance` rows from it: those whose middle is less than r + ½ away. */
function halfWidth(radius: number, distance: number): number {
  return Math.floor(Math.sqrt(radius * radius + radius - distance * distance));
}
