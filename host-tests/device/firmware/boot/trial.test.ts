/**
 * New firmware stays once it is confirmed; any other end of its trial brings the old firmware back
 * (docs/spec/boot-and-slots.md#trial-crash).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Console, startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, send, sendAndAwait, sendUnanswered } from "./boot-firmware.js";

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

/** Starts old firmware in a new state directory, with the image `next` to stage. */
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

test("confirmed firmware stays after restarts, crashes and power cycles", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  const confirmed = '{"phase":"settled","trials":1,"lastEnd":"confirmed"}';
  await send(console, "confirm");
  expect(await sendAndAwait(console, ["restart"], LINE)).toBe(`new b software ${confirmed}`);
  expect(await sendAndAwait(console, ["throw"], LINE)).toBe(`new b crash ${confirmed}`);
  await console.kill();
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(`new b crash ${confirmed}`);
  await again.stop();
  const last = await startAgain(console.state, null);
  expect(await firstLine(last)).toBe(`new b power_on ${confirmed}`);
  await last.stop();
});

test("the next update goes to slot a, and the count of trials continues", async () => {
  const console = await startOld(imageOf(NEW));
  await sendAndAwait(console, ["stage", "restart"], LINE);
  await send(console, "confirm");
  provide(console.state, imageOf(OLD));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(
    'old a update {"phase":"trial","trials":2}',
  );
  expect(await sendAndAwait(console, ["restart"], LINE)).toBe(
    'new b rollback {"phase":"settled","trials":2,"lastEnd":"reboot"}',
  );
  await console.stop();
});

const ENDS_IN_PLACE = [
  { name: "a restart", words: ["restart"], lastEnd: "reboot" },
  { name: "a revert", words: ["revert", "restart"], lastEnd: "timeout" },
] as const;

for (const { name, words, lastEnd } of ENDS_IN_PLACE)
  test(`${name} during the trial brings the old firmware back, which can be updated again`, async () => {
    const console = await startOld(imageOf(NEW));
    expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
    expect(await sendAndAwait(console, words, LINE)).toBe(rolledBack(lastEnd));
    expect(await sendAndAwait(console, ["restart"], LINE)).toBe(
      rolledBack(lastEnd).replace("rollback", "software"),
    );
    expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
    await console.stop();
  });

const CRASHES_BY_ITSELF = `
  if (slots.record().phase === "trial") timer.set(() => { throw new Error("its own"); }, 300);
`;

test("a crash without a network cause ends the trial at once, and the firmware can be tried again", async () => {
  const console = await startOld(imageOf(firmware("new", CRASHES_BY_ITSELF)));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await console.waitForLine(/its own/);
  expect(await console.waitForLine(/^old a rollback /)).toBe(rolledBack("crash"));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
  await console.stop();
});

const AGAIN = TRIAL.replace("update", "crash");

test("a crash while handling network data restarts the trial, up to three times", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  for (let crash = 1; crash <= 3; crash++) expect(await sendAndAwait(console, ["throw"], LINE)).toBe(AGAIN);
  expect(await sendAndAwait(console, ["throw"], LINE)).toBe(rolledBack("crash"));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
  expect(await sendAndAwait(console, ["throw"], LINE)).toBe(AGAIN.replace("1}", "2}"));
  await console.stop();
});

test("a crash in a timer set while handling network data restarts the trial, which can then be confirmed", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await sendAndAwait(console, ["throwLater"], LINE)).toBe(AGAIN);
  await send(console, "confirm");
  expect(await sendAndAwait(console, ["restart"], LINE)).toBe(
    'new b software {"phase":"settled","trials":1,"lastEnd":"confirmed"}',
  );
  await console.stop();
});

test("a kill while handling network data restarts the trial", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await sendUnanswered(console, "hang");
  await console.waitForLine(/^hanging$/);
  await console.kill();
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(AGAIN);
  await again.stop();
});

test("a restart requested over the network ends the trial, even after a crash", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await sendAndAwait(console, ["throw"], LINE)).toBe(AGAIN);
  expect(await sendAndAwait(console, ["restart"], LINE)).toBe(rolledBack("reboot"));
  await console.stop();
});

test("SIGKILL during the trial counts as a crash", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await console.kill();
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(rolledBack("crash"));
  await again.stop();
});

test("SIGTERM during the trial counts as a loss of power", async () => {
  const console = await startOld(imageOf(NEW));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await console.stop()).toBe(0);
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(rolledBack("power_loss"));
  await again.stop();
});

const BAD_STARTS = [
  { name: "throws in main", image: firmware("new", `throw new RangeError("as if an option were bad");`) },
  { name: "throws in its module scope", image: `throw new Error("at once");\n${firmware("new")}` },
  { name: "is not a program", image: "this is no\nprogram" },
];

for (const { name, image } of BAD_STARTS)
  test(`the trial of firmware that ${name} ends at once`, async () => {
    const console = await startOld(imageOf(image));
    expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(rolledBack("crash"));
    await console.stop();
  });

test("after an exception in a trial that begins with the process, the old firmware becomes ready", async () => {
  const console = await startOld(imageOf(BAD_STARTS[0]?.image ?? ""));
  await send(console, "stage");
  await console.stop();
  const again = await startAgain(console.state);
  expect(again.http).toMatch(/^http:/);
  expect(again.stderr).toContain(rolledBack("crash"));
  expect(await again.stop()).toBe(0);
});

const TIMEOUT = ["--config", "CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S=1"];

test("the trial of firmware that neither serves requests nor reverts ends at the timeout", async () => {
  const silent = `export default function main() {}\n// serves no request`;
  const console = await startOld(imageOf(silent), ...TIMEOUT);
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(rolledBack("timeout"));
  await console.stop();
});

test("the trial of firmware that reverts without a restart ends at the timeout", async () => {
  const console = await startOld(imageOf(NEW), ...TIMEOUT);
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await sendAndAwait(console, ["revert"], LINE)).toBe(rolledBack("timeout"));
  await console.stop();
});

test("firmware that was confirmed in time keeps running past the timeout", async () => {
  const console = await startOld(
    imageOf(firmware("new", `timer.set(() => say("still here"), 2500);`)),
    ...TIMEOUT,
  );
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  const from = console.stderr.length;
  await send(console, "confirm");
  await console.waitForLine(/./, from);
  expect(console.stderr.slice(from)).toEqual(["still here"]);
  await console.stop();
});

test("crashes during a trial do not count towards a crash loop of the old firmware", async () => {
  const console = await startOld(imageOf(NEW));
  await sendAndAwait(console, ["stage", "restart"], LINE);
  for (let crash = 1; crash <= 4; crash++) await sendAndAwait(console, ["throw"], LINE);
  for (let crash = 1; crash <= 4; crash++)
    expect(await sendAndAwait(console, ["throw"], LINE)).toBe(
      rolledBack("crash").replace("rollback", "crash"),
    );
  await send(console, "record");
  expect(await console.stop()).toBe(0);
});

test("opening the slot drops staged firmware, which never boots", async () => {
  const console = await startOld(imageOf(NEW));
  await send(console, "stage");
  await send(console, "drop");
  expect(await sendAndAwait(console, ["restart"], LINE)).toBe(
    'old a software {"phase":"settled","trials":1}',
  );
  await console.stop();
});

test("staged firmware survives SIGKILL, and the next start tries it", async () => {
  const console = await startOld(imageOf(NEW));
  await send(console, "stage");
  await console.kill();
  const again = await startAgain(console.state);
  expect(await firstLine(again)).toBe(TRIAL);
  await again.stop();
});
