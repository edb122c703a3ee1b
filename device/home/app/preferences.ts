/** The menus of single settings: display, what runs at the start, and updates. */
import { call, request } from "./api";
import { appAt, appCount } from "./apps";
import { tellFailure } from "./card";
import { Menu } from "./menu";
import { APPS, SETTINGS as PART } from "./parts";
import { redraw } from "./screen";
import { readSettings, settings } from "./state";
import { Text } from "./text";
import {
  AT_START,
  BRIGHTNESS,
  DISPLAY,
  HINTS_CHANGE,
  MINUTES,
  NEVER,
  PERCENT,
  SECONDS,
  SLEEP_AFTER,
  START_HOME,
  START_LAST,
  UPDATES,
  UPDATES_ASK,
  UPDATES_ASK_ALL,
  UPDATES_AUTOMATIC,
} from "./texts";

/** Sends a setting, and shows what the console has made of it. */
function set(text: string, value: Text): void {
  request.clear().put("POST /api/settings?").put(text).putEncoded(value);
  if (call()) readSettings();
  else tellFailure();
  redraw();
}

const BRIGHTNESS_LEAST = 10;
const BRIGHTNESS_STEP = 10;
/** Seconds; 0 is never. */
const SLEEP_TIMES: StaticArray<i32> = [0, 30, 60, 120, 300, 600, 1800];

class DisplayMenu extends Menu {
  private readonly number: Text = new Text(12);

  title(): string {
    return DISPLAY;
  }

  override hints(): string {
    return HINTS_CHANGE;
  }

  count(): i32 {
    return 2;
  }

  override changed(parts: i32): void {
    if (parts & PART) redraw();
  }

  writeRow(row: i32): void {
    this.label.put(row === 0 ? BRIGHTNESS : SLEEP_AFTER);
    if (row === 0) this.value.putNumber(settings.brightnessPercent).put(PERCENT);
    else writeTime(this.value, settings.sleepAfterSeconds);
  }

  choose(row: i32): void {
    this.change(row, 1);
  }

  protected override change(row: i32, step: i32): void {
    if (row === 0) set("brightness_percent=", this.number.clear().putNumber(nextBrightness(step)));
    else set("sleep_after_s=", this.number.clear().putNumber(nextSleepTime(step)));
  }
}

/** From the highest to the lowest, and back. */
function nextBrightness(step: i32): i32 {
  const next = settings.brightnessPercent + step * BRIGHTNESS_STEP;
  if (next > 100) return BRIGHTNESS_LEAST;
  return next < BRIGHTNESS_LEAST ? 100 : next;
}

function nextSleepTime(step: i32): i32 {
  const count = SLEEP_TIMES.length;
  let index = 0;
  while (index < count - 1 && SLEEP_TIMES[index] < settings.sleepAfterSeconds) index++;
  return SLEEP_TIMES[(index + step + count) % count];
}

function writeTime(into: Text, seconds: i32): void {
  if (seconds === 0) into.put(NEVER);
  else if (seconds % 60 === 0) into.putNumber(seconds / 60).put(MINUTES);
  else into.putNumber(seconds).put(SECONDS);
}

/** A menu in which one row is the one that counts. */
abstract class ChoiceMenu extends Menu {
  protected readonly name: Text = new Text(32);

  /** Writes the value of a row into `name`. */
  abstract writeValue(row: i32): void;
  abstract isCurrent(row: i32): bool;
  abstract parameter(): string;

  protected mark(row: i32): void {
    if (this.isCurrent(row)) this.value.putByte(0x2a);
  }

  choose(row: i32): void {
    this.name.clear();
    this.writeValue(row);
    set(this.parameter(), this.name);
  }
}

class StartMenu extends ChoiceMenu {
  title(): string {
    return AT_START;
  }

  count(): i32 {
    return appCount() + 2;
  }

  /** Other apps are in other rows: the cursor goes where nothing is started. */
  override changed(parts: i32): void {
    if (parts & APPS) this.cursor = 0;
    if (parts & (APPS | PART)) redraw();
  }

  writeRow(row: i32): void {
    if (row === 0) this.label.put(START_HOME);
    else if (row === 1) this.label.put(START_LAST);
    else this.label.putText(appAt(row - 2).name);
    this.mark(row);
  }

  isCurrent(row: i32): bool {
    if (row === 0) return settings.startApp.length === 0;
    return row === 1 ? settings.startApp.is("*") : settings.startApp.equals(appAt(row - 2).name);
  }

  parameter(): string {
    return "start_app=";
  }

  writeValue(row: i32): void {
    if (row === 1) this.name.putByte(0x2a);
    else if (row > 1) this.name.putText(appAt(row - 2).name);
  }
}

class UpdatesMenu extends ChoiceMenu {
  title(): string {
    return UPDATES;
  }

  count(): i32 {
    return 3;
  }

  override changed(parts: i32): void {
    if (parts & PART) redraw();
  }

  writeRow(row: i32): void {
    this.label.put(row === 0 ? UPDATES_ASK : row === 1 ? UPDATES_AUTOMATIC : UPDATES_ASK_ALL);
    this.mark(row);
  }

  isCurrent(row: i32): bool {
    return settings.updates.is(updatesOf(row));
  }

  parameter(): string {
    return "updates=";
  }

  writeValue(row: i32): void {
    this.name.put(updatesOf(row));
  }
}

function updatesOf(row: i32): string {
  return row === 0 ? "ask" : row === 1 ? "automatic" : "ask_all";
}

/** What runs at the start, in words. */
export function writeStart(into: Text): void {
  if (settings.startApp.length === 0) into.put(START_HOME);
  else if (settings.startApp.is("*")) into.put(START_LAST);
  else into.putText(settings.startApp);
}

export function writeUpdates(into: Text): void {
  const updates = settings.updates;
  into.put(
    updates.is("automatic") ? UPDATES_AUTOMATIC : updates.is("ask_all") ? UPDATES_ASK_ALL : UPDATES_ASK,
  );
}

export const displayMenu: Menu = new DisplayMenu();
export const startMenu: Menu = new StartMenu();
export const updatesMenu: Menu = new UpdatesMenu();
