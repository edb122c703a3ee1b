/** What an app's `net_…` calls come to, over real sockets on loopback. */
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GuestConnections } from "../../../../device/services/apps/guest-connections.js";
import { isOwnAddress } from "../../../../device/services/identity/identity.js";
import { nodeResolver } from "../../../hosts/node-resolver.js";
import { nodeTcp } from "../../../hosts/node-tcp.js";
import { nodeTimer } from "../../../hosts/node-timer.js";

const OWN_PORT = 8080;
const OWN = ["192.0.2.7", "2001:db8::7"];
const network = { hasAddress: (address: string) => OWN.includes(address) };

let server: Server;
let port: number;
let peers: Socket[];
let connections: GuestConnections;

beforeEach(async () => {
  peers = [];
  server = createServer((socket) => {
    peers.push(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => socket.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
  connections = new GuestConnections({
    ...{ Socket: nodeTcp.Socket, resolver: nodeResolver, timer: nodeTimer },
    isOwnPort: (address, asked) => asked === OWN_PORT && isOwnAddress(address, network),
  });
});
afterEach(() => {
  connections.close();
  for (const peer of peers) peer.destroy();
  server.close();
});

/** What an app is answered, at once or later. */
const send = (handle: number, text: string) =>
  new Promise<number>((resolve) => {
    const bytes = new TextEncoder().encode(text);
    const outgoing = {
      byteLength: bytes.length,
      read: (into: Uint8Array) => into.set(bytes.subarray(0, into.length)),
    };
    const result = connections.send(handle, outgoing, resolve);
    if (result !== undefined) resolve(result);
  });

/** The received text, or the error number. */
const receive = (handle: number, byteLength: number, timeoutMs: number) =>
  new Promise<string | number>((resolve) => {
    const settle = (received: Uint8Array | number) =>
      resolve(typeof received === "number" ? received : new TextDecoder().decode(received));
    const received = connections.receive(handle, byteLength, timeoutMs, settle);
    if (received !== undefined) settle(received);
  });

test("An app connects by name or address, sends, and receives the answer", async () => {
  for (const host of ["127.0.0.1", "localhost"]) {
    const handle = await connections.connect(host, port);
    expect(handle).toBeGreaterThan(0);
    expect(await send(handle, "hello")).toBe(5);
    expect(await receive(handle, 64, 5000)).toBe("hello");
    expect(connections.closeOne(handle)).toBe(0);
    expect(connections.closeOne(handle)).toBe(-2);
  }
});

test("An app receives the bytes in as many pieces as its buffer requires", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  await send(handle, "abcdef");
  let all = "";
  while (all.length < 6) all += await receive(handle, 4, 5000);
  expect(all).toBe("abcdef");
});

test("A receive without bytes in time returns -16, and the connection stays open", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  expect(await receive(handle, 8, 0)).toBe(-16);
  expect(await receive(handle, 8, 10)).toBe(-16);
  expect(await send(handle, "x")).toBe(1);
});

test("A receive returns 0 after all bytes of a peer that has closed", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  await send(handle, "x");
  expect(await receive(handle, 8, 5000)).toBe("x");
  for (const peer of peers) peer.end();
  expect(await receive(handle, 8, 5000)).toBe(0);
});

test("A send waits until the peer has room", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  await expect.poll(() => peers.length).toBe(1);
  peers[0]?.pause();
  const piece = "y".repeat(65536);
  let isWaiting = false;
  let sent = 0;
  while (!isWaiting) {
    const sending = send(handle, piece).then((taken) => (sent += taken));
    isWaiting = await Promise.race([sending.then(() => false), pause(200).then(() => true)]);
    if (isWaiting) peers[0]?.resume();
    await sending;
  }
  expect(sent).toBeGreaterThan(piece.length);
});

test("A port without a listener is -5, an unknown host -2, an invalid port -22", async () => {
  server.close();
  expect(await connections.connect("127.0.0.1", port)).toBe(-5);
  expect(await connections.connect("", port)).toBe(-2);
  for (const bad of [0, -1, 65536]) expect(await connections.connect("127.0.0.1", bad)).toBe(-22);
});

test("A fifth connection is -28, until one of the four is closed", async () => {
  const handles = [];
  for (let count = 0; count < 4; count++) handles.push(await connections.connect("127.0.0.1", port));
  expect(await connections.connect("127.0.0.1", port)).toBe(-28);
  connections.closeOne(handles[0] as number);
  expect(await connections.connect("127.0.0.1", port)).toBeGreaterThan(0);
});

test("Pending operations are answered when all connections are closed", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  const waiting = receive(handle, 8, 60_000);
  connections.close();
  expect(await waiting).toBe(-5);
});

for (const host of [
  "127.0.0.1",
  "127.9.9.9",
  "localhost",
  "0.0.0.0",
  "192.0.2.7",
  "::1",
  "::ffff:127.0.0.1",
  "2001:db8::7",
])
  test(`The console's own management at ${host} is not permitted`, async () => {
    expect(await connections.connect(host, OWN_PORT)).toBe(-1);
  });

/** Connections to a console whose port is that of the test's server, over sockets with addresses that the test sets. */
function toOwnPort(isOwnPort: (address: string, port: number) => boolean, resolved?: string) {
  const resolver = {
    resolve: (name: string, on: (_: undefined, address: string) => void) => on(undefined, resolved ?? name),
  };
  return new GuestConnections({ Socket: nodeTcp.Socket, resolver, timer: nodeTimer, isOwnPort });
}

test("A name that resolves to the console is not permitted", async () => {
  const isOwnPort = (address: string, asked: number) => asked === port && isOwnAddress(address, network);
  connections = toOwnPort(isOwnPort, "127.0.0.1");
  expect(await connections.connect("console-1a2b.local", port)).toBe(-1);
  expect(peers).toEqual([]);
});

test("A connection whose address turns out to be the console's own is not permitted", async () => {
  let looks = 0;
  connections = toOwnPort(() => ++looks > 1);
  expect(await connections.connect("127.0.0.1", port)).toBe(-1);
  expect(looks).toBe(2);
  await expect.poll(() => peers[0]?.readyState).not.toBe("open");
  expect(connections.closeOne(1)).toBe(-2);
});

test("A connection with one address at both ends is not permitted, whatever the list of addresses", async () => {
  connections = toOwnPort((address, asked) => asked === port && address === "127.0.0.1", "127.0.0.9");
  server.close();
  server = createServer((socket) => peers.push(socket));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.9", resolve));
  expect(await connections.connect("alias.example", port)).toBeGreaterThan(0); // from 127.0.0.1, on another host
  connections.close();
  class Here extends nodeTcp.Socket {
    override get localAddress() {
      return this.remoteAddress;
    }
  }
  const resolver = {
    resolve: (_: string, on: (_: undefined, address: string) => void) => on(undefined, "127.0.0.9"),
  };
  connections = new GuestConnections({
    ...{ Socket: Here, resolver, timer: nodeTimer },
    isOwnPort: (address, asked) => asked === port && address === "127.0.0.1",
  });
  expect(await connections.connect("alias.example", port)).toBe(-1);
});
