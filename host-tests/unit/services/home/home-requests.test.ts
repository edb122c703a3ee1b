/** Requests of the home screen (docs/spec/home.md#requests). */
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Answer, Api, Request } from "../../../../device/services/api/request.js";
import { HomeChanges } from "../../../../device/services/home/home-changes.js";
import { HomeRequests } from "../../../../device/services/home/home-requests.js";
import { Fault } from "../../../../protocol/fault.js";
import { EmulatedGuest } from "../../../hosts/emulated-guest.js";

const INVALID = -22;
const NOT_SUPPORTED = -38;

let asked: Request[];
let answer: () => Answer | Promise<Answer>;
let changes: HomeChanges;
let guest: EmulatedGuest;
let requests: HomeRequests;

const api: Pick<Api, "open" | "answerTo"> = {
  open(request) {
    asked.push(request);
    if (request.path === "/nothing") throw new Fault("not_found", "There is nothing");
    return { write: () => {}, end: () => answer(), abort: () => {} };
  },
  answerTo: (error) =>
    error instanceof Fault
      ? { status: error.status, body: { ...error.toBody() } }
      : { status: 500, body: { error: "internal_error" } },
};

beforeEach(() => {
  asked = [];
  answer = () => ({ status: 200, body: { answer: 42 } });
  changes = new HomeChanges();
  guest = new EmulatedGuest({
    name: "home",
    moduleByteLength: 0,
    capabilities: 0,
    memoryQuotaBytes: 0,
    stackBytes: 0,
    nestedBlocks: 0,
    onLog: () => {},
    onExit: () => {},
    onRequest: () => requests.answerCall(),
  });
  requests = new HomeRequests({ guest, api: api as Api, changes });
});

const send = async (text: string | Uint8Array) =>
  (await guest.call("console_request", [0, text.length], [text])).result;

const read = (room: number) => guest.call("console_read", [0, room], [], room);

async function readAll(room: number): Promise<string> {
  const bytes: number[] = [];
  for (;;) {
    const { result, bytes: piece } = await read(room);
    if (result === 0) return Buffer.from(bytes).toString();
    bytes.push(...piece.subarray(0, result));
  }
}

test("A request has the rights of the owner, who holds the console", async () => {
  expect(await send("POST /api/wifi?ssid=at%20home&password=a%2Bb")).toBe(200);
  expect(asked).toMatchObject([
    { transport: "home", isOwner: true, method: "POST", path: "/api/wifi", bodyByteLength: 0 },
  ]);
  expect([...(asked[0]?.parameters ?? [])]).toEqual([
    ["ssid", "at home"],
    ["password", "a+b"],
  ]);
});

test.each([1, 7, 64])("The answer is read in pieces of %i bytes, and then has ended", async (room) => {
  await send("GET /api/status");
  expect(await readAll(room)).toBe('{"answer":42}');
  expect((await read(room)).result).toBe(0);
});

test("An answer that comes later, one of bytes, and a stream are read the same way", async () => {
  answer = async () => ({ status: 201, body: { later: true } });
  expect(await send("GET /later")).toBe(201);
  expect(await readAll(5)).toBe('{"later":true}');

  answer = () => ({ status: 200, mediaType: "image/bmp", field: "bmp", bytes: Buffer.from("BM…") });
  expect(await send("GET /bytes")).toBe(200);
  expect(await readAll(2)).toBe("BM…");

  const pieces = [Buffer.from("[1,"), Buffer.from("2]")];
  const close = vi.fn();
  const stream = { next: () => pieces.shift(), close };
  answer = () => ({ status: 200, mediaType: "application/json", stream });
  expect(await send("GET /stream")).toBe(200);
  expect(await readAll(64)).toBe("[1,2]");
  await send("GET /other");
  expect(close).toHaveBeenCalled();
});

test("An answer's announced action happens once the home screen has its status", async () => {
  const onSent = vi.fn();
  answer = () => ({ status: 200, body: {}, onSent });
  expect(await send("POST /api/reboot")).toBe(200);
  expect(onSent).toHaveBeenCalledTimes(1);
});

describe("A failure is an answer:", () => {
  test("what the API refuses", async () => {
    expect(await send("GET /nothing")).toBe(404);
    expect(JSON.parse(await readAll(64))).toMatchObject({ error: "not_found", message: "There is nothing" });
  });

  test("what fails later", async () => {
    answer = () => Promise.reject(new Fault("busy", "Not now"));
    expect(await send("GET /api/wifi/scan")).toBe(503);
    expect(JSON.parse(await readAll(64))).toMatchObject({ error: "busy" });
  });

  test("a stream that breaks off", async () => {
    const stream = {
      next: () => {
        throw new Error("the file is damaged");
      },
      close: vi.fn(),
    };
    answer = () => ({ status: 200, mediaType: "application/json", stream });
    await send("GET /stream");
    expect((await read(64)).result).toBeLessThan(0);
    expect((await read(64)).result).toBe(0);
    expect(stream.close).toHaveBeenCalled();
  });
});

const NONE: readonly (readonly [string, string | Uint8Array])[] = [
  ["nothing", ""],
  ["a method alone", "GET"],
  ["no path", "GET api/status"],
  ["three words", "GET /api/status HTTP/1.1"],
  ["bytes that are not UTF-8", Uint8Array.of(0x47, 0x45, 0x54, 0x20, 0x2f, 0xff)],
  ["a bad escape", "GET /%zz"],
  ["a parameter twice", "GET /api/cmd?c=1&c=2"],
  ["more than 1024 bytes", `GET /${"a".repeat(1024)}`],
];
test.each(NONE)("%s is no request", async (_name, text) => {
  expect(await send(text)).toBe(INVALID);
  expect(asked).toEqual([]);
  expect((await read(64)).result).toBe(0);
});

test("What has changed is told once, without a request", async () => {
  changes.add(4);
  changes.add(3);
  expect((await guest.call("console_changes", [])).result).toBe(7);
  expect((await guest.call("console_changes", [])).result).toBe(0);
  expect((await guest.call("storage_size", [0, 1], ["a"])).result).toBe(NOT_SUPPORTED);
});

test("Once it is closed it answers nothing, and lets go of what was being read", async () => {
  const close = vi.fn();
  let arrive: ((answer: Answer) => void) | undefined;
  answer = () => new Promise((resolve) => (arrive = resolve));
  void send("GET /slow");
  await vi.waitFor(() => expect(arrive).toBeDefined());
  requests.close();
  const stream = { next: () => undefined, close };
  arrive?.({ status: 200, mediaType: "application/json", stream });
  await vi.waitFor(() => expect(close).toHaveBeenCalled());
});
