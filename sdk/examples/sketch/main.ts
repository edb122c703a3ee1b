/**
 * A sketch pad for lines, circles and triangles. It shows how an app draws shapes, moves a cursor over them with a
 * sprite, and keeps a picture in storage.
 *
 * The arrows move the cursor, A sets a point, B takes the last shape or point back, X changes the shape, Y the colour. Start
 * keeps the picture, select keeps it and ends.
 */
import {
  Button,
  buttons,
  displayClip,
  displayFill,
  displayFlush,
  displayHeight,
  displaySprite,
  displayText,
  displayWidth,
  LogLevel,
  log,
  sleepMs,
  storageRead,
  storageWrite,
} from "svc";
import { COLOURS, drawShape, Picture, pointsOf, Shape } from "./picture";

const FRAME_MS = 40;
/** Pixels that the cursor moves in a frame. */
const STEP = 2;
/** Below the picture. */
const BAR_HEIGHT = 20;
const BAR = 0x2104;
const TEXT = 0xffff;
const KEY = "picture";

const SHAPES = 3;
const NAMES: StaticArray<string> = ["line", "circle", "triangle"];

/** The cursor, 7 by 7: a cross whose middle shows what is below it. */
const CURSOR_SIZE = 7;
const CLEAR = 0x0001;
const cursor = new Uint16Array(CURSOR_SIZE * CURSOR_SIZE);

const picture = new Picture();
let width: i32 = 0;
let height: i32 = 0;
let x: i32 = 0;
let y: i32 = 0;
let shape: Shape = Shape.LINE;
let colour: i32 = 0;
/** Points of the shape that is being drawn, and how many are set; the next one is where the cursor is. */
const points = new StaticArray<i32>(6);
let setPoints: i32 = 0;
let note: string = "";

/** What `main` returns is the app's exit code. */
export function main(): i32 {
  width = displayWidth();
  height = displayHeight() - BAR_HEIGHT;
  if (width <= 0 || height <= 0) {
    log(LogLevel.ERROR, "this console has no display");
    return 1;
  }
  x = width / 2;
  y = height / 2;
  makeCursor();
  picture.restore(storageRead(KEY, 0, picture.room));
  let before = 0;
  while (true) {
    const held = max(buttons(), 0); // below 0 it is an error, with bits that are no buttons
    const pressed = held & ~before;
    before = held;
    move(held);
    press(pressed);
    show();
    if ((pressed & Button.SELECT) !== 0) return keep() ? 0 : 1;
    sleepMs(FRAME_MS);
  }
}

function makeCursor(): void {
  const middle = CURSOR_SIZE / 2;
  for (let row = 0; row < CURSOR_SIZE; row++) {
    for (let column = 0; column < CURSOR_SIZE; column++) {
      const isCross = (row === middle) !== (column === middle);
      cursor[row * CURSOR_SIZE + column] = isCross ? 0xffff : CLEAR;
    }
  }
}

function move(held: i32): void {
  if ((held & Button.LEFT) !== 0) x = max(x - STEP, 0);
  if ((held & Button.RIGHT) !== 0) x = min(x + STEP, width - 1);
  if ((held & Button.UP) !== 0) y = max(y - STEP, 0);
  if ((held & Button.DOWN) !== 0) y = min(y + STEP, height - 1);
}

function press(pressed: i32): void {
  if (pressed !== 0) note = "";
  if ((pressed & Button.A) !== 0) setPoint();
  if ((pressed & Button.B) !== 0) takeBack();
  if ((pressed & Button.X) !== 0) chooseShape(((shape + 1) % SHAPES) as Shape);
  if ((pressed & Button.Y) !== 0) colour = (colour + 1) % COLOURS.length;
  if ((pressed & Button.START) !== 0) note = keep() ? "kept" : "no space";
}

function setPoint(): void {
  if (picture.isFull) {
    note = "full";
    return;
  }
  followCursor();
  setPoints++;
  if (setPoints < pointsOf(shape)) return;
  picture.add(shape, colour, points);
  setPoints = 0;
}

function takeBack(): void {
  if (setPoints > 0) setPoints = 0;
  else picture.undo();
}

function chooseShape(chosen: Shape): void {
  shape = chosen;
  setPoints = 0;
}

/** Has the points that are not set where the cursor is. */
function followCursor(): void {
  for (let point = setPoints; point < 3; point++) {
    points[2 * point] = x;
    points[2 * point + 1] = y;
  }
}

function keep(): bool {
  const result = storageWrite(KEY, picture.stored);
  if (result < 0) log(LogLevel.WARNING, `cannot keep the picture: ${result}`);
  return result >= 0;
}

/** Draws all of it: what has not changed since the last time takes no time to show. */
function show(): void {
  displayClip(0, 0, width, height);
  displayFill(0, 0, width, height, 0);
  picture.draw();
  followCursor();
  if (setPoints > 0) drawShape(shape, colour, points);
  const corner = CURSOR_SIZE / 2;
  displaySprite(
    x - corner,
    y - corner,
    cursor,
    CURSOR_SIZE,
    CURSOR_SIZE,
    CURSOR_SIZE,
    CURSOR_SIZE,
    0,
    CLEAR,
    0,
  );
  displayClip(0, 0, width, height + BAR_HEIGHT);
  displayFill(0, height, width, BAR_HEIGHT, BAR);
  displayFill(3, height + 3, 14, BAR_HEIGHT - 6, COLOURS[colour]);
  displayText(24, height + 2, TEXT, `${NAMES[shape]}: point ${setPoints + 1} of ${pointsOf(shape)}  ${note}`);
  displayFlush();
}
