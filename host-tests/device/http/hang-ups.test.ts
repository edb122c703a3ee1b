/**
 * Clients that hang up inside an answer (docs/spec/http.md#hang-up): each of them frees its place and its memory at once,
 * whatever its connection waits for, so that they block nobody of their address.
 */
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AirClient } from "../../hosts/air-client.js";
import { askHeap } from "../../hosts/heap-report.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { upgradeRequest } from "../../unit/services/websocket/served.js";

const CONNECTION_LIMIT = 8;
/** Far below the 30 s after which the time limit of an answer would free a place. */
const SOON = { timeout: 5000 };
/** What a console's heap may differ by between two collections; an answer in progress holds more, eight far more. */
const HEAP_NOISE_BYTES = 4096;

let simulated: Console;
let usb: UsbClient;
let phone: AirClient;
let page: string;
beforeAll(async () => {
  simulated = await startConsole({});
  usb = await UsbClient.open(simulated.usb);
  const { body } = await usb.request("POST", "/api/wifi/setup", { open: "true" });
  page = body.page;
  phone = await AirClient.join(simulated.state, body.ssid, body.password);
  expect(phone.answer).toBe("joined");
});
afterAll(async () => {
  await phone.leave();
  await usb.close();
  await simulated.stop();
});

/** TCP connections, event queues and listeners of the console, as `socket:[inode]`. */
function openSockets(): string[] {
  const folder = `/proc/${simulated.pid}/fd`;
  const targets = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      return ""; // closed meanwhile
    }
  });
  return targets.filter((target) => target.startsWith("socket:"));
}

/** The console's socket of a connection with a client. */
function socketWith({ localPort = 0 }: Socket): string {
  const remote = `:${localPort.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1);
  const row = rows.map((text) => text.trim().split(/\s+/)).find((fields) => fields[2]?.endsWith(remote));
  return `socket:[${row?.[9]}]`;
}

const ENDS = { "closes (FIN)": "destroy", "resets (RST)": "resetAndDestroy" } as const;
type End = (typeof ENDS)[keyof typeof ENDS];

interface Target {
  readonly url: () => string;
  readonly from?: () => string;
  readonly wire: string;
}

/** A client that has sent a whole request. */
async function ask({ url, from, wire }: Target): Promise<Socket> {
  const { hostname, port } = new URL(url());
  const options = { host: hostname, port: Number(port), ...(from && { localAddress: from() }) };
  const socket = connect(options).on("error", () => {});
  await once(socket, "connect");
  await new Promise<void>((resolve) => socket.write(wire, () => resolve()));
  return socket;
}

/** A whole request, after which the client is gone at once. */
async function hangUp(target: Target, end: End): Promise<void> {
  (await ask(target))[end]();
}

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const http = () => simulated.http;
const ws = () => simulated.ws.replace("ws:", "http:");

const TARGETS: Readonly<Record<string, Target>> = {
  "a large file of the page": { url: http, wire: get("/panels.js") },
  "a large file, with further requests behind it that are not read": {
    url: http,
    wire: get("/panels.js").repeat(300),
  },
  "the log": { url: http, wire: get("/api/logs") },
  "a WebSocket": { url: ws, wire: upgradeRequest() },
  "a path that the WebSocket's port does not have": { url: ws, wire: get("/other") },
  "the set-up page": { url: () => page, from: () => phone.address, wire: get("/") },
};

/** Whether a further client of the same address is served. */
async function isServed({ url }: Target): Promise<boolean> {
  if (url === http) return (await fetch(`${simulated.http}/api/status`)).status === 200;
  if (url !== ws) return (await phone.ask(page, "/")).status === 200;
  const { hostname, port } = new URL(ws());
  const socket = connect(Number(port), hostname);
  socket.write(upgradeRequest());
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer).startsWith("HTTP/1.1 101 ");
}

describe.each(Object.entries(ENDS))("A client that %s inside the answer to its request for", (_, end) => {
  test.each(Object.entries(TARGETS))("%s leaves its place to the next one", async (_, target) => {
    await expect.poll(() => isServed(target), SOON).toBe(true);
    const before = openSockets().length;
    const { live_bytes: heapBefore } = await askHeap(simulated);
    for (let count = 0; count < CONNECTION_LIMIT; count++) await hangUp(target, end);
    await expect.poll(() => isServed(target), SOON).toBe(true);
    await expect.poll(() => openSockets().length, SOON).toBeLessThanOrEqual(before);
    const { live_bytes: heapAfter } = await askHeap(simulated);
    expect(heapAfter).toBeLessThan(heapBefore + HEAP_NOISE_BYTES);
  });
});

test("A client that closes only its own side still gets its whole answer", async () => {
  const { hostname, port } = new URL(simulated.http);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.end(get("/panels.js"));
  const answer = Buffer.concat(await socket.toArray());
  const head = answer.indexOf("\r\n\r\n");
  const declared = Number(/content-length: (\d+)/.exec(answer.subarray(0, head).toString())?.[1]);
  expect(declared).toBeGreaterThan(30_000);
  expect(answer.length - head - 4).toBe(declared);
  socket.destroy();
});

describe("While the console waits for a hub that does not answer", () => {
  const register: Target = {
    url: http,
    wire: "POST /api/cmd?c=hub+register HTTP/1.1\r\nHost: localhost\r\n\r\n",
  };
  let hub: Server;
  beforeAll(async () => {
    hub = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
    await once(hub, "listening");
    const { port } = hub.address() as AddressInfo;
    const asked = once(hub, "connection");
    await usb.request("POST", "/api/hub", { url: `http://127.0.0.1:${port}` });
    await asked;
  });
  afterAll(async () => {
    expect((await usb.request("POST", "/api/hub", { url: "" })).status).toBe(200);
    hub.close();
  });

  test("clients that reset leave no more memory in use than two of them do", async () => {
    const heapAfterOne = async () => {
      const asked = once(hub, "connection");
      await hangUp(register, "resetAndDestroy");
      await asked;
      await expect.poll(() => isServed(register), SOON).toBe(true);
      return (await askHeap(simulated)).live_bytes;
    };
    await heapAfterOne();
    const ofTwo = await heapAfterOne();
    for (let count = 0; count < CONNECTION_LIMIT; count++)
      expect(await heapAfterOne()).toBeLessThan(ofTwo + HEAP_NOISE_BYTES);
  });

  test("a client that sends more than is read, and resets, frees its place", async () => {
    const asked = once(hub, "connection");
    const client = await ask({ ...register, wire: register.wire + get("/panels.js").repeat(300) });
    await asked;
    // The hub may have been asked for an earlier client: until the console has accepted this one, its socket has no inode.
    await expect.poll(() => openSockets().includes(socketWith(client)), SOON).toBe(true);
    const socket = socketWith(client);
    client.resetAndDestroy();
    await expect.poll(openSockets, SOON).not.toContain(socket);
  });
});
