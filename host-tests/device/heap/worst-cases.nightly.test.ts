/**
 * Peak heap use of each consumer, measured on 32 bits with slots of a board's size: none exceeds its budget in
 * device/services/heap/heap-admission.ts. The collector runs at every fiftieth allocation, so that garbage is not
 * counted. The last test combines all consumers (docs/spec/memory.md#admission).
 */
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { INSTALLED_APPS_LIMIT } from "../../../device/services/apps/app-store.js";
import { HEAP_NEEDS, HEAP_RESERVE_BYTES } from "../../../device/services/heap/heap-admission.js";
import { largeModule } from "../../bench/large-module.js";
import { AirClient } from "../../hosts/air-client.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Crowd } from "../../hosts/crowd.js";
import { bundleOf, firmwareImage, padded } from "../../hosts/firmware-files.js";
import { askHeap } from "../../hosts/heap-report.js";
import {
  CONNECTIONS_OF_AN_APP,
  connecting,
  heavyName,
  heavyUpload,
  installInTime,
  SLEEPER,
  startAppServer,
  stopInTime,
} from "../../hosts/heavy-apps.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { MDNS_MESSAGES, MdnsPeer } from "../../hosts/mdns-peer.js";
import { isMissing } from "../../hosts/peers.js";
import { Publisher } from "../../hosts/publisher.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { sendOverHttp } from "../../hosts/upload-clients.js";
import { overUsb, UsbClient } from "../../hosts/usb-client.js";
import { inTier } from "../../tier.js";
import { query } from "../../unit/services/mdns/dns-messages.js";
import { INSTALLED_APPS, installApps, installSleepers, RUNNING_APPS, startTalkers } from "./full-console.js";

/** Of the combined worst cases: rounds of each client, and bytes that may stay in the heap. */
const ROUNDS = inTier({ quick: 4, sample: 10, nightly: 100 });
const LEFT_BYTES = 6 * 1024;

const withM32 = test.skipIf(isMissing("multilib"));

let device: AppConsole;
let hub: SmallHub;
beforeEach(async () => {
  if (isMissing("multilib")) return;
  hub = await SmallHub.start();
});
afterEach(async () => {
  await device?.kill();
  await hub?.close();
});

async function start(flags: readonly string[] = []): Promise<void> {
  device = await startAppConsole({ variant: "m32", environment: { SVC_SIM_COLLECT_EVERY: "50" }, flags });
}

/** Peak bytes that `work` needed beyond the live bytes before it. */
async function need(work: () => Promise<unknown>): Promise<number> {
  await getJson(`${device.http}/api/status`); // creates objects that stay for later requests
  await pause(300);
  await askHeap(device);
  const before = (await askHeap(device)).live_bytes;
  await work();
  const { peak_needed_bytes, live_bytes } = await askHeap(device);
  return Math.max(peak_needed_bytes, live_bytes) - before;
}

const portOf = (address: string) => Number(new URL(address).port);

async function openSockets(count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(portOf(device.http), "127.0.0.1"));
  for (const socket of sockets) socket.on("error", () => {});
  await pause(300);
  return sockets;
}

withM32("An HTTP connection needs at most its heap budget", async () => {
  await start();
  const COUNT = 6;
  const bytes = await need(async () => void (await openSockets(COUNT)));
  expect(bytes / COUNT).toBeLessThanOrEqual(HEAP_NEEDS.httpConnection);
});

withM32("A long head needs at most its heap budget", async () => {
  await start();
  const BYTES = 4096;
  const upToFiller = `GET /api/cmd?c=${"%61".repeat(1040)} HTTP/1.1\r\nHost: 127.0.0.1\r\nX: `;
  const head = `${upToFiller.padEnd(BYTES - 4, "a")}\r\n\r\n`;
  const bytes = await need(async () => {
    const [socket] = await openSockets(1);
    socket?.write(head);
    await pause(300);
  });
  const longHead = BYTES * HEAP_NEEDS.longHeadByte;
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.httpConnection + longHead + HEAP_NEEDS.request);
});

withM32(
  "The set-up access point needs at most its heap budget, besides the request of a client",
  async () => {
    await start();
    const usb = await UsbClient.open(device.usb);
    await usb.request("GET", "/api/wifi/setup");
    const bytes = await need(async () => {
      const { body } = await usb.request("POST", "/api/wifi/setup", { open: "true" });
      const phone = await AirClient.join(device.state, body.ssid, body.password);
      let page = await phone.ask(body.page, "/");
      while (!page.text.includes("<form")) page = await phone.ask(body.page, "/");
      const key = /name="key" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
      const form = new URLSearchParams({ key, other: "é".repeat(16), password: "x".repeat(63) });
      const answer = await phone.ask(body.page, "/join", { method: "POST", body: String(form) });
      expect(answer.text).toContain('role="alert"');
      await phone.query("127.0.4.1", body.dns_port, query("connectivitycheck.gstatic.com A"));
    });
    await usb.close();
    expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.setup + HEAP_NEEDS.httpConnection + HEAP_NEEDS.request);
  },
);

