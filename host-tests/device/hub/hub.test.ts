/** A console and its hub: it is set, registered with, kept over restarts, and told how the console is doing. */
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askHttp, closedConnectionsNoticed, getJson } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { UsbClient } from "../../hosts/usb-client.js";

const MAC = "02:00:00:00:1A:2B";

let hub: SmallHub;
let state: string;
let simulated: Console | undefined;
beforeEach(async () => {
  hub = await SmallHub.start();
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(async () => {
  await simulated?.stop();
  await hub.close();
  rmSync(state, { recursive: true, force: true });
});

async function start(...flags: string[]): Promise<Console> {
  simulated = await startConsole({ state, flags: ["--mac", MAC, ...flags] });
  return simulated;
}

const overHttp = ({ http }: Console) => getJson(`${http}/api/hub`);
const setHub = ({ http }: Console, url: string) =>
  askHttp(`${http}/api/hub?${new URLSearchParams({ url })}`, { method: "POST" });

async function overUsb<Result>(console: Console, use: (usb: UsbClient) => Promise<Result>): Promise<Result> {
  const usb = await UsbClient.open(console.usb);
  try {
    return await use(usb);
  } finally {
    await usb.close();
  }
}

const statusOverUsb = (console: Console) =>
  overUsb(console, async (usb) => (await usb.request("GET", "/api/hub")).body);

test("A console registers with the hub that it is given, connects, and tells its status", async () => {
  const console = await start();
  expect(await overHttp(console)).toEqual({ url: "", connected: false });
  expect(await setHub(console, hub.url)).toMatchObject({
    status: 200,
    body: { url: hub.url, connected: false },
  });
  expect(await hub.hear("device.status")).toEqual({
    ...{ type: "device.status", firmware_version: "0.1.0", running_apps: [], wifi_rssi: 0 },
    free_heap_bytes: expect.any(Number),
  });
  const [registration] = hub.registrations;
  const token = String(registration?.["device_token"]);
  expect(registration).toEqual({
    ...{ device_token: token, mac: MAC, name: "Console-1A2B", arch: "native", firmware_version: "0.1.0" },
    binding: createHmac("sha256", Buffer.from(MAC.replaceAll(":", ""), "hex"))
      .update(token)
      .digest("hex"),
  });
  expect(await overHttp(console)).toEqual({ url: hub.url, connected: true, device_id: "device-1" });
});

test("The claim code is there over USB alone, until the console is claimed", async () => {
  const console = await start("--hub", hub.url);
  await hub.hear("device.status");
  expect(await overHttp(console)).not.toHaveProperty("claim_code");
  expect(await statusOverUsb(console)).toMatchObject({ device_id: "device-1", claim_code: "ABCD-EFGH" });
  const shown = await getJson(`${console.http}/api/cmd?c=hub+status`);
  expect(shown.output).toBe(`url: ${hub.url}\nconnected: true\ndevice_id: device-1\n`);
  const command = { c: "hub status" };
  const { body } = await overUsb(console, (usb) => usb.request("GET", "/api/cmd", command));
  expect(body.output).toContain("claim_code: ABCD-EFGH\n");
  const from = console.stderr.length;
  hub.say({ type: "device.claimed", claimed: true });
  hub.isClaimed = true;
  expect((await getJson(`${console.http}/api/cmd?c=hub+register`)).output).toBe("Registered as device-1.\n");
  await console.waitForLine(/registered as device-1/, from);
  expect(await statusOverUsb(console)).not.toHaveProperty("claim_code");
});

test("A console keeps its hub and its token over a restart, and does not register again", async () => {
  const console = await start();
  await setHub(console, hub.url);
  await hub.hear("device.status");
  const from = hub.received.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await hub.hear("device.status", () => true, from);
  await closedConnectionsNoticed();
  expect(hub.registrations).toHaveLength(1);
  await console.stop();
  const then = hub.received.length;
  const again = await start();
  await hub.hear("device.status", () => true, then);
  expect(await overHttp(again)).toEqual({ url: hub.url, connected: true, device_id: "device-1" });
  expect(hub.registrations).toHaveLength(1);
});

test("A hub that goes away is connected to again, and another one takes its place with the same token", async () => {
  const console = await start("--hub", hub.url);
  await hub.hear("device.status");
  const from = hub.received.length;
  hub.hangUp();
  await hub.hear("device.status", () => true, from);
  const other = await SmallHub.start();
  await setHub(console, other.url);
  await other.hear("device.status");
  expect(other.deviceToken).toBe(hub.deviceToken);
  expect(await setHub(console, "")).toMatchObject({ body: { url: "", connected: false } });
  expect(await setHub(console, "gopher://hub")).toMatchObject({
    status: 400,
    body: { error: "bad_parameter" },
  });
  await other.close();
});

test("Where no hub is, the console goes on, says so, and goes there once it is set to one", async () => {
  const closed = await SmallHub.start();
  const { url } = closed;
  await closed.close();
  const console = await start("--hub", url);
  await console.waitForLine(/hub: the hub is tried again in \d+ ms/);
  expect(await overHttp(console)).toEqual({ url, connected: false });
  const { output } = await getJson(`${console.http}/api/cmd?c=hub+register`);
  expect(output).not.toContain("Registered");
  await setHub(console, hub.url);
  await hub.hear("device.status");
});
