import { expect, test } from "vitest";
import {
  type CommandHistory,
  entered,
  HISTORY_LIMIT,
  historyOf,
  lineOf,
  moved,
} from "../../../../web/panels/shell/command-line.js";

const filled = (...commands: string[]) => commands.reduce(entered, historyOf(undefined));
const walk = (history: CommandHistory, line: string, ...steps: (1 | -1)[]) => {
  const shown: string[] = [];
  for (const step of steps) {
    history = moved(history, step, shown.at(-1) ?? line);
    shown.push(lineOf(history));
  }
  return shown;
};

test("History goes back to the oldest command and stays there", () =>
  expect(walk(filled("free", "uptime"), "", -1, -1, -1)).toEqual(["uptime", "free", "free"]));

test("History returns to the unfinished command", () =>
  expect(walk(filled("free", "uptime"), "app li", -1, -1, 1, 1, 1)).toEqual([
    "uptime",
    "free",
    "uptime",
    "app li",
    "app li",
  ]));

test("History starts at its end again once a command was entered", () => {
  const history = entered(moved(moved(filled("a", "b", "c"), -1, ""), -1, ""), "b");
  expect(history.entries).toEqual(["a", "b", "c", "b"]);
  expect(walk(history, "", -1)).toEqual(["b"]);
});

test("History stores a repeated command once, and no empty one", () =>
  expect(filled("free", "free", "", "free", "help").entries).toEqual(["free", "help"]));

test("History keeps the newest commands", () => {
  const { entries } = filled(...Array.from({ length: HISTORY_LIMIT + 5 }, (_, index) => `cat ${index}`));
  expect([entries.length, entries[0], entries.at(-1)]).toEqual([
    HISTORY_LIMIT,
    "cat 5",
    `cat ${HISTORY_LIMIT + 4}`,
  ]);
});

for (const kept of [undefined, null, "free", 7, { entries: [] }])
  test(`History starts empty if ${JSON.stringify(kept)} was stored`, () =>
    expect(historyOf(kept).entries).toEqual([]));

test("History keeps the usable part of what was stored", () =>
  expect(historyOf(["free", 7, null, "help"]).entries).toEqual(["free", "help"]));
