/**
 * The watchdog ends the trial of firmware that hangs, and does not change an earlier revert or confirmation
 * (docs/spec/boot-and-slots.md#watchdog).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, send } from "./boot-firmware.js";

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
    name: "while its modules are evaluated is rolled back",
    next: `${firmware("new")} for (;;);`,
    seen: `old a rollback ${record("watchdog")}`,
  },
  {
    name: "in main is rolled back",
    next: firmware("new", "for (;;);"),
    seen: `old a rollback ${record("watchdog")}`,
  },
  {
    name: "in a callback is rolled back",
    next: firmware("new", "timer.set(() => { for (;;); }, 50);"),
    seen: `old a rollback ${record("watchdog")}`,
  },
  {
    name: "after its own revert is rolled back as a timeout",
    next: firmware("new", "slots.revert(); for (;;);"),
    seen: `old a rollback ${record("timeout")}`,
  },
  {
    name: "after its confirmation stays",
    next: firmware("new", `if (system.resetReason === "update") { slots.confirm(); for (;;); }`),
    seen: `new b watchdog ${record("confirmed")}`,
  },
])
  test(`new firmware that hangs ${name}`, async () => {
    provide(state, imageOf(next));
    const console = await startConsole({ image: OLD, state, environment: { SVC_SIM_WATCHDOG_MS: "700" } });
    await send(console, "stage");
    await send(console, "restart");
    expect(await console.waitForLine(ENDED)).toBe(seen);
    expect(await console.stop()).toBe(0);
  });
