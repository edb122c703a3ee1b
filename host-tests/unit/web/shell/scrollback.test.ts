import { expect, test } from "vitest";
import {
  added,
  SCROLLBACK_CHARACTERS,
  SCROLLBACK_ENTRIES,
  type ScrollbackEntry,
  textOf,
} from "../../../../web/panels/shell/terminal.js";

test("Copied text has commands after their prompts", () => {
  const entries = added(added([], "command", "uptime"), "output", "5.000 s\n");
  expect(textOf(entries)).toBe("> uptime\n5.000 s\n");
});

test("The oldest entries are dropped, and the ids of the others stay", () => {
  let entries: ScrollbackEntry[] = [];
  for (let index = 0; index < SCROLLBACK_ENTRIES + 3; index += 1)
    entries = added(entries, "output", `${index}`);
  expect(entries.length).toBe(SCROLLBACK_ENTRIES);
  expect(entries[0]).toEqual({ id: 4, kind: "output", text: "3" });
});

test("Long output drops more entries, and is shown itself however long it is", () => {
  const half = "x".repeat(SCROLLBACK_CHARACTERS / 2);
  const entries = ["first", half, half].reduce<ScrollbackEntry[]>(
    (all, text) => added(all, "output", text),
    [],
  );
  expect(entries.map(({ text }) => text.length)).toEqual([half.length, half.length]);
  expect(added(entries, "output", half + half + half).length).toBe(1);
});
