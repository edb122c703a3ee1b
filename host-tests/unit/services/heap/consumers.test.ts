/** Each consumer of the heap asks before it begins, and a refusal has no effect on other clients. */

import { describe, expect, test, vi } from "vitest";
import { Dispatcher } from "../../../../device/services/api/dispatcher.js";
import type { Endpoint, Services } from "../../../../device/services/api/endpoint.js";
import type { Request } from "../../../../device/services/api/request.js";
import { routesOf } from "../../../../device/services/api/routes.js";
import type { ScanResult } from "../../../../device/services/apps/drive-install.js";
import { GuestConnections } from "../../../../device/services/apps/guest-connections.js";
import { HEAP_NEEDS } from "../../../../device/services/heap/heap-admission.js";
import { Link } from "../../../../device/services/mdns/mdns-engine.js";
import { Lookups } from "../../../../device/services/network/lookups.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { emulatedApps } from "../apps/emulated-apps.js";
import { emulatedInstaller, publisher, trustingInstaller } from "../apps/emulated-installer.js";
import { stage } from "../apps/staged-apps.js";
import { bundled, flashedStorage, Run, slotsOf } from "../firmware/emulated-update.js";
import { EmulatedTcp, type Peer } from "../http/emulated-tcp.js";
import { readResponse, SILENT_LOG, serve } from "../http/served.js";
import { HUB, HubRun, OWNER } from "../hub/emulated-hub.js";
import { query } from "../mdns/dns-messages.js";
import { newReader } from "../mdns/dns-program.js";
import { CollectedLog, EmulatedLink, STRANGER } from "../mdns/emulated-link.js";
import { serve as serveWebSocket } from "../websocket/served.js";
import { EmulatedHeap } from "./emulated-heap.js";

const REQUEST: Request = {
  transport: "http",
  isOwner: false,
  method: "GET",
  path: "/api/thing",
  bodyByteLength: 0,
  parameters: new Map<string, string>(),
};

const handle = vi.fn(() => ({ status: 200, body: "got" }));
const receive = vi.fn(() => ({ write() {}, end: () => ({ status: 200, body: "taken" }), abort() {} }));
const rows: Endpoint[] = [
  { method: "GET", path: "/api/thing", right: "read", summary: "", answer: "STATUS", handle },
  { method: "POST", path: "/api/thing", right: "manage", summary: "", answer: "STATUS", receive },
];
const services = { restart: { isRequested: false } } as unknown as Services;

test("A connection without memory gets 503 and the time to retry, and the next one is served", () => {
  const heap = new EmulatedHeap(0);
  const { connect } = serve({ heap: heap.admission });
  const refused = connect();
  const { status, fields, json } = readResponse(refused.take());
  expect([status, fields.get("retry-after"), json["error"], json["retry_after_s"]]).toEqual([
    ...[503, "1", "busy", 1],
  ]);
  expect(refused.isClosed).toBe(true);
  heap.roomBytes = HEAP_NEEDS.httpConnection;
  const served = connect();
  served.send("GET /api/status HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n");
  expect(readResponse(served.take()).status).not.toBe(503);
});

test("Connections that cannot get an answer are closed, and at most four wait for one", () => {
  const { connect } = serve({ heap: new EmulatedHeap(0).admission });
  const peers = Array.from({ length: 8 }, (_, host) =>
    connect({ address: `192.0.2.${host + 1}`, takesAll: false }),
  );
  expect(peers.map(({ isClosed }) => isClosed)).toEqual([
    ...[false, false, false, false],
    ...[true, true, true, true],
  ]);
});

describe("Beside the memory promised to an upload", () => {
  const A = { address: "192.0.2.1" };
  const B = { address: "192.0.2.2" };
  const C = { address: "192.0.2.3" };
  const start = () => {
    const heap = new EmulatedHeap(HEAP_NEEDS.install);
    const { connect } = serve({ heap: heap.admission });
    const first = connect(A);
    heap.admission.promise(HEAP_NEEDS.install);
    const statusOf = (peer: Peer) => {
      peer.send("GET /echo HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n");
      return readResponse(peer.take()).status;
    };
    return { heap, first, connect, statusOf };
  };

  test("one connection is accepted, from a host without one", () => {
    const { first, connect, statusOf } = start();
    expect(statusOf(connect(A))).toBe(503);
    expect(statusOf(connect(B))).toBe(200);
    expect(statusOf(connect(C))).toBe(503);
    expect(statusOf(first)).toBe(200);
  });

  test("another one is accepted once the first has closed", () => {
    const { connect, statusOf } = start();
    const guest = connect(B);
    guest.end();
    expect(guest.isClosed).toBe(true);
    expect(statusOf(connect(C))).toBe(200);
  });

  test("none is accepted that fits only in the reserve", () => {
    const { heap, connect, statusOf } = start();
    heap.usedBytes = HEAP_NEEDS.install - HEAP_NEEDS.httpConnection + 1;
    expect(statusOf(connect(B))).toBe(503);
    heap.usedBytes -= 1;
    expect(statusOf(connect(B))).toBe(200);
  });
});

