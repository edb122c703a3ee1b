/**
 * Shutdown, restart, replacement and uninstall while apps run endlessly (docs/spec/apps.md#exit-reasons).
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { mustInstall, packed, stopApp, stopCleanly, whileProbed } from "./hostile-apps.js";

const FOREVER = `(func $main (export "main") (loop $again (br $again)))`;
const APPS = [
  { name: "spins", module: FOREVER },
  {
    name: "recurs",
    module: `(func $f (param $n i32) (if (local.get $n) (then
        (call $f (i32.sub (local.get $n) (i32.const 1))) (call $f (i32.sub (local.get $n) (i32.const 1))))))
      (func (export "main") (call $f (i32.const 40)))`,
  },
  {
    name: "logs",
    module: `(import "svc" "log" (func $log (param i32 i32 i32))) (memory 1)
      (func (export "main") (loop $again (call $log (i32.const 3) (i32.const 0) (i32.const 99)) (br $again)))`,
  },
  {
    name: "stores",
    module: `(import "svc" "storage_write" (func $write (param i32 i32 i32 i32))) (memory 1) (data (i32.const 0) "key")
      (func (export "main") (loop $again
        (call $write (i32.const 0) (i32.const 3) (i32.const 0) (i32.const 0x10000)) (br $again)))`,
  },
];
let state: string;
let console: AppConsole;
beforeEach(async () => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
  console = await startAppConsole({ state });
  for (const app of APPS) await mustInstall(console, app);
  for (const { name } of APPS) expect((await console.app("start", name)).status).toBe(200);
});
afterEach(async () => {
  await stopCleanly(console);
  rmSync(state, { recursive: true, force: true });
});

/** Of each app, with how its last run ended. */
const states = async () =>
  (await console.apps()).map(({ name, state: is, last_exit }) => [name, is, last_exit?.reason]);
const ALL_STOPPED = APPS.map(({ name }) => [name, "stopped", "stopped"]).sort();

test("SIGTERM shuts down a console while four apps run endlessly; they stay installed and stopped", async () => {
  await stopCleanly(console);
  console = await startAppConsole({ state, publisher: console.publisher });
  expect(await states()).toEqual(ALL_STOPPED);
  expect(readdirSync(path.join(state, "lfs/apps")).sort()).toEqual(ALL_STOPPED.map(([name]) => name));
});

test("POST /api/reboot restarts the console while four apps run endlessly; they stay installed and stopped", async () => {
  const began = performance.now();
  expect((await askHttp(`${console.http}/api/reboot`, { method: "POST" })).status).toBe(200);
  for (let isBack = false; !isBack; ) {
    const status = await getJson(`${console.http}/api/status`).catch(() => undefined);
    isBack = status !== undefined && status.uptime_ms < performance.now() - began;
  }
  expect(await states()).toEqual(ALL_STOPPED);
  for (const { name } of APPS) expect((await console.app("start", name)).status).toBe(200);
  for (const { name } of APPS) await stopApp(console, name);
});

test("Installing a new version stops an app that spins, and the new version is not started", async () => {
  const upload = await packed(console, { name: "spins", module: FOREVER, version: "2.0.0" });
  const { status, body } = await whileProbed(console, () => installOverHttp(console, upload));
  expect([status, body]).toMatchObject([200, { version: "2.0.0", state: "stopped" }]);
  expect((await console.app("start", "spins")).status).toBe(200);
});

test("Apps that never end can be uninstalled, and their files are removed", async () => {
  await whileProbed(console, async () => {
    for (const app of await console.apps())
      expect(await console.app("uninstall", app.name)).toEqual({ status: 200, body: { removed: app.name } });
  });
  expect(await states()).toEqual([]);
  expect(readdirSync(path.join(state, "lfs/apps"))).toEqual([]);
});

test("An app that is stopped, uninstalled and started at the same time is uninstalled", async () => {
  const answers = await Promise.all([
    console.app("stop", "stores"),
    console.app("uninstall", "stores"),
    console.app("start", "stores"),
    console.app("stop", "stores"),
  ]);
  expect(answers[1]).toEqual({ status: 200, body: { removed: "stores" } });
  expect(answers.map(({ status }) => status).filter((status) => status >= 500 && status !== 503)).toEqual([]);
  expect((await states()).map(([name]) => name)).not.toContain("stores");
});
