/**
 * New firmware stays once it is confirmed; whatever else ends its first run brings the old firmware back
 * (docs/spec/boot-and-slots.md#trial-crash).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Console, startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, sayOnly, tell, tellAndSee } from "./boot-firmware.js";

const OLD = firmware("old");
const NEW = firmware("new");
const TRIAL = 'new b update {"phase":"trial","trials":1}';
const LINE = /^(old|new) [ab] /;

const states: string[] = [];
afterEach(() => {
  for (const state of states.splice(0)) rmSync(state, { recursive: true, force: true });
});

function newState(): string {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  states.push(state);
  return state;
}

/** Old firmware in a state directory of its own, which has been given other firmware to take. */
async function startOld(next: Uint8Array, ...flags: string[]): Promise<Console> {
  const state = newState();
  provide(state, next);
  const console = await startConsole({ image: OLD, state, flags });
  expect(await console.waitForLine(LINE)).toBe('old a power_on {"phase":"settled","trials":0}');
  return console;
}

const startAgain = (state: string, image: string | null = OLD) => startConsole({ image, state });

async function firstLine(console: Console): Promise<string> {
  return console.waitForLine(LINE);
}

const rolledBack = (lastEnd: string) =>
  `old a rollback {"phase":"settled","trials":1,"lastEnd":"${lastEnd}"}`;

test("new firmware that is confirmed stays, whatever ends its runs", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  const confirmed = '{"phase":"settled","trials":1,"lastEnd":"confirmed"}';
  await tell(console, "confirm");
  expect(await tellAndSee(console, ["restart"], LINE)).toBe(`new b software ${confirmed}`);
  expect(await tellAndSee(console, ["throw"], LINE)).toBe(`new b crash ${confirmed}`);
  await console.kill();
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(`new b crash ${confirmed}`);
  await again.stop();
  const last = await startAgain(console.state, null);
  expect(await firstLine(last)).toBe(`new b power_on ${confirmed}`);
  await last.stop();
});

test("the next update goes to slot a, and its trials are counted on", async () => {
  const console = await startOld(imageOf(NEW));
  await tellAndSee(console, ["stage", "restart"], LINE);
  await tell(console, "confirm");
  provide(console.state, imageOf(OLD));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(
    'old a update {"phase":"trial","trials":2}',
  );
  expect(await tellAndSee(console, ["restart"], LINE)).toBe(
    'new b rollback {"phase":"settled","trials":2,"lastEnd":"reboot"}',
  );
  await console.stop();
});

const ENDS_IN_PLACE = [
  { name: "a restart", words: ["restart"], lastEnd: "reboot" },
  { name: "giving it up", words: ["revert", "restart"], lastEnd: "timeout" },
] as const;

for (const { name, words, lastEnd } of ENDS_IN_PLACE)
  test(`${name} brings the old firmware back, and it can be updated again`, async () => {
    const console = await startOld(imageOf(NEW));
    expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
    expect(await tellAndSee(console, words, LINE)).toBe(rolledBack(lastEnd));
    expect(await tellAndSee(console, ["restart"], LINE)).toBe(
      rolledBack(lastEnd).replace("rollback", "software"),
    );
    expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
    await console.stop();
  });

const CRASHES_BY_ITSELF = `
  if (slots.record().phase === "trial") timer.set(() => { throw new Error("its own"); }, 300);
`;

test("a crash of its own ends the trial at once, and the firmware can be tried again", async () => {
  const console = await startOld(imageOf(firmware("new", CRASHES_BY_ITSELF)));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await console.waitForLine(/its own/);
  expect(await console.waitForLine(/^old a rollback /)).toBe(rolledBack("crash"));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
  await console.stop();
});

const AGAIN = TRIAL.replace("update", "crash");

test("a crash while something from the network is worked on starts the same trial again, three times", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  for (let crash = 1; crash <= 3; crash++) expect(await tellAndSee(console, ["throw"], LINE)).toBe(AGAIN);
  expect(await tellAndSee(console, ["throw"], LINE)).toBe(rolledBack("crash"));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
  expect(await tellAndSee(console, ["throw"], LINE)).toBe(AGAIN.replace("1}", "2}"));
  await console.stop();
});