describe("When memory is short", () => {
  const HELLO = "GET /echo HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n";
  /** Serves; each closed connection makes room for another one. */
  const start = () => {
    const heap = new EmulatedHeap(3 * HEAP_NEEDS.httpConnection);
    const served = serve({ heap: heap.admission });
    const idle = served.connect();
    idle.send(HELLO);
    expect(readResponse(idle.take()).status).toBe(200);
    heap.admission.onShort = () => {
      const hasGivenUp = served.server.closeIdle();
      if (hasGivenUp) heap.roomBytes += HEAP_NEEDS.httpConnection;
      return hasGivenUp;
    };
    served.clock.advance(2000);
    return { ...served, heap, idle };
  };

  test("an idle kept-alive connection is closed for a new one, and those in use stay", () => {
    const { api, heap, idle, connect } = start();
    const [asking, waiting, young] = [connect(), connect(), connect()];
    asking.send(HELLO.slice(0, 20));
    waiting.send(HELLO.replace("/echo", "/later"));
    heap.roomBytes = 0;
    const served = connect();
    served.send(HELLO);
    expect(readResponse(served.take()).status).toBe(200);
    expect([idle, asking, waiting, young].map(({ isClosed }) => isClosed)).toEqual([
      ...[true, false, false, false],
    ]);
    api.later[0]?.({ status: 200, body: "now" });
    asking.send(HELLO.slice(20));
    expect(readResponse(asking.take()).status).toBe(200);
  });

  test("a connection used in the last two seconds stays, as its next request may be on its way", () => {
    const { clock, heap, idle, connect } = start();
    idle.send(HELLO);
    clock.advance(1999);
    heap.roomBytes = 0;
    const statusOf = (peer: Peer) => {
      peer.send(HELLO);
      return readResponse(peer.take()).status;
    };
    expect([statusOf(connect()), idle.isClosed]).toEqual([503, false]);
    clock.advance(1);
    expect([statusOf(connect()), idle.isClosed]).toEqual([200, true]);
  });

  test("nothing is closed while there is room", () => {
    const { idle, connect } = start();
    connect();
    expect(idle.isClosed).toBe(false);
  });

  for (const { name, again } of [
    { name: "the same request again", again: HELLO },
    { name: "another request", again: HELLO.replace("/echo", "/hello") },
    { name: "a long head", again: HELLO.replace("Host", `X: ${"a".repeat(1100)}\r\nHost`) },
  ])
    test(`a kept connection with ${name} is not closed for it`, () => {
      const { api, clock, heap, idle, connect } = start();
      const other = connect();
      other.send(HELLO);
      clock.advance(2000);
      const open = api.open.bind(api);
      api.open = (request) => {
        heap.admission.require(HEAP_NEEDS.request);
        return open(request);
      };
      heap.roomBytes = 0;
      idle.send(again);
      expect(readResponse(idle.take()).status).toBe(503);
      expect([idle.isClosed, other.isClosed]).toEqual([name === "a long head", true]);
    });
});

test("A log client without memory gets 503 and the time to retry", () => {
  const tcp = new EmulatedTcp();
  serveWebSocket(tcp, { heap: new EmulatedHeap(0).admission });
  const { status, fields } = readResponse(tcp.connect().take());
  expect([status, fields.get("retry-after")]).toEqual([503, "1"]);
});

