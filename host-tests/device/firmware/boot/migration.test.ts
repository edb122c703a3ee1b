/**
 * State directories of version 0.1.0 keep working. The boot records are fixtures of that version (state-0.1.0: an image
 * flashed, another one staged, tried, confirmed); the images are built here, since 0.1.0 accepted any whole image
 * (docs/spec/boot-and-slots.md#adopted).
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Console, ConsoleDidNotStart, startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, send, sendAndAwait } from "./boot-firmware.js";

const OLD = imageOf(firmware("old"));
const NEW = imageOf(firmware("new"));
const LINE = /^(old|new) [ab] /;

const states: string[] = [];
afterEach(() => {
  for (const state of states.splice(0)) rmSync(state, { recursive: true, force: true });
});

type Phase = "staged" | "trial" | "confirmed";

/** Slot a holds the flashed image, slot b the staged one. */
function stateOf010(phase: Phase): string {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  states.push(state);
  const slots = path.join(state, "slots");
  mkdirSync(slots);
  writeFileSync(path.join(slots, "a"), OLD);
  writeFileSync(path.join(slots, "b"), NEW);
  copyFileSync(path.join(import.meta.dirname, `state-0.1.0/${phase}.boot`), path.join(slots, "boot"));
  return state;
}

async function start(state: string, environment = {}): Promise<Console> {
  return startConsole({ image: null, state, environment });
}

const FOUND: Readonly<Record<Phase, string>> = {
  staged: 'new b update {"phase":"trial","trials":1}',
  trial: 'old a rollback {"phase":"settled","trials":1,"lastEnd":"power_loss"}',
  confirmed: 'new b power_on {"phase":"settled","trials":1,"lastEnd":"confirmed"}',
};

for (const [phase, line] of Object.entries(FOUND) as [Phase, string][])
  test(`a console of 0.1.0 whose firmware is ${phase} continues from that state`, async () => {
    const state = stateOf010(phase);
    const console = await start(state);
    expect(await console.waitForLine(LINE)).toBe(line);
    expect(existsSync(path.join(state, "slots/boot"))).toBe(false);
    await console.stop();
    const again = await start(state);
    expect(await again.waitForLine(LINE)).toMatch(phase === "confirmed" ? /^new b power_on / : /^old a /);
    await again.stop();
  });

test("a console of 0.1.0 can be updated", async () => {
  const state = stateOf010("confirmed");
  const console = await start(state);
  provide(state, OLD);
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(
    'old a update {"phase":"trial","trials":2}',
  );
  await send(console, "confirm");
  expect(await sendAndAwait(console, ["restart"], LINE)).toMatch(/^old a software /);
  await console.stop();
});

test("a console of 0.1.0 that was never updated runs the flashed firmware, even without a record", async () => {
  const state = stateOf010("staged");
  for (const name of ["b", "boot"]) rmSync(path.join(state, "slots", name));
  const console = await start(state);
  expect(await console.waitForLine(LINE)).toBe('old a power_on {"phase":"settled","trials":0}');
  await console.stop();
});

test("a power cut at any operation of the migration from 0.1.0 lets the next start complete it", async () => {
  for (let operation = 1; ; operation++) {
    const state = stateOf010("confirmed");
    const cut = await start(state, { SVC_SIM_POWER_CUT: String(operation) }).catch((error) => error);
    if (!(cut instanceof ConsoleDidNotStart)) {
      expect(operation).toBeGreaterThan(10);
      await cut.stop();
      return;
    }
    const console = await start(state);
    expect(await console.waitForLine(LINE), `after operation ${operation}`).toBe(FOUND.confirmed);
    await console.stop();
  }
});

test("a record of 0.1.0 is migrated once; a later one is ignored", async () => {
  const state = stateOf010("staged");
  await (await start(state)).stop();
  await (await start(state)).stop();
  copyFileSync(path.join(import.meta.dirname, "state-0.1.0/confirmed.boot"), path.join(state, "slots/boot"));
  const console = await start(state);
  expect(await console.waitForLine(LINE)).toMatch(/^old a /);
  await console.stop();
});

test("after the migration, confirmed firmware of 0.1.0 that was overwritten does not start", async () => {
  const state = stateOf010("confirmed");
  await (await start(state)).stop();
  writeFileSync(path.join(state, "slots/b"), imageOf(firmware("evil")));
  const refusal = await start(state).catch((error) => error);
  expect(refusal).toBeInstanceOf(ConsoleDidNotStart);
  expect(refusal.stderr.join()).toContain("is not what was verified for it");
  expect(readFileSync(path.join(state, "fuses.bin"))).toHaveLength(32);
});
