/** The buttons that lead home (docs/spec/home.md#chord). */
import { expect, test, vi } from "vitest";
import { ButtonWatch } from "../../../../device/services/display/button-watch.js";
import { HomeChord, readChord } from "../../../../device/services/home/home-chord.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";

const SELECT_START = readChord("select+start");

function watch() {
  const clock = new EmulatedClock();
  const buttons = { pressed: 0, pressedByOwner: 0 };
  const onHeld = vi.fn();
  const buttonWatch = new ButtonWatch(buttons, clock, [new HomeChord(SELECT_START, onHeld)]);
  const holdFor = (bits: number, milliseconds: number) => {
    buttons.pressed = bits;
    buttons.pressedByOwner = bits;
    clock.advance(milliseconds);
  };
  return { buttonWatch, buttons, clock, onHeld, holdFor };
}

test("Held for half a second, once until they are released", () => {
  const { holdFor, onHeld } = watch();
  holdFor(SELECT_START, 400);
  expect(onHeld).not.toHaveBeenCalled();
  holdFor(SELECT_START, 5000);
  expect(onHeld).toHaveBeenCalledTimes(1);
  holdFor(0, 100);
  holdFor(SELECT_START, 500);
  expect(onHeld).toHaveBeenCalledTimes(2);
});

test("Another button besides them does not matter, one of them alone does not count", () => {
  const { holdFor, onHeld } = watch();
  holdFor(SELECT_START & -SELECT_START, 5000);
  expect(onHeld).not.toHaveBeenCalled();
  holdFor(SELECT_START | 1, 500);
  expect(onHeld).toHaveBeenCalledTimes(1);
});

test("Released for a moment, they begin again", () => {
  const { holdFor, onHeld } = watch();
  holdFor(SELECT_START, 400);
  holdFor(0, 100);
  holdFor(SELECT_START, 400);
  expect(onHeld).not.toHaveBeenCalled();
});

test("They lead home while a stranger holds them, too", () => {
  const { buttons, clock, holdFor, onHeld } = watch();
  buttons.pressed = SELECT_START; // by a stranger, for good
  clock.advance(5000);
  expect(onHeld).toHaveBeenCalledTimes(1);
  for (let times = 2; times < 5; times++) {
    holdFor(SELECT_START, 500);
    expect(onHeld).toHaveBeenCalledTimes(times);
    buttons.pressedByOwner = 0;
    clock.advance(1000);
  }
});

test("Nobody looks once it is closed", () => {
  const { buttonWatch, holdFor, onHeld } = watch();
  buttonWatch.close();
  holdFor(SELECT_START, 5000);
  expect(onHeld).not.toHaveBeenCalled();
});

test("A chord is named by its buttons", () => {
  expect(readChord("select+start")).toBe(0b11_0000_0000);
  expect(readChord("a + b+up")).toBe(0b11_0001);
});

test.each([
  ["", /"" is no button/],
  ["start", /at least two/],
  ["start+start", /at least two/],
  ["start+home", /"home" is no button/],
  [`start+${"a".repeat(500)}`, /is no button/],
  ["a+b+x+y+up+down+left+right+start+select+a+b", /./],
])("%j is no chord", (names, problem) => {
  const read = () => readChord(names);
  if (names.startsWith("a+b+x")) expect(read()).toBe(0x3ff);
  else expect(read).toThrow(problem);
});
