/**
 * Screenshots and remote buttons, with an app that draws endlessly (docs/spec/display-and-input.md#screen).
 */
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askHttp } from "../../hosts/http-client.js";
import { expand, readPng } from "../../hosts/read-png.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { HEIGHT, noiseApp, noisePicture, WIDTH } from "./noise-app.js";

let simulated: Console;
let usb: UsbClient;

async function startDrawing(): Promise<void> {
  const { status } = await askHttp(`${simulated.http}/api/apps/start?name=noise`, { method: "POST" });
  expect(status).toBe(200);
}

beforeAll(async () => {
  const flags = ["--config", "CONFIG_SVC_ALLOW_UNSIGNED_APPS=on", "--log-level", "debug"];
  flags.push("--config", "CONFIG_SVC_HOME_SCREEN=off"); // every button together would lead there
  simulated = await startConsole({ flags });
  usb = await UsbClient.open(simulated.usb);
  const init = {
    method: "POST",
    body: noiseApp(),
    headers: { "content-type": "application/wasm" },
  };
  const { status, body } = await askHttp(`${simulated.http}/api/apps/install`, init);
  expect([status, body.name]).toEqual([200, "noise"]);
  await startDrawing();
});
afterAll(async () => {
  await usb.close();
  expect(await simulated.stop()).toBe(0);
});

/** Tries again after a 503, which the console sends while other clients have not read their answers. */
async function screenOverHttp(): Promise<Buffer> {
  const answer = await fetch(`${simulated.http}/api/screen`);
  if (answer.status === 503) {
    await wait(1000 * Number(answer.headers.get("retry-after")));
    return screenOverHttp();
  }
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  return Buffer.from(await answer.arrayBuffer());
}

async function screenOverUsb(): Promise<Buffer> {
  const { status, body } = await usb.request("GET", "/api/screen");
  expect([status, Object.keys(body)]).toEqual([200, ["png"]]);
  return Buffer.from(body.png, "base64");
}

async function press(pressed: number): Promise<void> {
  const { status, body } = await askHttp(`${simulated.http}/api/buttons?pressed=${pressed}`, {
    method: "POST",
  });
  expect({ status, body }).toEqual({ status: 200, body: { pressed } });
}

const pictures = new Map<number, Buffer>();

function pictureOf(buttons: number): Buffer {
  const picture = pictures.get(buttons) ?? expand(noisePicture(buttons));
  pictures.set(buttons, picture);
  return picture;
}

/** Whether a PNG is the noise of these buttons; anything but a picture of the right size throws. */
function shows(png: Uint8Array, buttons: number): boolean {
  const { width, height, rgb } = readPng(png);
  expect([width, height]).toEqual([WIDTH, HEIGHT]);
  return rgb.equals(pictureOf(buttons));
}

/** Takes screenshots until one shows these buttons: the app may still be drawing the previous picture. */
async function waitForPicture(take: () => Promise<Buffer>, buttons: number): Promise<boolean> {
  for (let count = 0; count < 100; count++) if (shows(await take(), buttons)) return true;
  return false;
}

/** A connection whose test decides when it reads. */
async function openSocket(request: string): Promise<Socket> {
  const socket = connect(Number(new URL(simulated.http).port), "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.pause();
  socket.write(request);
  return socket;
}

const GET_SCREEN = "GET /api/screen HTTP/1.1\r\nhost: localhost\r\n\r\n";
const LAST_STATUS = "GET /api/status HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

async function readToEnd(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part);
  return Buffer.concat(parts);
}

/** One request over a new connection. */
async function askOnce(target: string): Promise<{ readonly head: string; readonly body: Buffer }> {
  const response = await readToEnd(await openSocket(`${target} HTTP/1.0\r\nhost: localhost\r\n\r\n`));
  const end = response.indexOf("\r\n\r\n") + 4;
  return { head: response.toString("latin1", 0, end), body: response.subarray(end) };
}

/** Splits a chunked response into its PNG and the bytes after it. */
function unchunked(response: Buffer): { readonly png: Buffer; readonly rest: string } {
  const parts: Buffer[] = [];
  for (let at = response.indexOf("\r\n\r\n") + 4; ; ) {
    const start = response.indexOf("\r\n", at) + 2;
    const end = start + Number.parseInt(response.toString("latin1", at, start - 2), 16);
    if (end === start) return { png: Buffer.concat(parts), rest: response.toString("latin1", end + 2) };
    parts.push(response.subarray(start, end));
    at = end + 2;
  }
}

