/**
 * The watchdog ends a trial of firmware that hangs, and nothing that has been decided before
 * (docs/spec/boot-and-slots.md#watchdog).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, tell } from "./boot-firmware.js";

const OLD = firmware("old");
const ENDED = /^(old|new) [ab] .*"lastEnd"/;

let state = "";
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const record = (lastEnd: string) => `{"phase":"settled","trials":1,"lastEnd":"${lastEnd}"}`;

for (const { name, next, seen } of [
  {
    name: "hangs while it is evaluated goes",
    next: `${firmware("new")} for (;;);`,
    seen: `old a rollback ${record("watchdog")}`,
  },
  {
    name: "hangs in main goes",
    next: firmware("new", "for (;;);"),
    seen: `old a rollback ${record("watchdog")}`,
  },
  {
    name: "hangs in a callback goes",
    next: firmware("new", "timer.set(() => { for (;;); }, 50);"),
    seen: `old a rollback ${record("watchdog")}`,
  },
  {
    name: "hangs once it has given its trial up goes as it wanted to",
    next: firmware("new", "slots.revert(); for (;;);"),
    seen: `old a rollback ${record("timeout")}`,
  },
  {
    name: "hangs once it is confirmed stays",
    next: firmware("new", `if (system.resetReason === "update") { slots.confirm(); for (;;); }`),
    seen: `new b watchdog ${record("confirmed")}`,
  },
])
  test(`new firmware that ${name}`, async () => {
    provide(state, imageOf(next));
    const console = await startConsole({ image: OLD, state, environment: { SVC_SIM_WATCHDOG_MS: "700" } });
    await tell(console, "stage");
    await tell(console, "restart");
    expect(await console.waitForLine(ENDED)).toBe(seen);
    expect(await console.stop()).toBe(0);
  });
