import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ClientOptions, WebSocket, WebSocketServer } from "ws";
import { DeviceSocket, type DeviceSocketOwner } from "../../../../hub/push/device-socket.js";

let server: WebSocketServer;
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: "127.0.0.1", WebSocket: DeviceSocket });
  await once(server, "listening");
});
afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

const OWNER: DeviceSocketOwner = { onMessage() {}, onBinary() {}, onClose() {} };
const FENCE = {
  connection: 1,
  isClaimed: false,
  rotationId: null,
  revocationsId: null,
  arch: "native",
  previousProcessId: null,
};

async function connected(options: ClientOptions = {}, owner = OWNER) {
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`, options);
  client.on("error", () => {});
  const [socket, request] = (await once(server, "connection")) as [DeviceSocket, IncomingMessage];
  socket.stream = request.socket;
  socket.open(owner, "device", "http://127.0.0.1/api/v1", FENCE);
  await once(client, "open");
  return { client, socket };
}

for (const byteLength of [0, 1, 125, 126, 127, 65_535, 65_536, 100_000])
  test(`a device gets a message of ${byteLength} bytes as it was sent`, async () => {
    const { client, socket } = await connected();
    const message = "é".repeat(byteLength >> 1) + "e".repeat(byteLength & 1);
    const received = once(client, "message");
    socket.sendText(message);
    const [data, isBinary] = await received;
    expect([String(data), isBinary]).toEqual([message, false]);
  });

test("messages, pings and long messages come in the order in which they were sent", async () => {
  const { client, socket } = await connected();
  const got: string[] = [];
  client.on("message", (data) => got.push(`${(data as Buffer).length}`));
  client.on("ping", () => got.push("ping"));
  const closed = once(client, "close");
  for (const byteLength of [10, 70_000, 11, 300, 66_000, 12]) {
    socket.sendText("t".repeat(byteLength));
    socket.checkAlive();
    socket.isAlive = true;
  }
  socket.close(1000);
  await closed;
  expect(got).toEqual(["10", "70000", "11", "300", "66000", "12"].flatMap((length) => [length, "ping"]));
});

test("a device that answers pings stays connected", async () => {
  const { client, socket } = await connected();
  for (let beats = 0; beats < 3; beats++) {
    socket.checkAlive();
    await once(socket, "pong");
  }
  expect(client.readyState).toBe(WebSocket.OPEN);
});

test("a device that does not answer a ping before the next one is disconnected", async () => {
  const { client, socket } = await connected({ autoPong: false });
  const pinged = once(client, "ping");
  socket.checkAlive();
  await pinged;
  const closed = once(client, "close");
  socket.checkAlive();
  expect((await closed)[0]).toBe(1006);
});

test("a message counts as an answer", async () => {
  const onData: DeviceSocket[] = [];
  const { client, socket } = await connected(
    { autoPong: false },
    { ...OWNER, onMessage: (from: DeviceSocket) => void onData.push(from) },
  );
  socket.checkAlive();
  client.send("{}");
  await once(socket, "message");
  socket.checkAlive();
  expect(socket.readyState).toBe(WebSocket.OPEN);
  expect(onData).toEqual([socket]);
});

test("invalid messages are forgotten at the next ping", async () => {
  const { socket } = await connected();
  socket.malformedSincePing = 5;
  socket.checkAlive();
  expect(socket.malformedSincePing).toBe(0);
});

test("a device that does not read its messages is disconnected", async () => {
  const { client, socket } = await connected();
  client.pause();
  const closed = once(socket, "close");
  const message = { type: "app.uninstall", command_id: "c", app_id: "a".repeat(60_000) } as const;
  for (let messages = 0; messages < 2000 && socket.readyState === WebSocket.OPEN; messages++)
    socket.sendMessage(message);
  await closed;
  client.terminate();
});

test("a device that reads slowly gets all messages, in order and in portions", async () => {
  const { client, socket } = await connected();
  const onData: string[] = [];
  client.on("message", (data) => onData.push(JSON.parse(String(data)).command_id));
  client.pause();
  const app_id = "a".repeat(60_000);
  for (let at = 0; at < 300; at++) socket.sendMessage({ type: "app.uninstall", command_id: `${at}`, app_id });
  expect(socket.bufferedAmount).toBeLessThan(256 * 1024);
  client.resume();
  while (onData.length < 300) await once(client, "message");
  expect(onData).toEqual(Array.from({ length: 300 }, (_, at) => `${at}`));
});

test("a device is notified when claimed, and only then", async () => {
  const { client, socket } = await connected();
  const said: unknown[] = [];
  client.on("message", (data) => said.push(JSON.parse(String(data))));
  for (const isClaimed of [false, false, true, true, false]) socket.sendClaimed(isClaimed);
  socket.close(1001);
  await once(client, "close");
  expect(said).toEqual([false, true, false].map((claimed) => ({ type: "device.claimed", claimed })));
});
