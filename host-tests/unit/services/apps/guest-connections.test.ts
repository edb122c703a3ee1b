/** What an app's `net_…` calls come to, over real sockets on loopback. */
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GuestConnections } from "../../../../device/services/apps/guest-connections.js";
import { isOwnAddress } from "../../../../device/services/identity/own-address.js";
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

const text = (bytes: Uint8Array, length: number) => new TextDecoder().decode(bytes.subarray(0, length));

test("An app connects by name or address, sends, and receives what comes back", async () => {
  for (const host of ["127.0.0.1", "localhost"]) {
    const handle = await connections.connect(host, port);
    expect(handle).toBeGreaterThan(0);
    expect(await connections.send(handle, new TextEncoder().encode("hello"))).toBe(5);
    const into = new Uint8Array(64);
    expect(text(into, await connections.receive(handle, into, 5000))).toBe("hello");
    expect(connections.closeOne(handle)).toBe(0);
    expect(connections.closeOne(handle)).toBe(-2);
  }
});

test("What comes is received in as many pieces as the app has room for", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  await connections.send(handle, new TextEncoder().encode("abcdef"));
  let all = "";
  const into = new Uint8Array(4);
  while (all.length < 6) all += text(into, await connections.receive(handle, into, 5000));
  expect(all).toBe("abcdef");
});

test("Nothing that comes in time is -16, and the connection lives on", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  expect(await connections.receive(handle, new Uint8Array(8), 0)).toBe(-16);
  expect(await connections.receive(handle, new Uint8Array(8), 10)).toBe(-16);
  expect(await connections.send(handle, Uint8Array.of(1))).toBe(1);
});

test("A peer that has closed is 0 to a receive, after what it has sent", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  await connections.send(handle, new TextEncoder().encode("x"));
  const into = new Uint8Array(8);
  expect(await connections.receive(handle, into, 5000)).toBe(1);
  for (const peer of peers) peer.end();
  expect(await connections.receive(handle, into, 5000)).toBe(0);
});

test("A port where nobody listens is -5, a host that is not there -2, a port that cannot be -22", async () => {
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

test("What waits when everything is closed is answered", async () => {
  const handle = await connections.connect("127.0.0.1", port);
  const waiting = connections.receive(handle, new Uint8Array(8), 60_000);
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

/** Connections to a console whose port is that of the test's server, over sockets that say what a test wants of them. */
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

test("An address that turns out to be the console's only once the connection is there is not permitted", async () => {
  let looks = 0;
  connections = toOwnPort(() => ++looks > 1);
  expect(await connections.connect("127.0.0.1", port)).toBe(-1);
  expect(looks).toBe(2);
  await expect.poll(() => peers[0]?.readyState).not.toBe("open");
  expect(connections.closeOne(1)).toBe(-2);
});

test("A connection both ends of which have one address is not permitted, whatever the list of addresses says", async () => {
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
