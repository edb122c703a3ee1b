/**
 * Wi-Fi provisioning over USB, among the access points of the simulated radio (docs/spec/wifi.md#provision).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";

const ADDRESS = "127.0.0.1";
const JOINED = { state: "joined", ip: ADDRESS };

const state = mkdtempSync(path.join(tmpdir(), "console-"));
let simulated: Console;
let usb: UsbClient;

async function start(): Promise<void> {
  simulated = await startConsole({ state });
  usb = await UsbClient.open(simulated.usb);
}

async function stop(): Promise<void> {
  await usb.close();
  await simulated.stop();
}

beforeAll(start);
afterAll(async () => {
  await stop();
  rmSync(state, { recursive: true });
});

const wifi = async () => (await usb.request("GET", "/api/wifi")).body;
const provision = (parameters: Record<string, string>) => usb.request("POST", "/api/wifi", parameters);
const address = async () => (await usb.request("GET", "/api/status")).body.wifi_ip;

/** The state once it is no longer `joining`; each change of it is a `status` event. */
async function settled() {
  for (;;) {
    const now = await wifi();
    if (now.state !== "joining") return now;
    await usb.event(({ event }) => event === "status");
  }
}

test("A new console is on its host's network", async () => {
  expect(await address()).toBe(ADDRESS);
  expect(await wifi()).toEqual({ state: "joined", ssid: "Host network", ip: ADDRESS, rssi: 0 });
});

test("A scan lists each network once, strongest first, without hidden ones", async () => {
  const { status, body } = await usb.request("GET", "/api/wifi/scan");
  expect(status).toBe(200);
  expect(body).toEqual({
    networks: [
      { ssid: "Host network", rssi: -30, channel: 1, secured: false },
      { ssid: "Simulated open", rssi: -48, channel: 6, secured: false },
      { ssid: "Simulated", rssi: -55, channel: 11, secured: true },
      { ssid: "Simulated weak", rssi: -88, channel: 6, secured: true },
    ],
  });
});

test("An invalid network is rejected with the parameter's name, and nothing changes", async () => {
  for (const [parameters, error, name] of [
    [{}, "missing_parameter", "ssid"],
    [{ ssid: "" }, "bad_parameter", "ssid"],
    [{ ssid: "Simulated", password: "short" }, "bad_parameter", "password"],
    [{ ssid: "Simulated", forget: "true" }, "bad_parameter", "forget"],
  ] as const)
    expect(await provision(parameters)).toMatchObject({
      status: 400,
      body: { error, message: expect.stringContaining(`"${name}"`) },
    });
  expect(await wifi()).toMatchObject({ ...JOINED, ssid: "Host network" });
});

test("With a wrong password the console joins no network, and reports the reason", async () => {
  const { status, body } = await provision({ ssid: "Simulated", password: "simulacrum" });
  expect([status, body]).toEqual([200, { state: "joining", ssid: "Simulated", ip: "", rssi: 0 }]);
  expect(await settled()).toEqual({
    state: "waiting",
    ssid: "Simulated",
    ip: "",
    rssi: 0,
    last_error: { reason: "wrong_password", message: "The access point did not accept the password" },
  });
  expect(await address()).toBe("");
});

test("With the right password the console joins, also after a restart and a power cycle", async () => {
  await provision({ ssid: "Simulated", password: "simulated" });
  const joined = { ...JOINED, ssid: "Simulated", rssi: -55 };
  expect(await settled()).toEqual(joined);
  expect(await address()).toBe(ADDRESS);

  const from = simulated.stderr.length;
  await usb.request("POST", "/api/reboot");
  await simulated.waitForLine(/ready/, from);
  await usb.request("GET", "/api/status");
  expect(await settled()).toEqual(joined);

  await stop();
  await start();
  await usb.request("GET", "/api/status");
  expect(await settled()).toEqual(joined);
});

test("The console joins a network that appears later, and reports its loss", async () => {
  const from = simulated.stderr.length;
  await provision({ ssid: "Simulated weak", password: "simulated" });
  await simulated.waitForLine(/ W wifi: not joined to "Simulated weak": No access point/, from);
  await simulated.waitForLine(/ I wifi: joined "Simulated weak"$/, from);
  await simulated.waitForLine(/ W wifi: not joined to "Simulated weak": The connection .* lost/, from);
});

test("A console that forgets its network has none after a restart, and answers over USB", async () => {
  const { body } = await provision({ forget: "true" });
  expect(body).toEqual({ state: "unprovisioned", ip: "", rssi: 0 });
  await stop();
  await start();
  expect(await wifi()).toEqual(body);
  expect(await address()).toBe("");
});

test("Wi-Fi endpoints are usb_only over HTTP, and the log contains no password", async () => {
  for (const [method, where] of [
    ["GET", "/api/wifi"],
    ["POST", "/api/wifi?ssid=Simulated"],
    ["GET", "/api/wifi/scan"],
  ] as const) {
    const answer = await fetch(simulated.http + where, { method });
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([404, "usb_only"]);
  }
  expect(await (await fetch(`${simulated.http}/api/logs`)).text()).not.toMatch(/: .*simula(ted|crum)\b/);
});
