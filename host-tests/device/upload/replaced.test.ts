/** An upload that has lost its place to another (docs/spec/uploads.md#upload-slow) keeps nothing that the other needs. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { UsbClient } from "../../hosts/usb-client.js";

let silentHub: Server;
let console: AppConsole;
let usb: UsbClient;
beforeAll(async () => {
  silentHub = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
  await once(silentHub, "listening");
  console = await startAppConsole();
  usb = await UsbClient.open(console.usb);
  const asked = once(silentHub, "connection");
  await usb.request("POST", "/api/hub", {
    url: `http://127.0.0.1:${(silentHub.address() as AddressInfo).port}`,
  });
  await asked;
});
afterAll(async () => {
  await usb?.close();
  await console?.stop();
  silentHub?.close();
});

const GZIP = Uint8Array.of(0x1f, 0x8b, 8, 0);

/** Begins a whole upload of a package from a loopback address. */
async function begin(from: string, byteLength: number): Promise<Socket> {
  const socket = connect({ port: Number(new URL(console.http).port), host: "127.0.0.1", localAddress: from });
  socket.setEncoding("latin1").on("error", () => {});
  await once(socket, "connect");
  socket.write(`POST /api/apps/install HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${byteLength}\r\n\r\n`);
  socket.write(GZIP);
  return socket;
}

/** All that comes until the console ends the connection. */
async function answerTo(socket: Socket): Promise<string> {
  let answer = "";
  for await (const text of socket) answer += text;
  return answer;
}

test("is answered at once, and makes room for the other while a hub does not answer", async () => {
  const slow = await begin("127.0.0.2", 900_000);
  await setTimeout(2100); // shorter is not slow
  const other = await begin("127.0.0.3", GZIP.length);
  const taken = once(other, "data");
  expect(await answerTo(slow)).toMatch(/^HTTP\/1\.1 409 .*"error":"upload_busy"/s);
  expect((await taken)[0]).toMatch(/^HTTP\/1\.1 403 .*"error":"signature_missing"/s);
  other.destroy();
});
