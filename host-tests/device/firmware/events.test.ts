/**
 * Status events over USB during an update (docs/spec/usb.md#status-events).
 */
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FirmwareConsole, startFirmwareConsole, UPLOAD } from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { askHttp } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { UsbClient } from "../../hosts/usb-client.js";

const publisher = new Publisher();
const CHUNK_BYTES = 3072;

let console: FirmwareConsole;
let usb: UsbClient;
let bundle: Uint8Array;
beforeEach(async () => {
  console = await startFirmwareConsole({ publisher });
  usb = await UsbClient.open(console.usb);
  bundle = await firmwareBundle({ version: "0.2.0" }, publisher);
  await discover();
});
afterEach(async () => {
  await usb.close();
  await console.stop();
});

/** Starts the events. */
const discover = () => usb.request("GET", "/api/status");
const isStatus = ({ event }: { event: string }) => event === "status";

/** The data of the `status` event that `action` causes. */
async function eventAfter(action: () => unknown): Promise<{ fw_version: string }> {
  const old = usb.events.filter(isStatus);
  await action();
  return (await usb.event((event) => isStatus(event) && !old.includes(event))).data;
}

function beginUpload(): Socket {
  const { hostname, port } = new URL(console.http);
  const socket = connect(Number(port), hostname);
  socket.write(`POST ${UPLOAD} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${bundle.length}\r\n\r\n`);
  return socket;
}

const ask = async () => (await usb.request("GET", "/api/ota/status")).body;

test("Each change and each tenth of an update sends a status event, and the status can be read meanwhile", async () => {
  let socket!: Socket;
  await eventAfter(() => {
    socket = beginUpload();
  });
  expect(await ask()).toMatchObject({ state: "receiving", received_bytes: 0, total_bytes: bundle.length });
  let sent = 0;
  for (let tenth = 1; tenth <= 10; tenth++) {
    const end = Math.ceil((tenth * bundle.length) / 10);
    await eventAfter(() => socket.write(bundle.subarray(sent, end)));
    sent = end;
    if (tenth === 10) break;
    const status = { state: "receiving", received_bytes: sent, progress_percent: 10 * tenth };
    await expect.poll(ask).toMatchObject(status);
    expect(await console.ota()).toMatchObject(status);
  }
  await console.waitForLine(/ota: staged firmware 0.2.0/);
  expect(await ask()).toMatchObject({ state: "staged" });
  socket.destroy();

  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.started("update", from);
  await discover();
  const confirmed = await eventAfter(() => askHttp(`${console.http}/api/ota/confirm`, { method: "POST" }));
  expect(confirmed.fw_version).toBe("0.2.0");
});

test("An interrupted upload sends a status event", async () => {
  const socket = beginUpload();
  await console.waitForLine(/ota: receiving firmware/);
  await discover();
  await eventAfter(() => socket.destroy());
  expect(await ask()).toMatchObject({ state: "idle" });
});

test("During a USB upload, status events arrive between the answers", async () => {
  const total = Math.ceil(bundle.length / CHUNK_BYTES);
  const eventsAt: number[] = [];
  for (let chunk = 1; chunk <= total; chunk++) {
    const data = Buffer.from(bundle.subarray((chunk - 1) * CHUNK_BYTES, chunk * CHUNK_BYTES));
    const members = { chunk, total, data: data.toString("base64") };
    const { status } = await usb.request("POST", UPLOAD, {}, members);
    expect(status).toBe(chunk === total ? 200 : 206);
    for (const _ of usb.events.splice(0).filter(isStatus)) eventsAt.push(chunk);
  }
  await discover();
  for (const _ of usb.events.splice(0).filter(isStatus)) eventsAt.push(total);
  expect(eventsAt.length).toBeGreaterThanOrEqual(11);
  expect(eventsAt.filter((chunk) => chunk < total).length).toBeGreaterThanOrEqual(9);
});
