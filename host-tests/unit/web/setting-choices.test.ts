/** What can be chosen for each setting of a console, and what a restart does to apps. */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  brightnessChoices,
  restartInWords,
  sleepChoices,
  startChoices,
} from "../../../web/panels/device/setting-choices.js";
import type { ChoiceOption } from "../../../web/parts/field.js";

const textsOf = (options: readonly ChoiceOption[]) => options.map(({ text }) => text);

test("brightness is chosen in steps of ten, and a value between them is kept", () => {
  assert.deepEqual(
    brightnessChoices(100)
      .map(({ value }) => value)
      .slice(-2),
    ["90", "100"],
  );
  assert.deepEqual(textsOf(brightnessChoices(35)).slice(1, 5), ["20%", "30%", "35%", "40%"]);
});

test("times of sleep are in words, and another time is kept in its place", () => {
  const usual = ["Never", "30 s", "1 min", "2 min", "5 min", "10 min", "30 min"];
  assert.deepEqual(textsOf(sleepChoices(0)), usual);
  assert.deepEqual(textsOf(sleepChoices(90)), [...usual.slice(0, 3), "90 s", ...usual.slice(3)]);
});

test("the app that starts with the console is an installed one, the last one or none; one that is gone is named", () => {
  const texts = ["None", "The app that was in front last", "bricks", "clock"];
  for (const current of ["", "*", "clock"])
    assert.deepEqual(textsOf(startChoices(["bricks", "clock"], current)), texts);
  assert.deepEqual(startChoices(["bricks", "clock"], "maze").at(-1), {
    value: "maze",
    text: "maze, not installed",
  });
});

const RESTARTS = [
  { startApp: undefined, says: /^Running apps end\.$/ },
  { startApp: "", says: /not started again/ },
  { startApp: "*", says: /Only the one in front/ },
  { startApp: "bricks", says: /bricks is started/ },
];
for (const { startApp, says } of RESTARTS)
  test(`a restart with start_app ${JSON.stringify(startApp)} says ${says}`, () =>
    assert.match(restartInWords(startApp), says));
