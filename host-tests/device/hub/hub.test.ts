/**
 * A console and its hub: setting, registration, restarts and status (docs/spec/device-hub.md#no-hub).
 */
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { askHttp, askShell, closedConnectionsNoticed, getJson } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { overUsb } from "../../hosts/usb-client.js";

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

/** Over the cable. */
const setHubByCable = (console: Console, url: string, same_hub = false) =>
  overUsb(console, (usb) => usb.request("POST", "/api/hub", { url, same_hub: String(same_hub) }));

const statusOverUsb = (console: Console) =>
  overUsb(console, async (usb) => (await usb.request("GET", "/api/hub")).body);

test("A console registers with its hub, connects, and reports its status", async () => {
  const console = await start();
  expect(await overHttp(console)).toEqual({ url: "", connected: false });
  expect(await setHub(console, hub.url)).toMatchObject({
    status: 200,
    body: { url: hub.url, connected: false },
  });
  expect(await hub.receive("device.status")).toEqual({
    type: "device.status",
    firmware_version: "0.1.0",
    running_apps: [],
    wifi_rssi: 0,
    free_heap_bytes: expect.any(Number),
  });
  const [registration] = hub.registrations;
  const token = String(registration?.["device_token"]);
  expect(registration).toEqual({
    device_token: token,
    mac: MAC,
    name: "Console-1A2B",
    arch: "native",
    firmware_version: "0.1.0",
    binding: createHmac("sha256", Buffer.from(MAC.replaceAll(":", ""), "hex"))
      .update(token)
      .digest("hex"),
  });
  expect(await overHttp(console)).toEqual({ url: hub.url, connected: true, device_id: "device-1" });
});

test("The claim code is readable only over USB, until the console is claimed", async () => {
  const console = await start("--hub", hub.url);
  await hub.receive("device.status");
  expect(await overHttp(console)).not.toHaveProperty("claim_code");
  expect(await statusOverUsb(console)).toMatchObject({ device_id: "device-1", claim_code: "ABCD-EFGH" });
  const shown = await getJson(`${console.http}/api/cmd?c=hub+status`);
  expect(shown.output).toBe(`url: ${hub.url}\nconnected: true\ndevice_id: device-1\n`);
  const command = { c: "hub status" };
  const { body } = await overUsb(console, (usb) => usb.request("GET", "/api/cmd", command));
  expect(body.output).toContain("claim_code: ABCD-EFGH\n");
  const from = console.stderr.length;
  hub.send({ type: "device.claimed", claimed: true });
  hub.isClaimed = true;
  const register = { c: "hub register" };
  const registered = await overUsb(console, (usb) => usb.request("POST", "/api/cmd", register));
  expect(registered.body.output).toBe("Registered as device-1.\n");
  await console.waitForLine(/registered as device-1/, from);
  expect(await statusOverUsb(console)).not.toHaveProperty("claim_code");
});

test("A console keeps its hub and its token over a restart, and does not register again", async () => {
  const console = await start();
  await setHub(console, hub.url);
  await hub.receive("device.status");
  const from = hub.received.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await hub.receive("device.status", () => true, from);
  await closedConnectionsNoticed();
  expect(hub.registrations).toHaveLength(1);
  await console.stop();
  const then = hub.received.length;
  const again = await start();
  await hub.receive("device.status", () => true, then);
  expect(await overHttp(again)).toEqual({ url: hub.url, connected: true, device_id: "device-1" });
  expect(hub.registrations).toHaveLength(1);
});

// docs/spec/device-hub.md#push-bearer
test("A console sends its token in Authorization, not in an address, to a hub that offers it, also after a restart", async () => {
  hub.takesBearer = true;
  await setHub(await start(), hub.url);
  await hub.receive("device.status");
  await simulated?.stop();
  hub.received.length = 0;
  await start();
  await hub.receive("device.status");
  expect(hub.registrations).toHaveLength(1);
});

test("The console reconnects after the hub closes the connection", async () => {
  await start("--hub", hub.url);
  await hub.receive("device.status");
  const from = hub.received.length;
  hub.hangUp();
  await hub.receive("device.status", () => true, from);
  expect(hub.registrations).toHaveLength(1);
});

test("Over the network, a hub can be set if there is none; changing it needs USB or the bearer token", async () => {
  const console = await start();
  const other = await SmallHub.start();
  onTestFinished(() => other.close());
  expect(await setHub(console, hub.url)).toMatchObject({ status: 200 });
  await hub.receive("device.status");
  for (const url of [other.url, ""]) {
    const refused = await setHub(console, url);
    expect(refused).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    expect(refused.body.message).toMatch(/cable .*bearer token/);
    expect(await askShell(console.http, `hub set "${url}"`)).toMatch(/cable .*bearer token/);
  }
  expect(await askShell(console.http, "hub register")).toMatch(/cable .*bearer token/);
  expect(await setHub(console, hub.url)).toMatchObject({ status: 200, body: { url: hub.url } });
  expect(await overHttp(console)).toEqual({ url: hub.url, connected: true, device_id: "device-1" });
  expect(other.registrations).toEqual([]);

  const { token } = (await overUsb(console, (usb) => usb.request("GET", "/api/auth/token"))).body as {
    token: string;
  };
  const path = `${console.http}/api/hub?${new URLSearchParams({ url: other.url })}`;
  const headers = { authorization: `Bearer ${token}` };
  expect(await askHttp(path, { method: "POST", headers })).toMatchObject({ status: 200 });
  await other.receive("device.status");
  expect(await setHubByCable(console, "")).toMatchObject({ body: { url: "", connected: false } });
  expect(await setHub(console, "gopher://hub")).toMatchObject({
    status: 400,
    body: { error: "bad_parameter" },
  });
  expect(await setHub(console, console.http)).toMatchObject({
    status: 400,
    body: { error: "bad_parameter" },
  });
});

test("Each hub gets its own token, and the same token when the console returns", async () => {
  const console = await start("--hub", hub.url);
  await hub.receive("device.status");
  const other = await SmallHub.start();
  onTestFinished(() => other.close());
  await setHubByCable(console, other.url);
  await other.receive("device.status");
  expect(other.deviceToken).not.toBe(hub.deviceToken);
  const { deviceToken } = hub;
  const from = hub.received.length;
  await setHubByCable(console, hub.url);
  await hub.receive("device.status", () => true, from);
  expect(hub.deviceToken).toBe(deviceToken);
});

test("A console moved to another address of its hub keeps its token and registration", async () => {
  const console = await start("--hub", hub.url);
  await hub.receive("device.status");
  const moved = await SmallHub.start();
  onTestFinished(() => moved.close());
  moved.movedToken = hub.deviceToken;
  await setHubByCable(console, moved.url, true);
  await moved.receive("device.status");
  expect(moved.registrations).toEqual([]);
  expect(await overHttp(console)).toEqual({ url: moved.url, connected: true, device_id: "device-1" });
});

test("With an unreachable hub the console keeps running and reports it, and connects once another hub is set", async () => {
  const closed = await SmallHub.start();
  const { url } = closed;
  await closed.close();
  const console = await start("--hub", url);
  await console.waitForLine(/hub: retrying the hub in \d+ ms/);
  expect(await overHttp(console)).toEqual({ url, connected: false });
  expect(await askShell(console.http, "hub register")).not.toContain("Registered");
  await setHubByCable(console, hub.url);
  await hub.receive("device.status");
});
