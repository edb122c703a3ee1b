/**
 * The home screen: what the console shows when no other app is in front (docs/spec/home.md).
 *
 * A turn of the loop takes the buttons, makes at most one request for the state, draws what has changed and sleeps.
 * Behind another app, it only waits to be in front again.
 */
import { Button, raw } from "svc";
import { followEnds } from "./apps";
import { readPresses } from "./buttons";
import { fill, flush, HEIGHT, isInFront, loseDisplay, takeLoss, WIDTH } from "./canvas";
import { console_changes } from "./console";
import { grid } from "./grid";
import { showNews } from "./news";
import { BACKGROUND } from "./palette";
import { APPS, EVERYWHERE, STATUS } from "./parts";
import { closeScreen, drawScreen, openScreen, redraw, topScreen } from "./screen";
import { refreshNext, want } from "./state";
import { drawStatusBar } from "./status-bar";

const TURN_MS = 30;
const BEHIND_MS = 100;
const CHANGES_EVERY_MS = 300;
/** A press so soon after a card has come or gone by itself was meant for what was there before. B does no harm. */
const NEWS_QUIET_MS = 500;
/** Signal strength and free memory change without being told. */
const STATUS_EVERY_MS = 10_000;

let changesAt: i64 = 0;
let statusAt: i64 = 0;
let quietUntil: i64 = 0;

/** Runs until it is stopped. */
export function main(): i32 {
  followEnds();
  openScreen(grid);
  want(EVERYWHERE);
  while (true) {
    const isSeen = isInFront();
    if (isSeen) turn();
    else loseDisplay();
    raw.sleep_ms(isSeen ? TURN_MS : BEHIND_MS);
  }
}

function turn(): void {
  const now = raw.uptime_ms();
  const presses = readPresses(now);
  pressButtons(now < quietUntil ? presses & Button.B : presses);
  watch(now);
  const changed = refreshNext(now);
  if (changed !== 0) topScreen().changed(changed);
  // An app that runs for less than a turn takes the display and leaves it black; the list tells of it.
  if (changed & APPS) loseDisplay();
  const before = topScreen();
  showNews();
  if (topScreen() !== before) quietUntil = now + NEWS_QUIET_MS;
  topScreen().tick(now);
  const wasLost = takeLoss();
  if (wasLost) {
    fill(0, 0, WIDTH, HEIGHT, BACKGROUND);
    redraw();
  }
  drawStatusBar(now, wasLost);
  drawScreen();
  flush();
}

/** The button of the lowest bit counts first. */
function pressButtons(presses: i32): void {
  for (let rest = presses; rest !== 0; rest &= rest - 1) {
    const button = rest & -rest;
    if (button === Button.B) closeScreen();
    else topScreen().press(button);
  }
}

/** Marks what has to be asked for again. */
function watch(now: i64): void {
  if (now >= changesAt) {
    changesAt = now + CHANGES_EVERY_MS;
    want(console_changes());
  }
  if (now < statusAt) return;
  statusAt = now + STATUS_EVERY_MS;
  want(STATUS);
}
