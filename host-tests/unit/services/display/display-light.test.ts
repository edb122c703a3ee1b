/** Brightness and sleep of the display (docs/spec/home.md#sleep). */
import { beforeEach, expect, test, vi } from "vitest";
import { DisplayLight } from "../../../../device/services/display/display-light.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";

let clock: EmulatedClock;
let preferences: { brightnessPercent: number; sleepAfterS: number };
let brightness: number[];
const holdBack = vi.fn();

beforeEach(() => {
  clock = new EmulatedClock();
  preferences = { brightnessPercent: 60, sleepAfterS: 30 };
  brightness = [];
  holdBack.mockClear();
});

const open = () =>
  new DisplayLight({
    display: { setBrightness: (percent) => void brightness.push(percent) },
    buttons: { holdBack },
    preferences,
    clock,
  });

/** Time in which nobody presses anything. */
function pass(light: DisplayLight, seconds: number): void {
  for (let tenth = 0; tenth < 10 * seconds; tenth++) {
    clock.advance(100);
    light.look(0);
  }
}

test("It is as bright as the user chose, at once and after a change", () => {
  const light = open();
  preferences.brightnessPercent = 20;
  light.preferencesChanged();
  expect(brightness).toEqual([60, 20]);
});

test("It goes dark once after the chosen time without a button", () => {
  const light = open();
  pass(light, 29.9);
  expect(brightness).toEqual([60]);
  pass(light, 100);
  expect(brightness).toEqual([60, 0]);
});

test("A button that is held or pressed keeps it awake", () => {
  const light = open();
  for (let minute = 0; minute < 10; minute++) {
    pass(light, 29);
    light.look(1);
  }
  expect(brightness).toEqual([60]);
});

test("A button wakes it, and is not one of the app's, which may look at the buttons first", () => {
  const light = open();
  light.look(16);
  expect(holdBack).not.toHaveBeenCalled();
  pass(light, 31);
  expect(holdBack.mock.calls).toEqual([[true]]);
  light.look(16);
  expect(brightness).toEqual([60, 0, 60]);
  expect(holdBack.mock.calls).toEqual([[true], [false]]);
  pass(light, 31);
  expect(brightness).toEqual([60, 0, 60, 0]);
});

test("It never sleeps if the user does not want it to", () => {
  preferences.sleepAfterS = 0;
  pass(open(), 3600);
  expect(brightness).toEqual([60]);
});

test("A change of a setting wakes it", () => {
  const light = open();
  pass(light, 31);
  preferences.sleepAfterS = 60;
  light.preferencesChanged();
  expect(holdBack.mock.calls).toEqual([[true], [false]]);
  pass(light, 59);
  expect(brightness).toEqual([60, 0, 60]);
});