for (const { port, open } of [
  { port: "8080", open: (heap: EmulatedHeap) => serve({ heap: heap.admission }).connect() },
  {
    port: "8081",
    open: (heap: EmulatedHeap) => {
      const tcp = new EmulatedTcp();
      serveWebSocket(tcp, { heap: heap.admission });
      return tcp.connect();
    },
  },
])
  test(`A long head without memory gets 503 before it is read, and a short one is read (${port})`, () => {
    const head = (length: number) =>
      "GET / HTTP/1.1\r\nHost: 192.0.2.1\r\nX: ".padEnd(length - 4, "a").concat("\r\n\r\n");
    const statusOf = (length: number, roomBytes: number) => {
      const heap = new EmulatedHeap();
      const peer = open(heap);
      heap.roomBytes = roomBytes;
      peer.send(head(length));
      return readResponse(peer.take()).status;
    };
    expect(statusOf(1025, 1025 * HEAP_NEEDS.longHeadByte - 1)).toBe(503);
    expect(statusOf(1025, 1025 * HEAP_NEEDS.longHeadByte)).not.toBe(503);
    expect(statusOf(1024, 0)).not.toBe(503);
  });

test("A request without memory gets busy, and does not start", () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.request - 1);
  const dispatcher = new Dispatcher(routesOf(rows), services, SILENT_LOG, heap.admission);
  expect(() => dispatcher.open(REQUEST)).toThrow("short of memory");
  expect(handle).not.toHaveBeenCalled();
  heap.roomBytes += 1;
  expect(dispatcher.open(REQUEST).end()).toMatchObject({ status: 200 });
});

test("A request of the owner gets the memory of network connections; one over HTTP, and what the home screen reads by itself, do not", () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.request - 1);
  let freedBytes = 0;
  const endOthers = vi.fn(() => {
    heap.roomBytes += freedBytes;
  });
  const dispatcher = new Dispatcher(
    routesOf(rows),
    { ...services, uploads: { endOthers } } as unknown as Services,
    SILENT_LOG,
    heap.admission,
  );
  const open = (transport: "usb" | "http" | "home") => dispatcher.open({ ...REQUEST, transport });
  expect(() => open("http")).toThrow("short of memory");
  expect(() => open("home")).toThrow("short of memory");
  expect(endOthers).not.toHaveBeenCalled();
  expect(() => open("usb")).toThrow("short of memory");
  freedBytes = 1;
  expect(open("usb").end()).toMatchObject({ status: 200 });
  expect(endOthers).toHaveBeenCalledTimes(2);
  open("usb");
  expect(endOthers).toHaveBeenCalledTimes(2);
});

test("A multicast DNS message without memory is dropped, and the next one logs how many were", () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.datagram - 1);
  const network = new EmulatedLink();
  const log = new CollectedLog();
  const onMessage = vi.fn();
  new Link(network.Udp, newReader(), log, onMessage, heap.admission).open("10.0.0.1");
  const ask = () => {
    network.send(query("_svc._tcp.local PTR"), STRANGER);
    network.pass(10);
  };
  ask();
  ask();
  expect([onMessage.mock.calls.length, log.lines]).toEqual([0, []]);
  heap.roomBytes += 1;
  ask();
  ask();
  expect([onMessage.mock.calls.length, log.lines]).toEqual([
    2,
    ["2 messages were dropped: not enough memory"],
  ]);
});

test("An app's connection without memory is -16, and nothing is opened for it", async () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.appConnection - 1);
  let opened = 0;
  const connections = new GuestConnections({
    Socket: class {
      constructor({ onWritable }: { onWritable: (byteLength: number) => void }) {
        opened++;
        queueMicrotask(() => onWritable(1));
      }
      close() {}
    } as never,
    lookups: new Lookups({ resolve: (name, callback) => callback(undefined, name) }, 2),
    timer: { set: () => ({}), repeat: () => ({}), clear() {} } as never,
    heap: heap.admission,
    isOwnPort: () => false,
  });
  expect([await connections.connect("192.0.2.9", 80), opened]).toEqual([-16, 0]);
  heap.roomBytes += 1;
  expect([await connections.connect("192.0.2.9", 80), opened]).toEqual([1, 1]);
});

test("An app without memory does not start, and the answer is busy", async () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.runningApp - 1);
  const storage = new EmulatedStorage();
  const { apps, guest } = emulatedApps({ storage, heap: heap.admission });
  await apps.install(stage(storage));
  expect(() => apps.start("tetris")).toThrow(expect.objectContaining({ code: "busy", status: 503 }));
  expect(apps.entry("tetris").state).toBe("stopped");
  expect(guest).toThrow("No app has been started");
  heap.roomBytes += 1;
  expect(apps.start("tetris").state).toBe("running");
});

