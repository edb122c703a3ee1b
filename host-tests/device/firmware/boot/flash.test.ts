/**
 * `--image` is flashed at the first start, and again only when the image differs
 * (docs/spec/simulated-console.md#flash-once).
 */
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { ConsoleDidNotStart, startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, send, sendAndAwait } from "./boot-firmware.js";

const FIRST = firmware("first");
const SECOND = firmware("second");
const UPDATE = firmware("update");
const LINE = /^(first|second|update) [ab] /;

const states: string[] = [];
afterEach(() => {
  for (const state of states.splice(0)) rmSync(state, { recursive: true, force: true });
});

function newState(): string {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  states.push(state);
  return state;
}

interface Seen {
  readonly line: string;
  readonly isFlashed: boolean;
}

/** Starts with that image, sends the commands, and stops. */
async function run(state: string, image: string | null, ...words: string[]): Promise<Seen> {
  const console = await startConsole({ image, state });
  const line = await console.waitForLine(LINE);
  for (const word of words) {
    if (word === "restart") await sendAndAwait(console, [word], LINE);
    else await send(console, word);
  }
  expect(await console.stop()).toBe(0);
  return { line, isFlashed: console.flashed.length > 0 };
}

const settled = (rest: string) => `{"phase":"settled",${rest}}`;

test("an image is flashed at the first start, and at a later one if it differs", async () => {
  const state = newState();
  const power = settled('"trials":0');
  expect(await run(state, FIRST)).toEqual({ line: `first a power_on ${power}`, isFlashed: true });
  const { ino } = statSync(path.join(state, "slots/a"));
  expect(await run(state, FIRST)).toEqual({ line: `first a power_on ${power}`, isFlashed: false });
  expect(await run(state, null)).toEqual({ line: `first a power_on ${power}`, isFlashed: false });
  expect(statSync(path.join(state, "slots/a")).ino).toBe(ino);
  expect(await run(state, SECOND)).toEqual({ line: `second a power_on ${power}`, isFlashed: true });
});

test("the message about flashing names the file and the slot", async () => {
  const console = await startConsole({ image: FIRST, state: newState() });
  expect(console.flashed).toEqual([
    `console: flashed "${path.join(console.state, "image.img")}" into slot a`,
  ]);
  await console.stop();
});

test("an update stays when the console starts with the previously flashed image, and another image replaces it", async () => {
  const state = newState();
  provide(state, imageOf(UPDATE));
  await run(state, FIRST, "stage", "restart", "confirm");
  const confirmed = settled('"trials":1,"lastEnd":"confirmed"');
  expect(await run(state, FIRST)).toEqual({ line: `update b power_on ${confirmed}`, isFlashed: false });
  expect(await run(state, SECOND)).toEqual({
    line: `second a power_on ${settled('"trials":1')}`,
    isFlashed: true,
  });
});

for (const [phase, words] of Object.entries({ staged: ["stage"], "on trial": ["stage", "restart"] }))
  test(`flashing drops firmware that is ${phase}`, async () => {
    const state = newState();
    provide(state, imageOf(UPDATE));
    await run(state, FIRST, ...words);
    expect(await run(state, SECOND)).toEqual({
      line: `second a power_on ${settled('"trials":1')}`,
      isFlashed: true,
    });
  });

test("flashing that ended before it wrote the boot record is repeated", async () => {
  const state = newState();
  const file = (name: string) => path.join(state, "slots", name);
  await run(state, FIRST);
  const copies = ["boot.a", "boot.b"].map((name) => [file(name), readFileSync(file(name))] as const);
  await run(state, SECOND);
  for (const [copy, content] of copies) writeFileSync(copy, content);
  expect((await run(state, null)).line).toMatch(/^second a /);
  expect(await run(state, SECOND)).toMatchObject({ isFlashed: true });
  expect(await run(state, SECOND)).toMatchObject({ isFlashed: false });
});

test("the firmware boots after flashing that ended between slot and seal", async () => {
  const state = newState();
  const file = (name: string) => path.join(state, "slots", name);
  await run(state, FIRST);
  const [slot, seal] = [readFileSync(file("a")), readFileSync(file("a.seal"))];
  await run(state, SECOND);
  // The new seal has been written, and the slot holds the old or the new image.
  renameSync(file("a.seal"), file("a.seal.new"));
  writeFileSync(file("a.seal"), seal);
  expect((await run(state, null)).line).toMatch(/^second a /);
  writeFileSync(file("a"), slot);
  expect((await run(state, null)).line).toMatch(/^first a /);
});

test("flashing is not counted as an operation of the console's storage", async () => {
  const state = newState();
  const count = path.join(state, "count");
  const console = await startConsole({ image: FIRST, state, environment: { SVC_SIM_STORAGE_COUNT: count } });
  await console.stop();
  expect(console.flashed).toHaveLength(1);
  expect(readFileSync(count, "utf8")).toBe("0\n");
});

test("a damaged or invalid image file is not flashed", async () => {
  const state = newState();
  await run(state, FIRST);
  const image = path.join(state, "bad.img");
  for (const bytes of [imageOf(SECOND).subarray(0, -1), Buffer.from(SECOND), Buffer.alloc(0)]) {
    writeFileSync(image, bytes);
    const refusal = await startConsole({ image, state }).catch((error) => error);
    expect(refusal).toBeInstanceOf(ConsoleDidNotStart);
    expect(refusal.status).toBe(1);
    expect(refusal.stderr).toEqual([`console: "${image}" is not a whole firmware image`]);
  }
  expect((await run(state, null)).line).toMatch(/^first a /);
});

test("a console that was never flashed does not start without an image", async () => {
  const refusal = await startConsole({ image: null }).catch((error) => error);
  expect(refusal).toBeInstanceOf(ConsoleDidNotStart);
  expect(refusal.status).toBe(1);
  expect(refusal.stderr.join()).toContain("flash it with --image FILE");
});