test("work that the network has left to a timer is still the network's, and a trial started again can be confirmed", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await tellAndSee(console, ["throwLater"], LINE)).toBe(AGAIN);
  await tell(console, "confirm");
  expect(await tellAndSee(console, ["restart"], LINE)).toBe(
    'new b software {"phase":"settled","trials":1,"lastEnd":"confirmed"}',
  );
  await console.stop();
});

test("a process that dies while it works on something from the network leaves the trial to be started again", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await sayOnly(console, "hang");
  await console.waitForLine(/^hanging$/);
  await console.kill();
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(AGAIN);
  await again.stop();
});

test("a restart that the network asks for ends the trial as before", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await tellAndSee(console, ["throw"], LINE)).toBe(AGAIN);
  expect(await tellAndSee(console, ["restart"], LINE)).toBe(rolledBack("reboot"));
  await console.stop();
});

test("SIGKILL is a crash", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await console.kill();
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(rolledBack("crash"));
  await again.stop();
});

test("SIGTERM is a loss of power", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await console.stop()).toBe(0);
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(rolledBack("power_loss"));
  await again.stop();
});

const BAD_STARTS = [
  { name: "throws in main", image: firmware("new", `throw new RangeError("as if an option were bad");`) },
  { name: "throws in its module scope", image: `throw new Error("at once");\n${firmware("new")}` },
  { name: "is no program at all", image: "this is no\nprogram" },
];

for (const { name, image } of BAD_STARTS)
  test(`firmware that ${name} is gone at once`, async () => {
    const console = await startOld(imageOf(image));
    expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(rolledBack("crash"));
    await console.stop();
  });

test("an exception in a trial that begins with the process is a crash, and the old firmware gets ready", async () => {
  const console = await startOld(imageOf(BAD_STARTS[0]?.image ?? ""));
  await tell(console, "stage");
  await console.stop();
  const again = await startAgain(console.state);
  expect(again.http).toMatch(/^http:/);
  expect(again.stderr).toContain(rolledBack("crash"));
  expect(await again.stop()).toBe(0);
});

const TIMEOUT = ["--config", "CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S=1"];

test("firmware that neither serves nor gives up is ended when its time is over", async () => {
  const silent = `export default function main() {}\n// serves no request`;
  const console = await startOld(imageOf(silent), ...TIMEOUT);
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(rolledBack("timeout"));
  await console.stop();
});

test("firmware that gives up without a restart is ended when its time is over", async () => {
  const console = await startOld(imageOf(NEW), ...TIMEOUT);
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await tellAndSee(console, ["revert"], LINE)).toBe(rolledBack("timeout"));
  await console.stop();
});

test("firmware that is confirmed in time is not ended when its time is over", async () => {
  const console = await startOld(
    imageOf(firmware("new", `timer.set(() => say("still here"), 2500);`)),
    ...TIMEOUT,
  );
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  const from = console.stderr.length;
  await tell(console, "confirm");
  await console.waitForLine(/./, from);
  expect(console.stderr.slice(from)).toEqual(["still here"]);
  await console.stop();
});

test("a trial that crashed does not count towards giving up on the old firmware", async () => {
  const console = await startOld(imageOf(NEW));
  await tellAndSee(console, ["stage", "restart"], LINE);
  for (let crash = 1; crash <= 4; crash++) await tellAndSee(console, ["throw"], LINE);
  for (let crash = 1; crash <= 4; crash++)
    expect(await tellAndSee(console, ["throw"], LINE)).toBe(rolledBack("crash").replace("rollback", "crash"));
  await tell(console, "record");
  expect(await console.stop()).toBe(0);
});

test("what was staged is dropped by opening its slot, and never boots", async () => {
  const console = await startOld(imageOf(NEW));
  await tell(console, "stage");
  await tell(console, "drop");
  expect(await tellAndSee(console, ["restart"], LINE)).toBe('old a software {"phase":"settled","trials":1}');
  await console.stop();
});

test("what is staged survives the end of the process, and is tried at the next start", async () => {
  const console = await startOld(imageOf(NEW));
  await tell(console, "stage");
  await console.kill();
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(TRIAL);
  await again.stop();
});
