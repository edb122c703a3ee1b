/**
 * What each consumer takes of the heap at the most, measured on 32 bits, whose slots are a board's: none takes more than
 * the admission reckons with (device/services/heap/heap-needs.ts). The collector runs at every fiftieth allocation, so that
 * garbage is not counted. Then all of them at once (docs/spec/memory.md#admission).
 */
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { HEAP_NEEDS } from "../../../device/services/heap/heap-needs.js";
import { largeModule } from "../../bench/large-module.js";
import { installOverHttp, installOverUsb } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { bundleOf, firmwareImage, padded } from "../../hosts/firmware-files.js";
import { askHeap } from "../../hosts/heap-report.js";
import { getJson } from "../../hosts/http-client.js";
import { holdLongHeads } from "../../hosts/long-heads.js";
import { isMissing } from "../../hosts/peers.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { sendOverHttp } from "../../hosts/upload-clients.js";
import { UsbClient } from "../../hosts/usb-client.js";

const SLEEPER = `(module (import "svc" "sleep_ms" (func $sleep (param i32))) (memory (export "memory") 1)
  (func (export "main") (loop $again (call $sleep (i32.const 50)) (br $again))))`;

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

/** The most that `work` needed beside what was there before it. */
async function need(work: () => Promise<unknown>): Promise<number> {
  await getJson(`${device.http}/api/status`); // what the first request leaves for all others
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

withM32("A connection of HTTP takes no more than is reckoned with", async () => {
  await start();
  const COUNT = 6;
  const bytes = await need(async () => void (await openSockets(COUNT)));
  expect(bytes / COUNT).toBeLessThanOrEqual(HEAP_NEEDS.httpConnection);
});

withM32("A long head takes no more than is reckoned with", async () => {
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

withM32("A viewer of the log takes no more than is reckoned with", async () => {
  await start();
  const bytes = await need(async () => {
    const viewer = new WebSocket(device.ws);
    await new Promise((resolve) => viewer.once("open", resolve));
    await pause(200);
  });
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.viewer);
});

withM32("An install over HTTP takes no more than is reckoned with", async () => {
  await start();
  const file = packageOf(await largeModule(), { memory_quota: 4 * 1024 * 1024 });
  const signature = device.publisher.sign(file);
  const bytes = await need(async () => {
    expect((await installOverHttp(device, { file, signature })).status).toBe(200);
  });
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.install + HEAP_NEEDS.httpConnection + HEAP_NEEDS.request);
});

withM32("Firmware over HTTP takes no more than is reckoned with", async () => {
  await start();
  const image = padded(await firmwareImage({ version: "9.0.0" }), 1024 * 1024);
  const file = bundleOf(image, device.publisher);
  const bytes = await need(() => sendOverHttp(device, { path: "/api/ota/upload", file }));
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.firmware + HEAP_NEEDS.httpConnection + HEAP_NEEDS.request);
});

withM32("A running app takes no more than is reckoned with", async () => {
  await start();
  const module = await moduleOf(SLEEPER);
  for (const name of ["first", "second"]) {
    const file = packageOf(module, { name });
    await installOverHttp(device, { file, signature: device.publisher.sign(file) });
  }
  await device.app("start", "first"); // what the first app leaves for all others
  const before = (await askHeap(device)).live_bytes;
  await device.app("start", "second");
  await pause(200);
  expect((await askHeap(device)).live_bytes - before).toBeLessThanOrEqual(HEAP_NEEDS.runningApp);
});

withM32("The connection to a hub takes no more than is reckoned with", async () => {
  await start();
  const bytes = await need(async () => {
    await device.shell(`hub set ${hub.url}`);
    await fetch(`${device.http}/api/hub?url=${encodeURIComponent(hub.url)}`, { method: "POST" });
    await hub.connected();
    await pause(300);
  });
  expect(bytes).toBeLessThanOrEqual(HEAP_NEEDS.hubLink + HEAP_NEEDS.httpConnection + HEAP_NEEDS.request);
});

withM32(
  "All worst cases at once are served or told that the console is busy, and the heap is where it was",
  async () => {
    device = await startAppConsole({ variant: "m32", flags: ["--hub", hub.url] });
    await hub.connected();
    const small = packageOf(await moduleOf(SLEEPER), { name: "small" });
    const large = packageOf(await largeModule(), { name: "large", memory_quota: 4 * 1024 * 1024 });
    const sign = (file: Uint8Array) => device.publisher.sign(file);
    await installOverHttp(device, { file: small, signature: sign(small) });
    await pause(500);
    const before = (await askHeap(device)).live_bytes;
    const heads = await holdLongHeads(device.http, 6);
    const viewers = Array.from({ length: 4 }, () => {
      const viewer = new WebSocket(device.ws);
      viewer.on("error", () => {});
      return viewer;
    });
    const usb = await UsbClient.open(device.usb);
    const download_url = hub.serve("/api/v1/large", { bytes: large, signature: sign(large) });
    const order = { app_id: "large", version: "1.0.0", download_url };
    hub.say({ type: "app.install", command_id: "worst", ...order });
    const replies = await Promise.all([
      installOverUsb(usb, { file: small, signature: sign(small) }, 2048),
      installOverHttp(device, { file: small, signature: sign(small) }).catch(() => ({
        status: 503,
        body: {},
      })),
      usb.request("GET", "/api/screen"),
      usb.request("GET", "/api/apps/list"),
    ]);
    for (const { status } of replies) expect([200, 409, 503]).toContain(status);
    heads.close();
    for (const viewer of viewers) viewer.terminate();
    const result = await hub.hear("app.install.result", ({ command_id }) => command_id === "worst");
    expect(result.success).toBe(true); // it waited until there was room
    await usb.close();
    await pause(1500);
    expect((await askHeap(device)).live_bytes - before).toBeLessThan(6 * 1024);
    expect((await getJson(`${device.http}/api/system`)).reset_reason).toBe("power_on");
    expect(device.stderr.filter((line) => /memory full/.test(line))).toEqual([]);
  },
);