test("Firmware without memory gets busy and leaves nothing; a started upload keeps its promise", async () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.firmware - 1);
  const run = new Run(flashedStorage(), { heap: heap.admission });
  const before = slotsOf(run);
  expect(await run.upload(bundled())).toMatchObject({
    status: 503,
    body: { error: "busy", retry_after_s: 1 },
  });
  expect([slotsOf(run), run.ota.status().state]).toEqual([before, "idle"]);
  heap.roomBytes = 2 * HEAP_NEEDS.firmware;
  const room = () => [HEAP_NEEDS.firmware, 1].map((bytes) => heap.admission.hasRoomToStay(bytes));
  const start = { totalBytes: undefined, mostBytes: undefined };
  const reception = run.receiveFirmware(start);
  heap.roomBytes -= 1;
  expect(() => run.receiveFirmware(start)).toThrow("short of memory");
  heap.roomBytes += 1;
  expect(() => run.receiveFirmware(start)).toThrow(expect.objectContaining({ code: "upload_busy" }));
  heap.roomBytes -= HEAP_NEEDS.firmware;
  expect(room()).toEqual([false, false]);
  reception.abort();
  expect(room()).toEqual([true, true]);
  expect((await run.upload(new Uint8Array(1000))).status).toBe(422);
  expect(room()).toEqual([true, true]);
  expect((await run.upload(bundled())).status).toBe(200);
  expect(room()).toEqual([true, true]);
});

test("Room for the hub connection is reserved while it is down, and only then", () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.hubLink);
  const isKept = () => !heap.admission.hasRoom(1);
  const run = new HubRun(flashedStorage(), { heap: heap.admission });
  expect(isKept()).toBe(false);
  run.hub.set(HUB, OWNER);
  expect(isKept()).toBe(true);
  run.link.open();
  expect(heap.admission.hasRoom(HEAP_NEEDS.hubLink)).toBe(true);
  run.link.lose();
  run.link.lose();
  expect(isKept()).toBe(true);
  run.link.open();
  expect(heap.admission.hasRoom(HEAP_NEEDS.hubLink)).toBe(true);
  run.link.lose();
  run.hub.set("", OWNER);
  expect(heap.admission.hasRoom(HEAP_NEEDS.hubLink)).toBe(true);
});

test("A scan of a drive waits for memory and skips nothing", async () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.install - 1);
  const { drives, apps } = trustingInstaller({ heap: heap.admission });
  const { files } = new EmulatedStorage();
  files.createDirectory("apps");
  const bytes = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'), { name: "a" });
  for (const [path, content] of [
    ["apps/a.svcpkg", bytes],
    ["apps/a.svcpkg.sig", new TextEncoder().encode(publisher.sign(bytes))],
  ] as const) {
    const file = files.openFile({ path, mode: "w" });
    file.write(content, 0);
    file.close();
  }
  const results: ScanResult[] = [];
  const scan = drives.scan(files, (result) => results.push(result));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(apps.names).toEqual([]);
  heap.roomBytes = HEAP_NEEDS.install;
  await scan;
  expect(results).toMatchObject([{ file: "a.svcpkg", entry: { name: "a" } }]);
});

test("A chunk is accepted however little memory is free, as its upload was promised it", () => {
  const dispatcher = new Dispatcher(routesOf(rows), services, SILENT_LOG, new EmulatedHeap(0).admission);
  expect(dispatcher.open({ ...REQUEST, method: "POST" }).end()).toMatchObject({ status: 200 });
});

test("An install without memory gets busy and leaves nothing; a started one keeps its promise", async () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.install);
  const { installer, install } = emulatedInstaller({ heap: heap.admission, allowsUnsigned: true });
  const origin = { requiresName: false, isNewerOnly: false, allowsDowngrade: false };
  const job = installer.begin(origin);
  expect(heap.admission.hasRoomToStay(1)).toBe(false);
  job.abort();
  job.abort(); // as the hub's orders do after what has failed at its end
  expect(heap.admission.hasRoom(HEAP_NEEDS.install)).toBe(true);
  expect(heap.admission.hasRoom(HEAP_NEEDS.install + 1)).toBe(false);
  await expect(install(packageOf(new Uint8Array(8)), {})).rejects.toThrow();
  expect(heap.admission.hasRoom(HEAP_NEEDS.install)).toBe(true);
  heap.roomBytes -= 1;
  expect(() => installer.begin(origin)).toThrow("short of memory");
});
