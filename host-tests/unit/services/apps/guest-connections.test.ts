/** What an app's `net_…` calls come to, over real sockets on loopback. */
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GuestConnections } from "../../../../device/services/apps/guest-connections.js";
import { isOwnAddress } from "../../../../device/services/identity/identity.js";
import { Lookups } from "../../../../device/services/network/lookups.js";
import { nodeResolver } from "../../../hosts/node-resolver.js";
import { nodeTcp } from "../../../hosts/node-tcp.js";
import { nodeTimer } from "../../../hosts/node-timer.js";
import { ScriptedSocket } from "../../../hosts/scripted-tcp.js";

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
    Socket: nodeTcp.Socket,
    lookups: new Lookups(nodeResolver, 2),
    timer: nodeTimer,
    isOwnPort: (address, asked) => asked === OWN_PORT && isOwnAddress(address, network),
  });
});
afterEach(() => {
  connections.close();
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

/** Connections to a console whose port is that of the test's server, over sockets with addresses that the test sets. */
function toOwnPort(isOwnPort: (address: string, port: number) => boolean, resolved?: string) {
  const resolver = {
    resolve: (name: string, on: (_: undefined, address: string) => void) =>
      queueMicrotask(() => on(undefined, resolved ?? name)),
  };
  const lookups = new Lookups(resolver, 2);
  return new GuestConnections({ Socket: nodeTcp.Socket, lookups, timer: nodeTimer, isOwnPort });
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
    resolve: (_: string, on: (_: undefined, address: string) => void) =>
      queueMicrotask(() => on(undefined, "127.0.0.9")),
  };
  connections = new GuestConnections({
    Socket: Here,
    lookups: new Lookups(resolver, 2),
    timer: nodeTimer,
    isOwnPort: (address, asked) => asked === port && address === "127.0.0.1",
  });
  expect(await connections.connect("alias.example", port)).toBe(-1);
});

test("A send that waits for room is -5 once the connection breaks, though bytes are unread, which can still be read", async () => {
  const sockets: ScriptedSocket[] = [];
  class Socket extends ScriptedSocket {
    constructor(options: ConstructorParameters<typeof ScriptedSocket>[0]) {
      super(options);
      sockets.push(this);
    }
  }
  connections = new GuestConnections({
    Socket,
    lookups: new Lookups(nodeResolver, 2),
    timer: nodeTimer,
    isOwnPort: () => false,
  });
  const connecting = connections.connect("127.0.0.1", port);
  await expect.poll(() => sockets.length).toBe(1);
  sockets[0]?.open(1);
  const handle = await connecting;
  expect(await send(handle, "ab")).toBe(1);
  sockets[0]?.arrive([0x78]);
  const sending = send(handle, "b");
  sockets[0]?.break();
  expect(await sending).toBe(-5);
  expect(await receive(handle, 8, 0)).toBe("x");
  expect(await receive(handle, 8, 0)).toBe(0);
});