withM32("A log viewer needs at most its heap budget", async () => {
  await start();
  const bytes = await need(async () => {
    const viewer = new WebSocket(device.ws);
    await new Promise((resolve) => viewer.once("open", resolve));
    await pause(200);
  });
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.viewer);
});

withM32("An HTTP install needs at most its heap budget", async () => {
  await start();
  const file = packageOf(await largeModule(), { memory_quota: 4 * 1024 * 1024 });
  const signature = device.publisher.sign(file);
  const bytes = await need(async () => {
    expect((await installOverHttp(device, { file, signature })).status).toBe(200);
  });
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.install + HEAP_NEEDS.httpConnection + HEAP_NEEDS.request);
});

withM32("An HTTP firmware upload needs at most its heap budget", async () => {
  await start();
  const image = padded(await firmwareImage({ version: "9.0.0" }), 1024 * 1024);
  const file = bundleOf(image, device.publisher);
  const bytes = await need(() => sendOverHttp(device, { path: "/api/ota/upload", file }));
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.firmware + HEAP_NEEDS.httpConnection + HEAP_NEEDS.request);
});

/** An app that repeats the service calls that cost the console most. */
const ASKING = `(module
  (import "svc" "sleep_ms" (func $sleep (param i32)))
  (import "svc" "log" (func $log (param i32 i32 i32)))
  (import "svc" "storage_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "svc" "storage_read" (func $read (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "app_list" (func $list (param i32 i32) (result i32)))
  (import "svc" "app_start" (func $start (param i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 0) "${"k".repeat(255)}")
  (func (export "main") (loop $again
    (drop (call $write (i32.const 0) (i32.const 48) (i32.const 0) (i32.const 20000)))
    (drop (call $read (i32.const 0) (i32.const 48) (i32.const 0) (i32.const 1024) (i32.const 20000)))
    (drop (call $list (i32.const 1024) (i32.const 60000)))
    (drop (call $start (i32.const 0) (i32.const 255)))
    (call $log (i32.const 1) (i32.const 0) (i32.const 255))
    (call $sleep (i32.const 5)) (br $again))))`;

/** Installs an app with the largest manifest. */
const install = (name: string, module: Uint8Array) =>
  installInTime(device, heavyUpload(device, name, module));

/** Starts an app over a connection that closes afterwards. */
async function startApp(name: string): Promise<void> {
  const address = `${device.http}/api/apps/start?name=${name}`;
  const { status } = await askHttp(address, { method: "POST", headers: { connection: "close" } });
  expect(status).toBe(200);
  await pause(500);
}

withM32("An installed app needs at most its heap budget", async () => {
  await start();
  const COUNT = 60;
  await installSleepers(device, 0, 2); // create objects that stay for later apps
  await pause(300);
  const before = (await askHeap(device)).live_bytes;
  await installSleepers(device, 2, 2 + COUNT);
  await pause(300);
  expect(((await askHeap(device)).live_bytes - before) / COUNT).toBeLessThanOrEqual(HEAP_NEEDS.installedApp);
});

withM32(
  "A running app, its service requests and its connections need at most their heap budgets",
  async () => {
    await start();
    await installSleepers(device, 0, INSTALLED_APPS_LIMIT - 3); // for the list of apps
    await install("first", await moduleOf(SLEEPER));
    await install("asking", await moduleOf(ASKING));
    const server = await startAppServer(false);
    await install("connecting", await moduleOf(connecting(server.port, 60_000)));
    await startApp("first"); // creates objects that stay for later apps
    await pause(5000); // connections to the console end
    const before = (await askHeap(device)).live_bytes;
    await startApp("connecting");
    const running = (await askHeap(device)).live_bytes;
    expect(running - before).toBeLessThanOrEqual(HEAP_NEEDS.runningApp);
    await pause(2500);
    const connected = (await askHeap(device)).live_bytes;
    expect((connected - running) / CONNECTIONS_OF_AN_APP).toBeLessThanOrEqual(HEAP_NEEDS.appConnection);
    expect(server.connections).toBe(CONNECTIONS_OF_AN_APP);
    await startApp("asking");
    await askHeap(device);
    await pause(2000);
    const { live_bytes, peak_needed_bytes } = await askHeap(device);
    expect(live_bytes - connected).toBeLessThanOrEqual(HEAP_NEEDS.runningApp);
    expect(peak_needed_bytes - live_bytes).toBeLessThanOrEqual(HEAP_RESERVE_BYTES);
    server.close();
  },
);

