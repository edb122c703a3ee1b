/** The HTTP requests of an app, over a socket that the test plays (docs/spec/app-abi-and-quotas.md#http-request). */
import { expect, test } from "vitest";
import { GuestRequests } from "../../../../device/services/apps/guest-requests.js";
import { readRequest } from "../../../../device/services/apps/request-text.js";
import { HeapAdmission } from "../../../../device/services/heap/heap-admission.js";
import type { HttpRequest } from "../../../../hub-client/http-client.js";
import type { HubClientPorts } from "../../../../hub-client/ports.js";
import { octets, ScriptedNetwork, sentText, turn } from "../../hub-client/client-ports.js";

const decoder = new TextDecoder("utf-8", { fatal: true });
const GET = readRequest(octets("GET http://example.com/x\na: b"), decoder) as HttpRequest;
const SECURE = readRequest(octets("GET https://example.com/"), decoder) as HttpRequest;

function start(ports: Partial<HubClientPorts> = {}, heap?: HeapAdmission) {
  const network = new ScriptedNetwork(ports);
  const requests = new GuestRequests({
    ...{ ports: network.ports, timer: network.clock, requestCount: { open: 0 }, heap },
  });
  return { network, requests };
}

async function answered(wire: string) {
  const { network, requests } = start();
  const handle = requests.open(GET);
  const socket = await network.connect();
  socket.arrive(octets(wire));
  await turn();
  return { network, requests, handle, socket };
}

/** What a call gives, now or later. */
function outcome<Result>(call: (onSettled: (result: Result) => void) => Result | undefined) {
  const results: Result[] = [];
  const now = call((result) => results.push(result));
  if (now !== undefined) results.push(now);
  return results;
}

const text = (read: Uint8Array | number | undefined) =>
  read instanceof Uint8Array ? new TextDecoder().decode(read) : read;

test("A request is sent as it was written, and its answer is read piece by piece", async () => {
  const { requests, handle, socket } = await answered(
    "HTTP/1.1 201 Created\r\nlocation: /y\r\ncontent-length: 8\r\n\r\nabcd",
  );
  expect(sentText(socket)).toBe("GET /x HTTP/1.1\r\nhost: example.com\r\nconnection: close\r\na: b\r\n\r\n");
  expect(outcome((then) => requests.status(handle, 0, then))).toEqual([201]);
  expect([requests.field(handle, "location"), requests.field(handle, "date")]).toEqual(["/y", undefined]);
  const read = (byteLength: number) =>
    outcome<Uint8Array | number>((then) => requests.read(handle, byteLength, 1000, then));
  expect(read(3).map(text)).toEqual(["abc"]);
  expect(read(0)).toEqual([0]);
  expect(read(100).map(text)).toEqual(["d"]);
  const waiting = read(100);
  expect(waiting).toEqual([]);
  socket.arrive(octets("efgh"));
  await turn();
  expect(waiting.map(text)).toEqual(["efgh"]);
  expect(read(100)).toEqual([0]);
  expect(requests.closeOne(handle)).toBe(0);
  expect([requests.closeOne(handle), requests.status(handle, 0, () => {})]).toEqual([-2, -2]);
});

test("Waiting for an answer ends with its time", async () => {
  const { network, requests } = start();
  const handle = requests.open(GET);
  const status = outcome<number>((then) => requests.status(handle, 500, then));
  await network.clock.pass(499);
  expect(status).toEqual([]);
  await network.clock.pass(1);
  expect(status).toEqual([-16]);
  const read = outcome<Uint8Array | number>((then) => requests.read(handle, 9, 500, then));
  await network.clock.pass(500);
  expect(read).toEqual([-16]);
  expect(requests.status(handle, -1, () => {})).toBe(-22);
});

test("A body that breaks off is an error, after what has arrived", async () => {
  const { requests, handle, socket } = await answered("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nabcd");
  socket.end();
  await turn();
  const read = () => outcome<Uint8Array | number>((then) => requests.read(handle, 100, 1000, then)).map(text);
  expect([read(), read(), read()]).toEqual([["abcd"], [-5], [-5]]);
});

