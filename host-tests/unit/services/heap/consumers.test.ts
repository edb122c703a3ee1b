/** Each consumer of the heap asks before it begins, and what it is refused costs nobody anything. */
import { expect, test, vi } from "vitest";
import { Dispatcher } from "../../../../device/services/api/dispatcher.js";
import type { Endpoint, Services } from "../../../../device/services/api/endpoint.js";
import type { Request } from "../../../../device/services/api/request.js";
import { HEAP_NEEDS } from "../../../../device/services/heap/heap-needs.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { emulatedInstaller, publisher, trustingInstaller } from "../apps/emulated-installer.js";
import { EmulatedTcp } from "../http/emulated-tcp.js";
import { readResponse, SILENT_LOG, serve } from "../http/served.js";
import { serve as serveWebSocket } from "../websocket/served.js";
import { EmulatedHeap } from "./emulated-heap.js";

const REQUEST: Request = {
  ...{ transport: "http", isOwner: false, method: "GET", path: "/api/thing", bodyByteLength: 0 },
  parameters: new Map<string, string>(),
};

const handle = vi.fn(() => ({ status: 200, body: "got" }));
const receive = vi.fn(() => ({ write() {}, end: () => ({ status: 200, body: "taken" }), abort() {} }));
const rows: Endpoint[] = [
  { method: "GET", path: "/api/thing", summary: "", answer: "", handle },
  { method: "POST", path: "/api/thing", summary: "", answer: "", receive },
];
const services = { restart: { isRequested: false } } as unknown as Services;

test("A connection that there is no memory for is told 503 and when to come back, and the next one is served", () => {
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

test("Connections that cannot even be told are closed, and no more than four wait to be told", () => {
  const { connect } = serve({ heap: new EmulatedHeap(0).admission });
  const peers = Array.from({ length: 8 }, () => connect({ takesAll: false }));
  expect(peers.map(({ isClosed }) => isClosed)).toEqual([
    ...[false, false, false, false],
    ...[true, true, true, true],
  ]);
});

test("A viewer of the log that there is no memory for is told 503 and when to come back", () => {
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
  test(`A long head that there is no memory for is told 503 before it is read, and a short one is read (${port})`, () => {
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

test("A request that there is no memory for is busy, and is not begun", () => {
  const heap = new EmulatedHeap(HEAP_NEEDS.request - 1);
  const dispatcher = new Dispatcher(rows, services, SILENT_LOG, heap.admission);
  expect(() => dispatcher.open(REQUEST)).toThrow("short of memory");
  expect(handle).not.toHaveBeenCalled();
  heap.roomBytes += 1;
  expect(dispatcher.open(REQUEST).end()).toMatchObject({ status: 200 });
});

test("A scan of a drive waits for memory and leaves nothing out", async () => {
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
  const scan = drives.scan(files);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(apps.names).toEqual([]);
  heap.roomBytes = HEAP_NEEDS.install;
  expect(await scan).toMatchObject([{ file: "a.svcpkg", entry: { name: "a" } }]);
});

test("A chunk of an upload is taken however little memory there is: its upload was promised what it takes", () => {
  const dispatcher = new Dispatcher(rows, services, SILENT_LOG, new EmulatedHeap(0).admission);
  expect(dispatcher.open({ ...REQUEST, method: "POST" }).end()).toMatchObject({ status: 200 });
});

test("An install that there is no memory for is busy and leaves nothing; the one that began keeps its promise", async () => {
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
