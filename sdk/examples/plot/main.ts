/**
 * A plot of what a sensor measures: the temperature of an LM75 on the I2C bus, or the voltage at a pin. It shows how an app
 * reads sensors and says what is missing, measures at a steady pace, appends to a file in its storage, writes to the SD
 * card, and advertises by Bluetooth.
 *
 * X changes the sensor, left and right the time between two measurements, A pauses. Start records, B deletes what was
 * recorded, up writes it to the card. Y tells the value by Bluetooth, select ends.
 */
import {
  Button,
  buttonsPressed,
  displayFill,
  displayFlush,
  displayHeight,
  displayLargeText,
  displayText,
  displayWidth,
  LogLevel,
  log,
  sleepMs,
  uptimeMs,
} from "svc";
import { Beacon } from "./beacon";
import { Recording } from "./recording";
import { decimal, failure, lastError, measure, nameOf, SENSORS, unitOf } from "./sensors";
import { Series } from "./series";

/** How often it looks at the buttons. */
const LOOK_MS = 25;
const INTERVALS: StaticArray<i32> = [50, 250, 1000, 10_000];

const HEAD_HEIGHT = 44;
/** At the bottom. */
const BAR_HEIGHT = 40;
const LINE_HEIGHT = 20;
const MARGIN = 4;
const BACKGROUND = 0x0000;
const BAR = 0x2104;
const TEXT = 0xffff;
const FAILURE = 0xfd20;

const recording = new Recording();
const beacon = new Beacon();
let series = new Series();
let sensor: i32 = 0;
let interval: i32 = 1;
let isPaused: bool = false;
let hasFailed: bool = false;
let nextMs: i64 = 0;

/** What `main` returns is the app's exit code. */
export function main(): i32 {
  const width = displayWidth();
  const height = displayHeight();
  if (width <= 0 || height <= 0) {
    log(LogLevel.ERROR, "this console has no display");
    return 1;
  }
  recording.open();
  nextMs = uptimeMs();
  while (true) {
    const pressed = max(buttonsPressed(), 0); // below 0 it is an error, with bits that are no buttons
    if ((pressed & Button.SELECT) !== 0) return recording.stop() ? 0 : 1;
    press(pressed);
    const isDue = uptimeMs() >= nextMs;
    if (isDue) takeNext();
    if (isDue || pressed !== 0) show(width, height);
    sleepMs(LOOK_MS);
  }
}

function press(pressed: i32): void {
  if ((pressed & Button.X) !== 0) chooseSensor((sensor + 1) % SENSORS);
  if ((pressed & Button.LEFT) !== 0) chooseInterval(max(interval - 1, 0));
  if ((pressed & Button.RIGHT) !== 0) chooseInterval(min(interval + 1, INTERVALS.length - 1));
  if ((pressed & Button.A) !== 0) isPaused = !isPaused;
  if ((pressed & Button.START) !== 0) recording.toggle();
  if ((pressed & Button.B) !== 0) recording.clear();
  if ((pressed & Button.UP) !== 0) recording.export();
  if ((pressed & Button.Y) !== 0) beacon.toggle();
}

function chooseSensor(chosen: i32): void {
  sensor = chosen;
  startAgain();
}

function chooseInterval(chosen: i32): void {
  if (chosen === interval) return;
  interval = chosen;
  startAgain();
}

/** What was measured before has another unit, or another pace. */
function startAgain(): void {
  series = new Series();
  nextMs = uptimeMs();
}

/** Measures now. The next time is counted from when this one was due, so that delays do not add up. */
function takeNext(): void {
  const now = uptimeMs();
  while (nextMs <= now) nextMs += INTERVALS[interval];
  if (isPaused) return;
  const value = measure(sensor);
  hasFailed = lastError() < 0;
  if (hasFailed) return;
  series.add(value);
  recording.add(value);
  beacon.tell(`${decimal(value)} ${unitOf(sensor)}`);
}

function show(width: i32, height: i32): void {
  displayFill(0, 0, width, height, BACKGROUND);
  if (hasFailed) {
    displayText(MARGIN, MARGIN, FAILURE, `${nameOf(sensor)}: ${failure()}`);
  } else if (series.length > 0) {
    displayLargeText(MARGIN, MARGIN, 2, TEXT, `${decimal(series.last)} ${unitOf(sensor)}`);
  }
  series.draw(0, HEAD_HEIGHT, width, height - HEAD_HEIGHT - BAR_HEIGHT);
  const bar = height - BAR_HEIGHT;
  displayFill(0, bar, width, BAR_HEIGHT, BAR);
  const pace = isPaused ? "paused" : `every ${INTERVALS[interval]} ms`;
  displayText(MARGIN, bar + 2, TEXT, `${nameOf(sensor)}, ${pace}`);
  const state = recording.text + beacon.text;
  displayText(MARGIN, bar + LINE_HEIGHT + 2, recording.isOn ? FAILURE : TEXT, state);
  displayFlush();
}
