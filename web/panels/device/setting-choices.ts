/**
 * What the user can choose for each setting (docs/spec/home.md#chosen), in words. The lists are those of the home
 * screen; a value that was set in another way is added.
 */
import type { Updates } from "../../../protocol/device/answers.js";
import type { ChoiceOption } from "../../parts/field.js";

/** Percent. */
const BRIGHTNESSES = Object.freeze([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
/** Seconds. */
const SLEEP_TIMES = Object.freeze([0, 30, 60, 120, 300, 600, 1800]);
/** As `start_app`: the app that was in front last. */
const LAST_APP = "*";

export function brightnessChoices(current: number): readonly ChoiceOption[] {
  return numbersWith(BRIGHTNESSES, current).map((percent) => ({ value: `${percent}`, text: `${percent}%` }));
}

export function sleepChoices(current: number): readonly ChoiceOption[] {
  return numbersWith(SLEEP_TIMES, current).map((seconds) => ({
    value: `${seconds}`,
    text: seconds === 0 ? "Never" : timeInWords(seconds),
  }));
}

function numbersWith(numbers: readonly number[], current: number): readonly number[] {
  return numbers.includes(current) ? numbers : [...numbers, current].sort((a, b) => a - b);
}

function timeInWords(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

/** @param installed names of the installed apps */
export function startChoices(installed: readonly string[], current: string): readonly ChoiceOption[] {
  const isGone = current !== "" && current !== LAST_APP && !installed.includes(current);
  return [
    { value: "", text: "None" },
    { value: LAST_APP, text: "The app that was in front last" },
    ...installed.map((name) => ({ value: name, text: name })),
    ...(isGone ? [{ value: current, text: `${current}, not installed` }] : []),
  ];
}

const UPDATES: Readonly<Record<Updates, string>> = Object.freeze({
  ask: "Ask before firmware",
  ask_all: "Ask before firmware and apps",
  automatic: "Do not ask",
});

export const UPDATE_CHOICES: readonly ChoiceOption[] = Object.freeze(
  Object.entries(UPDATES).map(([value, text]) => ({ value, text })),
);

/** What happens to running apps at a restart. @param startApp `undefined` if it is not known */
export function restartInWords(startApp: string | undefined): string {
  switch (startApp) {
    case undefined:
      return "Running apps end.";
    case "":
      return "Running apps end and are not started again.";
    case LAST_APP:
      return "Running apps end. Only the one in front, if there is one, is started again.";
    default:
      return `Running apps end. Then ${startApp} is started, and no other.`;
  }
}
