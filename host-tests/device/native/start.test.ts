/** `npm start` (docs/spec/simulated-console.md). */
import { createPublicKey } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Publisher } from "../../hosts/publisher.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { follow, ports, quiet, state } from "./npm-start.js";

test("npm start prints one JSON line on standard output, and ends with 0 at SIGTERM", async () => {
  const started = quiet("--mac", "02:00:00:00:1a:2b");
  const line = await started.ready;
  const ready = JSON.parse(line ?? "");
  expect(Object.keys(ready)).toEqual(["ready", "http", "ws", "usb", "name", "pid"]);
  expect(ready).toMatchObject({ ready: true, name: "Console-1A2B", usb: path.join(state, "usb") });
  expect(ready.http).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
  expect(ready.ws).toMatch(/^ws:\/\/127\.0\.0\.1:[1-9]\d+\/ws$/);
  const status = await fetch(`${ready.http}/api/status`);
  expect(await status.json()).toMatchObject({ fw_version: expect.any(String) });
  started.process.kill("SIGTERM");
  expect(await started.exited).toBe(0);
  expect(started.output.stdout).toBe(line);
  expect(existsSync(`/proc/${ready.pid}`)).toBe(false);
});

test("npm start prints the address of the web console once on standard error, and serves it there", async () => {
  const started = quiet();
  const { http } = JSON.parse((await started.ready) ?? "");
  const page = await fetch(`${http}/`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await page.text()).toMatch(/^<!doctype html>/i);
  started.process.kill("SIGTERM");
  expect(await started.exited).toBe(0);
  expect(started.output.stderr.match(/^console: web console at .*$/gm)).toEqual([
    `console: web console at ${http}/`,
  ]);
});

// docs/spec/simulated-console.md#pairing-link
test("npm start prints a link with the console's token, for its owner alone to see", async () => {
  const started = quiet();
  const { http, usb } = JSON.parse((await started.ready) ?? "");
  const link = /^console: to pair a browser, open (.*)$/m;
  await expect.poll(() => started.output.stderr).toMatch(link);
  const client = await UsbClient.open(usb);
  const { token } = (await client.request("GET", "/api/auth/token")).body;
  await client.close();
  expect(link.exec(started.output.stderr)?.[1]).toBe(`${http}/#token=${token}`);
  expect(started.output.stdout).not.toContain(token);
  started.process.kill("SIGTERM");
  await started.exited;
});

// docs/spec/simulated-console.md#window-missing
test("npm start --window without a desktop gives the reason and the address of the panel Screen", async () => {
  const started = quiet("--window");
  const { http } = JSON.parse((await started.ready) ?? "");
  expect((await fetch(`${http}/api/status`)).status).toBe(200);
  started.process.kill("SIGTERM");
  expect(await started.exited).toBe(0);
  expect(started.output.stderr).toMatch(/^console: no window: neither DISPLAY nor WAYLAND_DISPLAY names a /m);
  expect(started.output.stderr).toContain(`console: web console at ${http}/#screen\n`);
});

test("npm start keeps running when its standard output is closed", async () => {
  const started = quiet();
  const { http } = JSON.parse((await started.ready) ?? "");
  started.process.stdout?.destroy();
  expect((await fetch(`${http}/api/reboot`, { method: "POST" })).status).toBe(200);
  await expect
    .poll(() => fetch(`${http}/api/system`).then((answer) => answer.json(), String), { timeout: 20_000 })
    .toMatchObject({ reset_reason: "software" });
  started.process.kill("SIGTERM");
  expect(await started.exited).toBe(0);
});

test("the first start creates and trusts a development key pair; a second one keeps it", async () => {
  const first = quiet();
  await first.ready;
  first.process.kill("SIGINT");
  expect(await first.exited).toBe(0);
  const publicKey = readFileSync(path.join(state, "keys/publisher.pub.pem"), "utf8");
  expect(createPublicKey(publicKey).asymmetricKeyType).toBe("ed25519");
  expect(statSync(path.join(state, "keys/publisher.pem")).mode & 0o777).toBe(0o600);
  expect(readFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), "utf8")).toBe(publicKey);
  expect(first.output.stderr).toMatch(/trusting the development key .*publisher\.pub\.pem/);
  const second = quiet();
  await second.ready;
  second.process.kill("SIGTERM");
  await second.exited;
  expect(second.output.stderr).not.toContain("development key");
  expect(readFileSync(path.join(state, "keys/publisher.pub.pem"), "utf8")).toBe(publicKey);
});

test("--trusted-keys installs the file once, creates no development keys, and keeps keys installed later", async () => {
  const file = path.join(state, "mine.pem");
  const trusted = path.join(state, "lfs/hub/trusted_keys.pem");
  const trustedAfterStart = async () => {
    const started = quiet("--trusted-keys", file);
    await started.ready;
    started.process.kill("SIGTERM");
    await started.exited;
    return readFileSync(trusted, "utf8");
  };
  const { pem: mine } = new Publisher();
  writeFileSync(file, mine);
  expect(await trustedAfterStart()).toBe(mine);
  expect(existsSync(path.join(state, "keys"))).toBe(false);
  const { pem: ofFirmware } = new Publisher();
  writeFileSync(trusted, ofFirmware);
  expect(await trustedAfterStart()).toBe(ofFirmware);
});

test("a rejected start does not count as a crash", async () => {
  expect(await quiet("--log-level", "loud").exited).toBe(2);
  const started = quiet();
  await started.ready;
  started.process.kill();
  await started.exited;
  expect(started.output.stderr).toContain("reset reason is power_on");
});

for (const signal of ["SIGTERM", "SIGKILL"] as const)
  test(`the console ends when npm start gets ${signal}`, async () => {
    const started = follow("npm", "start", "--silent", "--", "--state", state, ...ports);
    const { pid } = JSON.parse((await started.ready) ?? "");
    started.process.kill(signal);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
