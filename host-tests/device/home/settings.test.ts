/** Settings, the app at the start and factory reset on a console (docs/spec/home.md#chosen). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { askHttp, closedConnectionsNoticed, getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { UsbClient } from "../../hosts/usb-client.js";

const WAITING = `(import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (func (export "main") (loop $again (drop (call $sleep (i32.const 1000))) (br $again)))`;
const TRAPPING = '(func (export "main") unreachable)';

const FIRST = {
  start_app: "",
  brightness_percent: 100,
  sleep_after_s: 0,
  updates: "ask",
  utc_offset: "+00:00",
};

const publisher = new Publisher();
let state = "";
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const start = () => startAppConsole({ state, publisher });

async function install(console: AppConsole, name: string, module: string): Promise<void> {
  const file = packageOf(await moduleOf(`(module ${module})`), { name });
  expect((await installOverHttp(console, { file, signature: publisher.sign(file) })).status).toBe(200);
}

/** Over the cable. */
async function ask(console: AppConsole, method: string, at: string, params = {}) {
  const usb = await UsbClient.open(console.usb);
  try {
    return await usb.request(method, at, params);
  } finally {
    await usb.close();
  }
}

const front = async ({ http }: AppConsole) => (await getJson(`${http}/api/system`)).foreground;

async function restart(console: AppConsole): Promise<void> {
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.waitForLine(/is ready/, from);
  await closedConnectionsNoticed();
}

test("The owner changes settings over the cable or with the token; anybody reads them", async () => {
  const console = await start();
  const address = `${console.http}/api/settings`;
  expect(await getJson(address)).toEqual(FIRST);
  expect(await askHttp(`${address}?updates=automatic`, { method: "POST" })).toMatchObject({
    status: 401,
    body: { error: "unauthorized" },
  });
  expect(await ask(console, "POST", "/api/settings", { updates: "automatic" })).toMatchObject({
    status: 200,
    body: { ...FIRST, updates: "automatic" },
  });
  const { token } = (await ask(console, "GET", "/api/auth/token")).body;
  const headers = { authorization: `Bearer ${token}` };
  expect(await askHttp(`${address}?start_app=*`, { method: "POST", headers })).toMatchObject({
    status: 200,
    body: { ...FIRST, start_app: "*", updates: "automatic" },
  });
  expect(await askHttp(`${address}?start_app=a/b`, { method: "POST", headers })).toMatchObject({
    status: 400,
  });
  expect(await getJson(address)).toEqual({ ...FIRST, start_app: "*", updates: "automatic" });
  expect(await console.stop()).toBe(0);
});

test("The chosen app starts with the console, and the last one if that is chosen", async () => {
  const console = await start();
  await install(console, "one", WAITING);
  await install(console, "two", WAITING);
  await ask(console, "POST", "/api/settings", { start_app: "one" });
  await restart(console);
  expect(await front(console)).toBe("one");

  await ask(console, "POST", "/api/settings", { start_app: "*" });
  await console.app("start", "two");
  await restart(console);
  expect(await front(console)).toBe("two");
  await console.kill(); // as a loss of power
  const again = await start();
  expect(await front(again)).toBe("two");
  expect(await again.stop()).toBe(0);
});

test("After three traps in a row the app does not start with the console", async () => {
  const console = await start();
  await install(console, "bad", TRAPPING);
  await ask(console, "POST", "/api/settings", { start_app: "bad" });
  for (let run = 0; run < 3; run++) {
    const from = console.stderr.length;
    await restart(console);
    await console.waitForLine(/"bad" ended: trap/, from);
  }
  const from = console.stderr.length;
  await restart(console);
  await console.waitForLine(/"bad" is not started: it has failed 3 times in a row/, from);
  expect(await front(console)).toBeUndefined();
  expect(await console.stop()).toBe(0);
});

test("A factory reset leaves neither apps, nor settings, nor a hub, and the firmware's keys", async () => {
  const console = await start();
  await install(console, "one", WAITING);
  await ask(console, "POST", "/api/settings", { start_app: "one" });
  await ask(console, "POST", "/api/hub", { url: "http://192.0.2.1" });
  const { token } = (await ask(console, "GET", "/api/auth/token")).body;
  expect((await askHttp(`${console.http}/api/factory-reset`, { method: "POST" })).status).toBe(401);

  const from = console.stderr.length;
  expect(await ask(console, "POST", "/api/factory-reset")).toMatchObject({ body: { resetting: true } });
  await console.waitForLine(/reset to factory settings/, from);
  await console.waitForLine(/is ready/, from);
  await closedConnectionsNoticed();
  expect(await console.apps()).toEqual([]);
  expect(await getJson(`${console.http}/api/settings`)).toEqual(FIRST);
  expect(await getJson(`${console.http}/api/hub`)).toMatchObject({ url: "" });
  expect((await ask(console, "GET", "/api/auth/token")).body.token).not.toBe(token);
  await install(console, "one", WAITING); // the publisher is still trusted
  expect(await console.stop()).toBe(0);
});
