/**
 * A start that fails because of its options or a port in use does not end a trial
 * (docs/spec/simulated-console.md#build).
 */
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Console, ConsoleDidNotStart, startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, send, sendAndAwait } from "./boot-firmware.js";

/** An option that the firmware rejects. */
const BAD_OPTION = ["--config", "CONFIG_NOPE=1"];
const MESSAGE = "No build option is named CONFIG_NOPE";
const REFUSES = `if (config.options?.CONFIG_NOPE) throw new RangeError("${MESSAGE}");`;

const OLD = firmware("old", REFUSES);
const LINE = /^(old|new) [ab] /;
const TRIED_AGAIN = 'new b update {"phase":"trial","trials":2}';
const rolledBack = (lastEnd: string) =>
  `old a rollback {"phase":"settled","trials":1,"lastEnd":"${lastEnd}"}`;

let state = "";
let taken: net.Server | undefined;
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => {
  taken?.close();
  taken = undefined;
  rmSync(state, { recursive: true, force: true });
});

/** Stages firmware that begins with `atStart`, and stops. */
async function stage(atStart: string): Promise<void> {
  provide(state, imageOf(firmware("new", atStart)));
  const console = await startConsole({ image: OLD, state });
  await send(console, "stage");
  expect(await console.stop()).toBe(0);
}

async function refusal(...flags: string[]): Promise<ConsoleDidNotStart> {
  const result = await startConsole({
    image: OLD,
    state,
    flags,
    environment: { SVC_SIM_WATCHDOG_MS: "700" },
  }).catch((error) => error);
  expect(result).toBeInstanceOf(ConsoleDidNotStart);
  return result;
}

async function takePort(): Promise<string> {
  const server = net.createServer();
  taken = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return String((server.address() as net.AddressInfo).port);
}

async function startAgain(expected: string): Promise<Console> {
  const console = await startConsole({ image: OLD, state });
  expect(await console.waitForLine(LINE)).toBe(expected);
  return console;
}

test("a rejected option is reported once, with status 2, and the next start tries the staged firmware", async () => {
  await stage(REFUSES);
  const { status, stderr } = await refusal(...BAD_OPTION);
  expect(status).toBe(2);
  expect(stderr).toEqual([`console: unhandled exception: RangeError: ${MESSAGE}`, `console: ${MESSAGE}`]);
  const console = await startAgain(TRIED_AGAIN);
  await send(console, "confirm");
  expect(await sendAndAwait(console, ["restart"], LINE)).toBe(
    'new b software {"phase":"settled","trials":2,"lastEnd":"confirmed"}',
  );
  await console.stop();
});

test("a port in use is reported once, with status 1, and the next start tries the staged firmware", async () => {
  await stage("");
  const { status, stderr } = await refusal("--http-port", await takePort());
  expect(status).toBe(1);
  expect(stderr).toHaveLength(2);
  expect(stderr[1]).toMatch(/^console: cannot listen on port \d+: /);
  await (await startAgain(TRIED_AGAIN)).stop();
});

test("firmware stays staged after six rejected starts", async () => {
  await stage(REFUSES);
  for (let start = 1; start <= 6; start++) expect(await refusal(...BAD_OPTION)).toMatchObject({ status: 2 });
  await (await startAgain(TRIED_AGAIN.replace("2}", "7}"))).stop();
});

test("without staged firmware, a rejected option is reported once and does not count as a crash", async () => {
  await stage(REFUSES);
  await (await startAgain('new b update {"phase":"trial","trials":1}')).stop();
  await (await startAgain(rolledBack("power_loss"))).stop();
  expect(await refusal(...BAD_OPTION)).toMatchObject({ status: 2, stderr: [`console: ${MESSAGE}`] });
  await (await startAgain(rolledBack("power_loss").replace("rollback", "power_on"))).stop();
});

/** Failures of new firmware that end its trial, although the old firmware rejects the start after it. */
const FAILURES = [
  { name: "hangs", atStart: "for (;;);", lastEnd: "watchdog" },
  { name: "restarts", atStart: "system.restart(); return;", lastEnd: "reboot" },
  { name: "takes all memory", atStart: "for (let list; ; ) list = { next: list };", lastEnd: "crash" },
  { name: "reverts", atStart: `slots.revert(); ${REFUSES}`, lastEnd: "timeout" },
];

for (const { name, atStart, lastEnd } of FAILURES)
  test(`the trial of firmware that ${name} ends, even if the old firmware then rejects the start`, async () => {
    await stage(atStart);
    const { status, stderr } = await refusal(...BAD_OPTION);
    expect(status).toBe(2);
    expect(stderr.at(-1)).toBe(`console: ${MESSAGE}`);
    const console = await startConsole({ image: OLD, state });
    const [, slot, , record] = (await console.waitForLine(LINE)).split(" ");
    expect([slot, record]).toEqual(["a", rolledBack(lastEnd).split(" ")[3]]);
    await console.stop();
  });

test("firmware that was confirmed before it rejected the start stays confirmed", async () => {
  await stage(`if (slots.record().phase === "trial") slots.confirm(); ${REFUSES}`);
  expect(await refusal(...BAD_OPTION)).toMatchObject({ status: 2 });
  const console = await startAgain('new b power_on {"phase":"settled","trials":1,"lastEnd":"confirmed"}');
  await console.stop();
});

test("a slot that the old firmware overwrites during a rejected start is not tried", async () => {
  const writes = `const updater = slots.open(); updater.write(new Uint8Array(64));`;
  provide(state, imageOf(firmware("new", REFUSES)));
  const old = firmware("old", `if (config.options?.CONFIG_NOPE) { ${writes} } ${REFUSES}`);
  const console = await startConsole({ image: old, state });
  await send(console, "stage");
  await console.stop();
  const again = await startConsole({ image: old, state, flags: BAD_OPTION }).catch((error) => error);
  expect(again).toMatchObject({ status: 2 });
  const last = await startConsole({ image: old, state });
  expect(await last.waitForLine(LINE)).toMatch(
    /^old a \w+ {"phase":"settled","trials":1,"lastEnd":"crash"}$/,
  );
  await last.stop();
});