describe("GET /api/screen", () => {
  for (const buttons of [0, 1, 0x155, 0x3ff])
    test(`shows over both transports what an app draws for buttons ${buttons}`, async () => {
      await press(buttons);
      expect(await waitForPicture(screenOverHttp, buttons)).toBe(true);
      expect(await waitForPicture(screenOverUsb, buttons)).toBe(true);
    });

  test("is never torn while the app draws new pictures", async () => {
    await press(2);
    expect(await waitForPicture(screenOverHttp, 2)).toBe(true);
    for (let count = 0; count < 20; count++) {
      const [before, after] = [2 + (count % 3), 2 + ((count + 1) % 3)];
      const [png] = await Promise.all([screenOverHttp(), press(after)]);
      expect(shows(png, before) || shows(png, after), `picture ${count}`).toBe(true);
      await waitForPicture(screenOverHttp, after);
    }
  });

  test("is followed by the answer to the next request, also for a slow reader", async () => {
    await press(7);
    expect(await waitForPicture(screenOverHttp, 7)).toBe(true);
    const socket = await openSocket(GET_SCREEN + LAST_STATUS);
    for (let count = 0; count < 20; count++)
      expect((await askHttp(`${simulated.http}/api/status`)).status).toBe(200);
    const { png, rest } = unchunked(await readToEnd(socket));
    expect(shows(png, 7)).toBe(true);
    expect(rest).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"fw_version"/);
  });

  test("works for other clients after 20 connections were reset during an answer", async () => {
    for (let count = 0; count < 20; count++) {
      const socket = await openSocket(GET_SCREEN.repeat(5));
      await new Promise((resolve) => socket.once("readable", resolve));
      socket.resetAndDestroy();
    }
    expect(await waitForPicture(screenOverHttp, 7)).toBe(true);
    expect(await waitForPicture(screenOverUsb, 7)).toBe(true);
  });

  test("has no body for HEAD", async () => {
    const answer = await fetch(`${simulated.http}/api/screen`, { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect((await answer.arrayBuffer()).byteLength).toBe(0);
  });

  test("closes the connection of an HTTP/1.0 client at its end", async () => {
    const { head, body } = await askOnce("GET /api/screen");
    expect(head).toContain("connection: close");
    expect(shows(body, 7)).toBe(true);
  });

  test("is one line over USB, with events after it, also for a slow reader", async () => {
    await usb.request("GET", "/api/status");
    usb.pause();
    const asked = usb.request("GET", "/api/screen");
    await askHttp(`${simulated.http}/api/apps/stop?name=noise`, { method: "POST" });
    await startDrawing();
    await press(0); // an app does not see what was pressed before it started
    await press(7);
    usb.resume();
    const { status, body } = await asked;
    expect([status, shows(Buffer.from(body.png, "base64"), 7)]).toEqual([200, true]);
    await usb.event(({ event, data }) => event === "log" && String(data).includes('started "noise"'));
  });

  test("is dropped when the USB cable is unplugged", async () => {
    usb.pause();
    usb.send(`${JSON.stringify({ jsonrpc: "2.0", id: 99, method: "GET", path: "/api/screen" })}\n`);
    await askHttp(`${simulated.http}/api/status`);
    const from = simulated.stderr.length;
    await usb.close();
    await simulated.waitForLine(/ D usb: the host has disconnected/, from); // the answer has been dropped
    usb = await UsbClient.open(simulated.usb);
    expect(await waitForPicture(screenOverUsb, 7)).toBe(true); // the app has just been started
  });
});

describe("POST /api/buttons", () => {
  test("accepts ten bits and rejects other values, over both transports", async () => {
    const path = "/api/buttons";
    for (const [pressed, code] of [
      ["1024", "bad_parameter"],
      ["-1", "bad_parameter"],
      ["up", "bad_parameter"],
      [undefined, "missing_parameter"],
    ]) {
      const query = pressed === undefined ? "" : `?pressed=${pressed}`;
      const http = await askHttp(simulated.http + path + query, { method: "POST" });
      const line = await usb.request("POST", path, pressed === undefined ? {} : { pressed });
      expect([http.status, http.body.error]).toEqual([400, code]);
      expect(line).toMatchObject({ status: 400, body: http.body });
    }
    expect((await usb.request("POST", path, { pressed: 9 })).body).toEqual({ pressed: 9 });
    expect(await waitForPicture(screenOverHttp, 9)).toBe(true);
  });
});

test("after a restart the display is black and no button is pressed", async () => {
  await press(0x3ff);
  const from = simulated.stderr.length;
  await askHttp(`${simulated.http}/api/reboot`, { method: "POST" });
  await simulated.waitForLine(/is ready/, from);
  // Not with fetch, which may reuse a connection from before the restart.
  const { body } = await askOnce("GET /api/screen");
  expect(readPng(body).rgb.every((byte) => byte === 0)).toBe(true);
  await askOnce("POST /api/apps/start?name=noise");
  expect(await waitForPicture(async () => (await askOnce("GET /api/screen")).body, 0)).toBe(true);
});
