/** The time of day of a console, from its host and from servers (docs/spec/clock.md). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { getJson } from "../../hosts/http-client.js";
import { startTimeServer } from "../../hosts/time-server.js";
import { overUsb } from "../../hosts/usb-client.js";

/** Ends with the seconds since 2026, or with -16; `offset` in place of them with the offset. */
const CLOCK = `(module
  (import "svc" "clock_ms" (func $clock (result i64)))
  (import "svc" "clock_offset" (func $offset (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (func (export "main") (result i32)
    (if (i64.eq (call $clock) (i64.const -16)) (then (return (i32.const -16))))
    (i32.wrap_i64 (i64.div_s (i64.sub (call $clock) (i64.const ${Date.UTC(2026, 0, 1)})) (i64.const 1000))))
  (func (export "offset") (result i32) (call $offset)))`;

let console: AppConsole;
const servers: (() => void)[] = [];
afterEach(async () => {
  expect(await console.stop()).toBe(0);
  for (const close of servers.splice(0)) close();
});

async function start(...flags: string[]): Promise<void> {
  console = await startAppConsole({ flags });
  for (const [name, entry] of [
    ["clock", "main"],
    ["offset", "offset"],
  ] as const) {
    const file = packageOf(await moduleOf(CLOCK), { name, entry });
    const answer = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
    expect(answer.status).toBe(200);
  }
}

async function run(name = "clock"): Promise<number> {
  await console.app("start", name);
  return (await console.until(({ state }) => state === "stopped", name)).last_exit.code;
}

const secondsNow = () => (Date.now() - Date.UTC(2026, 0, 1)) / 1000;

/** @returns the port of a time server that is `aheadMs` ahead of this computer; `undefined`: it does not answer */
async function timeServer(aheadMs: number | undefined): Promise<number> {
  const server = await startTimeServer(() => (aheadMs === undefined ? undefined : Date.now() + aheadMs));
  servers.push(() => server.close());
  return server.port;
}

test("A simulated console has the time of its host", async () => {
  await start();
  expect(Math.abs((await run()) - secondsNow())).toBeLessThan(3);
  expect(await run("offset")).toBe(0);
});

test("A console has the time of the server that it was built for", async () => {
  const port = await timeServer(100_000_000);
  await start("--config", `CONFIG_SVC_TIME_SERVER=127.0.0.1:${port}`);
  await expect.poll(run).toBeGreaterThan(0);
  expect(Math.abs((await run()) - secondsNow() - 100_000)).toBeLessThan(3);
  expect(console.stderr.filter((line) => /clock: it is 20/.test(line))).toHaveLength(1);
});

test("Where the time server does not answer, the hub's web server is asked, and before there is no time", async () => {
  const port = await timeServer(undefined);
  const web = createServer((request, response) => {
    response.setHeader("date", new Date(Date.now() - 50_000_000).toUTCString());
    response.writeHead(request.method === "HEAD" ? 404 : 503).end();
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  servers.push(
    () => web.closeAllConnections(),
    () => void web.close(),
  );
  const hub = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  await start("--config", `CONFIG_SVC_TIME_SERVER=127.0.0.1:${port}`);
  // Later than the installs: while a console registers, it may lack the memory for one.
  await overUsb(console, (usb) => usb.request("POST", "/api/hub", { url: hub }));
  expect(await run()).toBe(-16);
  await expect.poll(run, { timeout: 30_000, interval: 500 }).toBeGreaterThan(0);
  expect(Math.abs((await run()) - secondsNow() + 50_000)).toBeLessThan(4);
}, 60_000);

test("Local time is what the user has set, and the settings say so", async () => {
  await start();
  await overUsb(console, async (usb) => {
    const change = async (utc_offset: string) =>
      (await usb.request("POST", "/api/settings", { utc_offset })).body;
    expect(await change("-03:30")).toMatchObject({ utc_offset: "-03:30" });
    expect(await change("3")).toMatchObject({ error: "bad_parameter" });
  });
  expect(await run("offset")).toBe(-210);
  expect(await getJson(`${console.http}/api/settings`)).toMatchObject({ utc_offset: "-03:30" });
});
