/** The newest values, the oldest first, and their drawing: the last one is at the right edge. */
import { displayLine, displayText } from "svc";
import { decimal } from "./sensors";

/** Pixels between two values. */
const STEP = 4;
const LIMIT = 100;

/** The plot's lowest and highest value are multiples of this: thousandths, as the values. */
const GRID = 500;
const GRID_LINES = 4;

const CURVE = 0x07ff;
const LINES = 0x39e7;
const LABELS = 0x9cd3;
const LETTER_HEIGHT = 16;

export class Series {
  private readonly values: StaticArray<i32> = new StaticArray<i32>(LIMIT);
  length: i32 = 0;

  get last(): i32 {
    return this.values[this.length - 1];
  }

  /** Adds a value; the oldest one goes where there are too many. */
  add(value: i32): void {
    if (this.length === LIMIT) {
      for (let index = 1; index < LIMIT; index++) this.values[index - 1] = this.values[index];
      this.length--;
    }
    this.values[this.length++] = value;
  }

  draw(left: i32, top: i32, width: i32, height: i32): void {
    const first = max(this.length - width / STEP - 1, 0);
    let low = i32.MAX_VALUE;
    let high = i32.MIN_VALUE;
    for (let index = first; index < this.length; index++) {
      low = min(low, this.values[index]);
      high = max(high, this.values[index]);
    }
    if (this.length === 0) low = high = 0;
    low = below(low - GRID / 2);
    high = below(high + GRID / 2) + GRID;
    for (let line = 0; line <= GRID_LINES; line++) {
      const y = top + ((height - 1) * line) / GRID_LINES;
      displayLine(left, y, left + width - 1, y, LINES);
    }
    displayText(left + 2, top + 1, LABELS, decimal(high));
    displayText(left + 2, top + height - LETTER_HEIGHT - 1, LABELS, decimal(low));
    let beforeX = -1;
    let beforeY = 0;
    for (let index = first; index < this.length; index++) {
      const x = left + width - 1 - (this.length - 1 - index) * STEP;
      const y = top + height - 1 - ((this.values[index] - low) * (height - 1)) / (high - low);
      if (index > first) displayLine(beforeX, beforeY, x, y, CURVE);
      beforeX = x;
      beforeY = y;
    }
  }
}

/** The next multiple of `GRID` that is not above the value. */
function below(value: i32): i32 {
  const rest = value % GRID;
  return value - rest - (rest < 0 ? GRID : 0);
}