test.each([
  ["no HTTP", "SSH-2.0-x\r\n\r\n", -5],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", -5],
  ["another protocol", "HTTP/1.1 101 Switching\r\n\r\n", -5],
])("%s is -5", async (_, wire, result) => {
  const { requests, handle } = await answered(wire);
  expect(outcome<number>((then) => requests.status(handle, 0, then))).toEqual([result]);
});

test("A field that the answer has twice, or that is long, counts as none", async () => {
  const { requests, handle } = await answered(
    `HTTP/1.1 200 OK\r\na: 1\r\na: 2\r\nlong: ${"x".repeat(1300)}\r\ncontent-length: 0\r\n\r\n`,
  );
  expect([requests.field(handle, "a"), requests.field(handle, "long")]).toEqual([undefined, undefined]);
});

test("The console itself, too many requests, and no TLS are refused", async () => {
  const own = start({ isOwnPort: () => true });
  const handle = own.requests.open(GET);
  await turn();
  await own.network.clock.pass(1);
  expect(outcome<number>((then) => own.requests.status(handle, 0, then))).toEqual([-1]);
  const { requests } = start();
  expect([requests.open(SECURE), requests.open(GET), requests.open(GET), requests.open(GET)]).toEqual([
    -38, 1, 2, -28,
  ]);
  await turn(); // their names are looked up
  expect(requests.closeOne(1)).toBe(0);
  expect(requests.open(GET)).toBe(3);
  const full = new HeapAdmission({
    hasHeapRoom: () => false,
    usedHeapBytes: () => 0,
    liveHeapBytes: () => 0,
  });
  expect(start({}, full).requests.open(GET)).toBe(-16);
});

test("All apps share two requests, and one that is closed counts until its name is looked up", async () => {
  const resolved: (() => void)[] = [];
  const resolver: HubClientPorts["resolver"] = {
    resolve: (_name, onResolved) => void resolved.push(() => onResolved(undefined, "192.0.2.1")),
  };
  const requestCount = { open: 0 };
  const promised: number[] = [];
  const heap = {
    promise: (byteLength: number) => void promised.push(byteLength),
    release: (byteLength: number) => void promised.splice(promised.indexOf(byteLength), 1),
  } as unknown as HeapAdmission;
  const network = new ScriptedNetwork({ resolver });
  const options = { ports: network.ports, timer: network.clock, requestCount, heap };
  const [one, other] = [new GuestRequests(options), new GuestRequests(options)];
  expect([one.open(GET), other.open(GET), one.open(GET), other.open(GET)]).toEqual([1, 1, -28, -28]);
  expect([one.closeOne(1), one.open(GET), promised.length]).toEqual([0, -28, 2]);
  resolved.shift()?.();
  expect([promised.length, one.open(GET)]).toEqual([1, 2]);
  other.close();
  one.close();
  for (const answer of resolved) answer();
  expect([requestCount.open, promised]).toEqual([0, []]);
});

test("A server that sends more than the app reads has to wait", async () => {
  const { requests, handle, socket, network } = await answered(
    "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n",
  );
  for (let piece = 0; piece < 20; piece++) socket.arrive(new Uint8Array(4096));
  await turn();
  let taken = 0;
  for (;;) {
    const [read] = outcome<Uint8Array | number>((then) => requests.read(handle, 512, 1000, then));
    if (!(read instanceof Uint8Array)) break;
    taken += read.length;
    if (taken === 4096) break;
  }
  expect(taken).toBe(4096);
  expect(socket.unreadBytes).toBeGreaterThan(70_000);
  await network.clock.pass(1);
  expect(socket.unreadBytes).toBeLessThan(80_000);
});

test("With the app, every request ends", async () => {
  const { network, requests } = start();
  const status = outcome<number>((then) => requests.status(requests.open(GET), 10_000, then));
  const socket = await network.connect();
  requests.close();
  requests.close();
  await network.clock.pass(60_000);
  expect([status, socket.isClosed, network.clock.timerCount]).toEqual([[], true, 0]);
});
