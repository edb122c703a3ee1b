/**
 * After repeated crashes the console starts without apps, hub and drives, so that the owner can repair it
 * (docs/spec/boot-and-slots.md#safe-mode).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installOverHttp } from "../../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../../hosts/app-console.js";
import { packageOf } from "../../../hosts/app-files.js";
import { askHttp, askShell, closedConnectionsNoticed, getJson } from "../../../hosts/http-client.js";
import { Publisher } from "../../../hosts/publisher.js";
import { startConsole } from "../../../hosts/simulator.js";
import { UsbClient } from "../../../hosts/usb-client.js";
import { firmware, send, sendAndAwait } from "./boot-firmware.js";

/** `(module (func (export "main")))`, which ends by itself. */
const MODULE = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0],
  ...[7, 8, 1, 4, 0x6d, 0x61, 0x69, 0x6e, 0, 0, 10, 4, 1, 2, 0, 0x0b],
]);

let state = "";
const publisher = new Publisher();
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const start = (environment = {}, flags: string[] = []) =>
  startAppConsole({ state, publisher, environment, flags });

async function crash(times: number, environment = {}): Promise<void> {
  for (let crashes = 0; crashes < times; crashes++) await (await start(environment)).kill();
}

async function isSafe(console: AppConsole): Promise<boolean> {
  const { safe_mode } = await getJson(`${console.http}/api/system`);
  return safe_mode === true;
}

test("after three crashes the console starts in safe mode: no apps, no hub, no drives", async () => {
  const file = packageOf(MODULE);
  const drive = path.join(state, "drive");
  mkdirSync(path.join(drive, "apps"), { recursive: true });
  const first = await start();
  await installOverHttp(first, { file, signature: publisher.sign(file) });
  expect(await isSafe(first)).toBe(false);
  await first.kill();
  await crash(2);
  writeFileSync(path.join(drive, "apps/other.svcpkg"), packageOf(MODULE, { name: "other" }));
  const console = await start({}, ["--sd", drive]);
  expect(await isSafe(console)).toBe(true);
  expect(console.stderr.join("\n")).toMatch(/boot: safe mode, since the console has crashed/);
  expect(console.stderr.join("\n")).not.toMatch(/other/);
  expect(await console.app("start")).toMatchObject({ status: 503, body: { error: "safe_mode" } });
  expect(await askHttp(`${console.http}/api/hub?url=http://127.0.0.1:9`, { method: "POST" })).toMatchObject({
    status: 200,
  });
  expect(await askShell(console.http, "hub register")).toMatch(/safe mode/);
  const usb = await UsbClient.open(console.usb);
  expect(await usb.request("GET", "/api/system")).toMatchObject({ body: { safe_mode: true } });
  await usb.close();
  expect(await console.app("uninstall")).toMatchObject({ status: 200 });
  await console.stop();
});

test("a reboot leaves safe mode", async () => {
  await crash(3);
  const console = await start();
  expect(await isSafe(console)).toBe(true);
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.waitForLine(/ is ready: /, from);
  await closedConnectionsNoticed();
  expect(await isSafe(console)).toBe(false);
  await console.stop();
});

test("a console that crashes in safe mode starts in safe mode again, and a stop leaves it", async () => {
  await crash(4);
  const console = await start();
  expect(await isSafe(console)).toBe(true);
  await console.stop();
  const again = await start();
  expect(await isSafe(again)).toBe(false);
  await again.stop();
});

test("crashes after the console was healthy do not count towards safe mode", async () => {
  const environment = { SVC_SIM_HEALTHY_MS: "50" };
  for (let crashes = 0; crashes < 4; crashes++) {
    const console = await start(environment);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await console.kill();
  }
  const console = await start();
  expect(await isSafe(console)).toBe(false);
  await console.stop();
});

test("a requested restart resets the count of crashes", async () => {
  const LINE = /^(old|new) [ab] /;
  const console = await startConsole({ image: firmware("old"), state });
  await sendAndAwait(console, ["throw"], LINE);
  await sendAndAwait(console, ["throw"], LINE);
  await send(console, "record");
  await sendAndAwait(console, ["restart"], LINE);
  await console.kill();
  const again = await start();
  expect(await isSafe(again)).toBe(false);
  await again.stop();
});
