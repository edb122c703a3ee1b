/** The list of installed apps: its order, its filter, and where the focus goes when one is gone. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { inNaturalOrder } from "../../../web/format.js";
import { describeState, filteredApps, orderedApps } from "../../../web/panels/apps/app-entries.js";
import { neighbourOf } from "../../../web/parts/kept-focus.js";

test("names are in natural order", () => {
  const names = ["game-10", "Game-1", "clock", "game-2"].map((name) => ({ name }));
  assert.deepEqual(
    inNaturalOrder(names).map(({ name }) => name),
    ["clock", "Game-1", "game-2", "game-10"],
  );
});

test("running apps come first, in the same order", () => {
  const apps = [
    app("game-10", { state: "running" }),
    app("game-2"),
    app("game-9", { state: "running" }),
    app("bricks"),
  ];
  assert.deepEqual(namesOf(orderedApps(apps)), ["game-9", "game-10", "bricks", "game-2"]);
});

const APPS = [
  app("bricks", { description: "A ball and a paddle", author: "Pixel Works" }),
  app("clock", { description: "The time", author: "Pixel Works" }),
  app("snake"),
];
const FILTERS = [
  { text: "", found: ["bricks", "clock", "snake"] },
  { text: "  ", found: ["bricks", "clock", "snake"] },
  { text: "PADDLE", found: ["bricks"] },
  { text: "works time", found: ["clock"] },
  { text: "paddle snake", found: [] },
];
for (const { text, found } of FILTERS)
  test(`"${text}" finds ${found.length} of three apps`, () =>
    assert.deepEqual(namesOf(filteredApps(APPS, text)), found));

const STATES: readonly { readonly fields: Partial<AppEntry>; readonly text: string }[] = [
  { fields: {}, text: "Stopped" },
  { fields: { background: true }, text: "Stopped" },
  { fields: { state: "running" }, text: "Running" },
  { fields: { state: "running", foreground: true }, text: "In front" },
  { fields: { state: "running", suspended: true }, text: "Suspended" },
];
for (const { fields, text } of STATES)
  test(`the tag of an app with ${JSON.stringify(fields)} is "${text}"`, () =>
    assert.equal(describeState(app("bricks", fields)).text, text));

const BEFORE = ["a", "b", "c", "d"];
const NEIGHBOURS = [
  { gone: "b", left: ["a", "c", "d"], next: "c" },
  { gone: "b", left: ["a", "d"], next: "d" },
  { gone: "d", left: ["a", "b", "c"], next: "c" },
  { gone: "a", left: [], next: undefined },
];
for (const { gone, left, next } of NEIGHBOURS)
  test(`after "${gone}" of a, b, c, d is removed and [${left}] are left, the focus goes to ${next ?? "none"}`, () =>
    assert.equal(neighbourOf(gone, BEFORE, left), next));

function namesOf(apps: readonly AppEntry[]): string[] {
  return apps.map(({ name }) => name);
}

function app(name: string, fields: Partial<AppEntry> = {}): AppEntry {
  return {
    name,
    version: "1.0.0",
    state: "stopped",
    description: "",
    author: "",
    size_bytes: 100,
    memory_quota: 65536,
    capabilities: [],
    variants: [],
    ...fields,
  };
}
