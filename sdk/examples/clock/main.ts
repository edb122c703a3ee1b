/**
 * A clock of the time of day, which the console has from its network. It shows how an app draws: it asks how large the display
 * is, draws what stays once and then only what changes, and sleeps until there is something to do.
 *
 * It needs no capability but `display.write`, so it reads no buttons and runs until it is stopped.
 */
import {
  clockMs,
  clockOffset,
  displayFill,
  displayFlush,
  displayHeight,
  displayLargeText,
  displayText,
  displayWidth,
  LogLevel,
  log,
  sleepMs,
} from "svc";
import { dateOf } from "./calendar";

// Colours are RGB565: five bits of red, six of green, five of blue.
const BACKGROUND = 0x0000;
const TICK = 0x8410;
const HAND = 0xffff;
const DIGITS = 0x07ff;
const TEXT = 0xbdf7;

/** The console's font is 8 by 16 pixels. */
const LETTER_WIDTH = 8;
const LETTER_HEIGHT = 16;
const MARGIN = 8;
/** Of the digits, in pixels for each pixel of the font. */
const SCALE = 3;

/** Positions of a hand on the dial, as minutes: 0 points up, 15 to the right. */
const POSITIONS = 60;
const MINUTE_MS = 60_000;
const NEVER: i64 = -1;

/** What `main` returns is the app's exit code. */
export function main(): i32 {
  const width = displayWidth();
  const height = displayHeight();
  if (width <= 0 || height <= 0) {
    log(LogLevel.ERROR, "this console has no display");
    return 1;
  }
  const clock = new Clock(width, height);
  clock.drawDial();
  while (true) {
    const now = clockMs();
    if (now < 0)
      clock.showNothing(); // the console does not know the time yet
    else clock.show(now / MINUTE_MS + clockOffset());
    // Once a second, and not until the next minute: the time may be set, and its zone changed.
    sleepMs(1000 - i32((now < 0 ? 0 : now) % 1000));
  }
}

class Clock {
  private readonly width: i32;
  private readonly digitsTop: i32;
  private readonly centreX: i32;
  private readonly centreY: i32;
  private readonly radius: i32;
  /** Minutes since 1970 that the hands show; {@link NEVER} before there are any. */
  private shown: i64 = NEVER;

  constructor(width: i32, height: i32) {
    this.width = width;
    this.digitsTop = height - (SCALE + 1) * LETTER_HEIGHT - MARGIN;
    this.radius = min(width, this.digitsTop) / 2 - MARGIN;
    this.centreX = width / 2;
    this.centreY = this.digitsTop / 2;
    displayFill(0, 0, width, height, BACKGROUND);
  }

  drawDial(): void {
    for (let position = 0; position < POSITIONS; position += 5) {
      const inner = this.radius - (position % 15 === 0 ? 12 : 6);
      this.drawRay(position, inner, this.radius, 2, TICK);
    }
  }

  showNothing(): void {
    if (this.shown >= 0) this.drawHands(this.shown, BACKGROUND);
    this.shown = NEVER;
    this.drawDigits("--:--", "no time yet");
    displayFlush();
  }

  /** @param minutes since 1970, in local time */
  show(minutes: i64): void {
    if (minutes === this.shown) return;
    if (this.shown >= 0) this.drawHands(this.shown, BACKGROUND);
    this.drawHands(minutes, HAND);
    const digits = `${twoDigits((minutes / 60) % 24)}:${twoDigits(minutes % 60)}`;
    this.drawDigits(digits, dateOf(minutes / (24 * 60)));
    this.shown = minutes;
    displayFlush(); // what was drawn since the last time appears at once
  }

  private drawHands(minutes: i64, colour: i32): void {
    const hourPosition = i32((minutes / 12) % POSITIONS); // twelve hours make a turn
    const minutePosition = i32(minutes % POSITIONS);
    this.drawRay(hourPosition, 0, this.radius / 2, 5, colour);
    this.drawRay(minutePosition, 0, (this.radius * 3) / 4, 3, colour);
  }

  private drawDigits(digits: string, date: string): void {
    displayFill(0, this.digitsTop, this.width, (SCALE + 1) * LETTER_HEIGHT, BACKGROUND);
    const left = (this.width - digits.length * LETTER_WIDTH * SCALE) / 2;
    displayLargeText(left, this.digitsTop, SCALE, DIGITS, digits);
    const below = this.digitsTop + SCALE * LETTER_HEIGHT;
    displayText((this.width - date.length * LETTER_WIDTH) / 2, below, TEXT, date);
  }

  /** Draws what lies between two distances from the centre, in dots of `size` pixels. */
  private drawRay(position: i32, from: i32, to: i32, size: i32, colour: i32): void {
    for (let distance = from; distance <= to; distance++) {
      const x = this.centreX + (distance * sine(position)) / ONE;
      const y = this.centreY - (distance * sine(position + POSITIONS / 4)) / ONE; // the cosine
      displayFill(x - size / 2, y - size / 2, size, size, colour);
    }
  }
}

function twoDigits(value: i64): string {
  return value.toString().padStart(2, "0");
}

const ONE = 1024;
/** Sines of 0, 6, … 90 degrees, as parts of {@link ONE}: whole numbers do, and need no mathematics library. */
const SINES: StaticArray<i32> = [
  0, 107, 213, 316, 416, 512, 602, 685, 761, 828, 887, 935, 974, 1002, 1018, 1024,
];

function sine(position: i32): i32 {
  const half = POSITIONS / 2;
  const inHalf = position % half;
  const value = SINES[inHalf > half / 2 ? half - inHalf : inHalf];
  return (position / half) % 2 === 0 ? value : -value;
}
