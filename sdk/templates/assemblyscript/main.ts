/**
 * {{name}}: a square that the arrow buttons move. A gives it another colour, select ends the app.
 *
 * The console calls `main` once. Everything that happens is in its loop: look at the buttons, draw what has
 * changed, sleep.
 */
import {
  Button,
  buttons,
  displayFill,
  displayFlush,
  displayHeight,
  displayText,
  displayWidth,
  LogLevel,
  log,
  sleepMs,
} from "svc";

// Colours are RGB565: five bits of red, six of green, five of blue.
const BACKGROUND = 0x0000;
const TEXT = 0xffff;
const COLOURS: StaticArray<i32> = [0xfd20, 0x07ff, 0xf81f, 0x07e0];

const SIDE = 32;
const STEP = 4;
const FRAME_MS = 33;
/** The console's font is 8 by 16 pixels. */
const LETTER_HEIGHT = 16;
const MARGIN = 8;

/** What `main` returns is the app's exit code. */
export function main(): i32 {
  const width = displayWidth();
  const height = displayHeight();
  if (width <= 0 || height <= 0) {
    log(LogLevel.ERROR, "this console has no display");
    return 1;
  }
  log(LogLevel.INFO, `hello from {{name}}, on ${width} by ${height} pixels`);
  displayFill(0, 0, width, height, BACKGROUND);
  displayText(MARGIN, MARGIN, TEXT, "{{name}}");
  displayText(MARGIN, MARGIN + LETTER_HEIGHT, TEXT, "arrows, A, SELECT");
  return play(new Square(width, height));
}

function play(square: Square): i32 {
  let held = 0;
  while (true) {
    const now = max(buttons(), 0); // below 0 is an error
    const pressed = now & ~held; // has gone down since the last time
    held = now;
    if (pressed & Button.SELECT) return 0;
    if (pressed & Button.A) square.recolour();
    square.move(direction(now, Button.RIGHT, Button.LEFT), direction(now, Button.DOWN, Button.UP));
    sleepMs(FRAME_MS);
  }
}

/** 1, -1, or 0 where neither or both are down. */
function direction(held: i32, forward: i32, back: i32): i32 {
  return i32((held & forward) !== 0) - i32((held & back) !== 0);
}

class Square {
  private readonly top: i32 = MARGIN + 3 * LETTER_HEIGHT; // stays clear of the text
  private readonly right: i32;
  private readonly bottom: i32;
  private x: i32;
  private y: i32;
  private colour: i32 = 0;

  constructor(width: i32, height: i32) {
    this.right = width - SIDE;
    this.bottom = height - SIDE;
    this.x = this.right / 2;
    this.y = this.bottom / 2;
    this.draw();
  }

  move(right: i32, down: i32): void {
    const x = min(max(this.x + right * STEP, 0), this.right);
    const y = min(max(this.y + down * STEP, this.top), this.bottom);
    if (x === this.x && y === this.y) return;
    displayFill(this.x, this.y, SIDE, SIDE, BACKGROUND);
    this.x = x;
    this.y = y;
    this.draw();
  }

  recolour(): void {
    this.colour = (this.colour + 1) % COLOURS.length;
    log(LogLevel.INFO, `colour ${this.colour}`);
    this.draw();
  }

  private draw(): void {
    displayFill(this.x, this.y, SIDE, SIDE, COLOURS[this.colour]);
    displayFlush(); // what was drawn since the last time appears at once
  }
}
