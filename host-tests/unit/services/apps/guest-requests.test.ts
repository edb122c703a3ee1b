/** The HTTP requests of an app, over a socket that the test plays (docs/spec/app-abi-and-quotas.md#http-request). */
import { expect, test } from "vitest";
import { GuestRequests } from "../../../../device/services/apps/guest-requests.js";
import { readRequest } from "../../../../device/services/apps/request-text.js";
import { HeapAdmission } from "../../../../device/services/heap/heap-admission.js";
import { Lookups } from "../../../../device/services/network/lookups.js";
import type { HttpRequest } from "../../../../hub-client/http-client.js";
import type { HubClientPorts } from "../../../../hub-client/ports.js";
import { octets, ScriptedNetwork, turn } from "../../hub-client/client-ports.js";

const decoder = new TextDecoder("utf-8", { fatal: true });
const GET = readRequest(octets("GET http://example.com/x\na: b"), decoder) as HttpRequest;
const SECURE = readRequest(octets("GET https://example.com/"), decoder) as HttpRequest;

/** What the console logs. */
const failures: string[] = [];

function start(ports: Partial<HubClientPorts> = {}, heap?: HeapAdmission) {
  const network = new ScriptedNetwork(ports);
  const requests = new GuestRequests({
    ports: network.ports,
    lookups: new Lookups(network.ports.resolver, 2),
    timer: network.clock,
    requestCount: { open: 0 },
    onFailure: (reason) => failures.push(reason),
    heap,
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

test("All apps share two requests, and one that is closed counts no more, though its name is being looked up", async () => {
  const asked: string[] = [];
  const resolver: HubClientPorts["resolver"] = { resolve: (name) => void asked.push(name) };
  const requestCount = { open: 0 };
  const promised: number[] = [];
  const heap = {
    promise: (byteLength: number) => void promised.push(byteLength),
    release: (byteLength: number) => void promised.splice(promised.indexOf(byteLength), 1),
  } as unknown as HeapAdmission;
  const network = new ScriptedNetwork({ resolver });
  const lookups = new Lookups(resolver, 2);
  const onFailure = () => {};
  const options = { ports: network.ports, lookups, timer: network.clock, requestCount, heap, onFailure };
  const [one, other] = [new GuestRequests(options), new GuestRequests(options)];
  expect([one.open(GET), other.open(GET), one.open(GET), other.open(GET)]).toEqual([1, 1, -28, -28]);
  expect([one.closeOne(1), promised.length, one.open(GET)]).toEqual([0, 1, 2]);
  other.close();
  one.close();
  await turn();
  expect([requestCount.open, promised, asked]).toEqual([0, [], ["example.com"]]);
});

test("The reason of a failure, which the app gets as -5, is told to the console", async () => {
  const { requests, network } = start();
  const handle = requests.open(GET);
  const socket = await network.connect();
  failures.length = 0;
  socket.arrive(octets(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(4096)}\r\n\r\n`));
  await turn();
  expect(outcome<number>((then) => requests.status(handle, 0, then))).toEqual([-5]);
  expect(failures).toEqual([expect.stringContaining("head over 4096 bytes")]);
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