withM32("A request needs at most its heap budget", async () => {
  await start();
  await installSleepers(device, 0, INSTALLED_APPS_LIMIT);
  const { host } = new URL(device.http);
  const fields = Array.from({ length: 60 }, (_, index) => `X-${index}: ${"y".repeat(7)}\r\n`).join("");
  const socket = connect(portOf(device.http), "127.0.0.1");
  socket.resume();
  const most: Record<string, number> = {};
  for (const target of [
    ...["/api/status", "/api/screen", "/api/apps/list", "/api/system", "/api/logs", "/api/hub", "/"],
    ...["help", "app list", "ls apps", "free"].map((command) => `/api/cmd?c=${encodeURIComponent(command)}`),
  ]) {
    socket.write(`GET /api/wifi HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await pause(200);
    await askHeap(device);
    const before = (await askHeap(device)).live_bytes;
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`);
    await pause(700);
    most[target] = (await askHeap(device)).peak_needed_bytes - before;
  }
  socket.destroy();
  const tooMuch = Object.entries(most).filter(([, bytes]) => bytes > HEAP_NEEDS.request);
  expect(tooMuch).toEqual([]);
});

withM32("A multicast DNS message needs at most its heap budget, and is freed", async () => {
  device = await startAppConsole({
    variant: "m32",
    hasMdns: true,
    environment: { SVC_SIM_COLLECT_EVERY: "50" },
  });
  await device.waitForLine(/mdns: Advertising .*_tcp/);
  const peer = await MdnsPeer.open();
  for (const { what, bytes } of MDNS_MESSAGES) {
    const before = (await askHeap(device)).live_bytes;
    const taken = await need(async () => {
      peer.send(bytes);
      await pause(1000);
    });
    expect([what, taken - bytes.length <= HEAP_NEEDS.datagram]).toEqual([what, true]);
    expect([what, taken <= HEAP_RESERVE_BYTES]).toEqual([what, true]);
    expect((await askHeap(device)).live_bytes - before).toBeLessThan(4096); // of the connection that measured it
  }
  peer.close();
});

withM32("A hub connection needs at most its heap budget", async () => {
  await start();
  const bytes = await need(async () => {
    await device.shell(`hub set ${hub.url}`);
    await fetch(`${device.http}/api/hub?url=${encodeURIComponent(hub.url)}`, { method: "POST" });
    await hub.connected();
    await pause(300);
  });
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.hubLink + HEAP_NEEDS.httpConnection + HEAP_NEEDS.request);
});

withM32("All worst cases at once are served or get 503, and the console keeps working", async () => {
  device = await startAppConsole({ variant: "m32", hasMdns: true, flags: ["--hub", hub.url] });
  await hub.connected();
  const server = await startAppServer(true);
  const sleeper = await moduleOf(SLEEPER);
  const talkers = await installApps(device, server, RUNNING_APPS + 1);
  const before = await askHeap(device);
  await startTalkers(device, server, talkers);
  const image = padded(await firmwareImage({ version: "9.0.0" }), 1024 * 1024);
  const crowd = new Crowd({
    console: device,
    apps: talkers,
    app: heavyUpload(device, heavyName(INSTALLED_APPS - 1), sleeper),
    firmware: bundleOf(image, new Publisher()),
    rounds: ROUNDS,
  });
  const large = packageOf(await largeModule(), { name: "large", memory_quota: 4 * 1024 * 1024 });
  const signature = device.publisher.sign(large);
  const download_url = hub.serve("/api/v1/large", { bytes: large, signature });
  const order = { app_id: "large", version: "1.0.0", download_url };
  hub.send({ type: "app.install", command_id: "worst", ...order });
  await crowd.use();
  expect(crowd.troubles).toEqual([]);
  expect(crowd.answers["200"]).toBeGreaterThan(0);
  for (const name of talkers) await stopInTime(device, name);
  const { success } = await hub.receive("app.install.result", ({ command_id }) => command_id === "worst");
  expect(success).toBe(true); // it waited until there was room
  server.close();
  await expect
    .poll(async () => (await askHeap(device)).live_bytes - before.live_bytes)
    .toBeLessThan(LEFT_BYTES);
  await install(heavyName(INSTALLED_APPS - 1), sleeper);
  expect((await overUsb(device, (usb) => usb.request("GET", "/api/status"))).status).toBe(200);
  expect((await getJson(`${device.http}/api/system`)).reset_reason).toBe("power_on");
});
