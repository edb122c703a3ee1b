/**
 * What a hub may have a console do, and what it may not: where downloads come from, which token it has, what it answers
 * (docs/spec/device-hub.md#hub-not-self).
 */
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { getJson } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { overUsb } from "../../hosts/usb-client.js";

const MAC = "02:00:00:00:1A:2B";

let hub: SmallHub;
let state: string;
let console: Console;
beforeEach(async () => {
  hub = await SmallHub.start();
  state = mkdtempSync(path.join(tmpdir(), "console-"));
  console = await startConsole({ state, flags: ["--mac", MAC, "--hub", hub.url] });
  await hub.receive("device.apps");
});
afterEach(async () => {
  await console.stop();
  await hub.close();
  rmSync(state, { recursive: true, force: true });
});

const uptime = async (): Promise<number> => (await getJson(`${console.http}/api/status`)).uptime_ms;

async function restart({ fresh }: { readonly fresh: boolean }): Promise<void> {
  await console.stop();
  if (fresh) rmSync(path.join(state, "kv"), { recursive: true });
  console = await startConsole({ state, flags: ["--mac", MAC, "--hub", hub.url] });
}

/** Addresses of the console's own shell. */
const OWN = (port: string) => [
  `http://127.0.0.1:${port}/api/cmd?c=reboot`,
  `http://localhost:${port}/api/cmd?c=reboot`,
  `http://[::ffff:127.0.0.1]:${port}/api/cmd?c=reboot`,
  `http://0.0.0.0:${port}/api/cmd?c=reboot`,
];

test("A push to any of the console's own addresses fails with download_refused, and reboots nothing", async () => {
  const { port } = new URL(console.http);
  const before = await uptime();
  for (const [at, download_url] of OWN(port).entries()) {
    const command_id = `own-${at}`;
    hub.send({ type: "app.install", command_id, app_id: `app-${at}`, version: "1.0.0", download_url });
    expect(
      await hub.receive("app.install.result", (result) => result.command_id === command_id),
    ).toMatchObject({
      success: false,
      error: "download_refused",
    });
  }
  const signature = "ab".repeat(64);
  hub.send({
    type: "firmware.update",
    command_id: "own-firmware",
    version: "9.9.9",
    signature,
    download_url: OWN(port)[0] as string,
  });
  await hub.receive("firmware.update.result", ({ state }) => state === "available");
  await overUsb(console, (usb) => usb.request("POST", "/api/cmd", { c: "ota apply" }));
  expect(await hub.receive("firmware.update.result", ({ success }) => success === false)).toMatchObject({
    error: "download_refused",
  });
  expect(await uptime()).toBeGreaterThan(before);
});

test("A push of a file on another server fails with download_refused, without a request", async () => {
  const elsewhere = await SmallHub.start();
  onTestFinished(() => elsewhere.close());
  const download_url = elsewhere.serve("/tetris.svcpkg", { bytes: new Uint8Array(100) });
  hub.send({ type: "app.install", command_id: "one", app_id: "tetris", version: "1.0.0", download_url });
  expect(await hub.receive("app.install.result")).toMatchObject({
    success: false,
    error: "download_refused",
  });
  expect(elsewhere.downloads).toEqual([]);
});

test("The hub can replace the console's token, and the console reconnects with the new one", async () => {
  const old = hub.deviceToken;
  hub.send({ type: "token.rotate", command_id: "rotation" });
  const { device_token, binding } = await hub.receive("token.rotated");
  expect(device_token).not.toBe(old);
  const mac = Buffer.from(MAC.replaceAll(":", ""), "hex");
  expect(binding).toBe(createHmac("sha256", mac).update(device_token).digest("hex"));
  hub.movedToken = device_token;
  const from = hub.received.length;
  hub.send({ type: "token.accepted", command_id: "rotation" });
  await hub.receive("device.status", () => true, from);
  expect(hub.registrations).toHaveLength(1);
});

test("An invalid list of revoked keys is rejected with revocations_invalid", async () => {
  hub.send({ type: "keys.revoke", command_id: "one", list: "AQID" });
  expect(await hub.receive("keys.revoke.result")).toEqual({
    type: "keys.revoke.result",
    command_id: "one",
    success: false,
    error: "revocations_invalid",
  });
});

const body = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
/** What is not a hub's answer, and costs the one who takes it apart without counting. */
const HOSTILE = [
  "",
  "\0".repeat(5000),
  `HTTP/1.1 200 OK\r\nconnection: ${"a,".repeat(1900)}a\r\n\r\n`,
  `HTTP/1.1 200 OK\r\ntransfer-encoding: ${"a,".repeat(1900)}a\r\n\r\n`,
  `HTTP/1.1 200 OK\r\n${"a:b\r\n".repeat(700)}\r\n`,
  `HTTP/1.1 101 Switching Protocols\r\nupgrade: ${"websocket,".repeat(390)}x\r\n\r\n`,
  body("[".repeat(4000)),
  body(`[${"[],".repeat(1300)}[]]`),
  body(`{${Array.from({ length: 500 }, (_, at) => `"${at}":1`).join(",")}}`),
  `HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n`,
  `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:8080/api/cmd?c=reboot\r\ncontent-length: 0\r\n\r\n`,
];

for (const isRegistered of [false, true])
  test(`The console retries a hub with invalid answers and keeps running (registered: ${isRegistered})`, async () => {
    hub.answerAll = "";
    if (!isRegistered) await restart({ fresh: true });
    const before = await uptime();
    for (const answer of HOSTILE) {
      hub.answerAll = answer;
      const from = console.stderr.length;
      hub.hangUp();
      await fetch(`${console.http}/api/hub?${new URLSearchParams({ url: hub.url })}`, { method: "POST" });
      await console.waitForLine(/hub: retrying the hub in \d+ ms/, from);
    }
    expect(await uptime()).toBeGreaterThan(before);
    hub.answerAll = undefined;
    const from = hub.received.length;
    await fetch(`${console.http}/api/hub?${new URLSearchParams({ url: hub.url })}`, { method: "POST" });
    await hub.receive("device.status", () => true, from);
  });
