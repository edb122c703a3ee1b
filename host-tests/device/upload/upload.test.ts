/**
 * Uploads by real clients (docs/spec/uploads.md#chunks). What takes a clock, or a target that fails, is in
 * `unit/services/upload`.
 */
import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askHttp, getJson, type HttpAnswer } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";

const INSTALL = "/api/apps/install";
const FLASH = "/api/ota/upload";
const MIB = 1024 * 1024;

let console: Console;
let usb: UsbClient;
let storageBytes = 0;
beforeAll(async () => {
  console = await startConsole({ image: path.join(import.meta.dirname, "upload-program.ts") });
  usb = await UsbClient.open(console.usb);
  storageBytes = (await status()).storage;
});
afterAll(async () => {
  await usb.close();
  await console.stop();
});

const status = () => getJson(`${console.http}/api/status`);

/** Bytes without a pattern, the same in each run. */
function sample(byteLength: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(byteLength / 32) }, (_, index) =>
    createHash("sha256").update(`${index}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, byteLength);
}

const installed = (file: Buffer | string, signature: string | null = null) => ({
  status: 200,
  body: { sha256: createHash("sha256").update(file).digest("hex"), size_bytes: file.length, signature },
});

const refused = (status: number, error: string) => ({ status, body: { error } });
const BUSY = refused(409, "upload_busy");

function post(
  query: string,
  body: NonNullable<RequestInit["body"]>,
  endpoint = INSTALL,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> {
  return askHttp(`${console.http}${endpoint}${query}`, {
    method: "POST",
    body,
    headers,
    duplex: "half",
  } as RequestInit);
}

/** A body without a length. */
const streamOf = (bytes: Buffer) => new Blob([new Uint8Array(bytes)]).stream();

/** A request whose body is still on its way. */
async function begin(query: string, bodyBytes: number, sent: string | Buffer): Promise<Socket> {
  const { hostname, port } = new URL(console.http);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${INSTALL}${query} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${bodyBytes}\r\n\r\n`,
  );
  socket.write(sent);
  await status(); // its turn comes after that of these bytes
  return socket;
}

/** A chunked body without a byte: `fetch` would send its length, 0. */
async function postNothing(query: string): Promise<HttpAnswer> {
  const { hostname, port } = new URL(console.http);
  const socket = connect(Number(port), hostname);
  const fields = `Host: ${hostname}\r\nTransfer-Encoding: chunked\r\nConnection: close`;
  socket.write(`POST ${INSTALL}${query} HTTP/1.1\r\n${fields}\r\n\r\n0\r\n\r\n`);
  let received = "";
  for await (const bytes of socket) received += bytes;
  const [head = "", body = ""] = received.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: JSON.parse(body) };
}

type SendChunk = (
  chunk: number,
  total: number,
  bytes: Buffer | string,
  endpoint?: string,
) => Promise<HttpAnswer>;

const postChunk: SendChunk = (chunk, total, bytes, endpoint) =>
  post(`?chunk=${chunk}&total=${total}`, new Uint8Array(Buffer.from(bytes)), endpoint);

const sendChunk: SendChunk = async (chunk, total, bytes, endpoint = INSTALL) => {
  const members = { chunk, total, data: Buffer.from(bytes).toString("base64") };
  const { status, body } = await usb.request("POST", endpoint, undefined, members);
  return { status, body };
};

async function replug(): Promise<void> {
  await usb.close();
  usb = await UsbClient.open(console.usb);
}

/** Sends a file piece by piece; the answers before the last are looked at on the way. */
async function inChunks(file: Buffer, chunkBytes: number, send: SendChunk): Promise<HttpAnswer> {
  const total = Math.ceil(file.length / chunkBytes);
  for (let chunk = 1; ; chunk++) {
    const end = Math.min(chunk * chunkBytes, file.length);
    const answer = await send(chunk, total, file.subarray((chunk - 1) * chunkBytes, end));
    if (chunk === total) return answer;
    expect(answer).toEqual({ status: 206, body: { received_bytes: end, next: chunk + 1 } });
  }
}

async function expectNothingLeft(): Promise<void> {
  await expect.poll(async () => (await status()).storage).toBe(storageBytes);
}

const FILE = sample(100_001);

/** Chunk 1 of firmware, of four bytes, from another machine. */
async function dribble(): Promise<string> {
  const { hostname, port } = new URL(console.http);
  const socket = connect({ port: Number(port), host: hostname, localAddress: "127.0.0.2" });
  const fields = `Host: ${hostname}\r\nContent-Length: 4\r\nConnection: close`;
  socket.write(`POST ${FLASH}?chunk=1&total=2 HTTP/1.1\r\n${fields}\r\n\r\nslow`);
  let received = "";
  for await (const bytes of socket) received += bytes;
  return received.slice(0, 12);
}

test("An install takes the place of an upload of four bytes in two seconds, however often its machine begins that", async () => {
  expect(await dribble()).toBe("HTTP/1.1 206");
  await setTimeout(2100); // shorter is not slow
  for (let round = 0; round < 5; round++) {
    expect(await dribble()).toBe("HTTP/1.1 206");
    expect(await post("", new Uint8Array(FILE))).toEqual(installed(FILE));
  }
  await expectNothingLeft();
});

for (const chunkBytes of [687, 2048, 3072])
  test(`A file uploaded over USB in chunks of ${chunkBytes} bytes is installed`, async () => {
    expect(await inChunks(FILE, chunkBytes, sendChunk)).toEqual(installed(FILE));
    await expectNothingLeft();
  });

test("A file uploaded over USB in chunks of one byte is installed", async () => {
  const file = sample(300);
  expect(await inChunks(file, 1, sendChunk)).toEqual(installed(file));
});

for (const chunkBytes of [1000, 3072])
  test(`A file uploaded over HTTP in chunks of ${chunkBytes} bytes is installed`, async () => {
    expect(await inChunks(FILE, chunkBytes, postChunk)).toEqual(installed(FILE));
  });

test("A file uploaded over HTTP in one request, with or without a length, is installed", async () => {
  expect(await post("", new Uint8Array(FILE))).toEqual(installed(FILE));
  expect(await post("", streamOf(FILE))).toEqual(installed(FILE));
});

test("A chunk over HTTP may have no length", async () => {
  expect(await post("?chunk=1&total=2", streamOf(FILE.subarray(0, 2000)))).toMatchObject({ status: 206 });
  expect(await post("?chunk=2&total=2", streamOf(FILE.subarray(2000, 3000)))).toEqual(
    installed(FILE.subarray(0, 3000)),
  );
});

test("The signature comes with any chunk, of which the last one counts, and a new start drops it", async () => {
  for (const [chunk, query] of [
    [1, "&signature=11"],
    [2, "&signature=22"],
  ] as const)
    expect((await post(`?chunk=${chunk}&total=3${query}`, "a")).status).toBe(206);
  expect(await postChunk(3, 3, "a")).toEqual(installed("aaa", "22"));
  await post("?chunk=1&total=2&signature=11", "a");
  await postChunk(1, 2, "a");
  expect(await postChunk(2, 2, "b")).toEqual(installed("ab"));
});

test("The signature of a whole file is in the header, or else in the parameter", async () => {
  expect(await post("?signature=11", "a")).toEqual(installed("a", "11"));
  const field = { "x-svc-signature": "22" };
  expect(await post("?signature=11", "a", INSTALL, field)).toEqual(installed("a", "22"));
});

test("A file of 1 MiB is installed, one byte more is 413, and the heap use does not grow", async () => {
  const file = sample(MIB + 1);
  const before = await status();
  expect(await post("", new Uint8Array(file.subarray(0, MIB)))).toEqual(installed(file.subarray(0, MIB)));
  expect(await post("", new Uint8Array(file))).toMatchObject({
    status: 413,
    body: { error: "file_too_large" },
  });
  expect(await post("", streamOf(file))).toMatchObject({ status: 413, body: { error: "file_too_large" } });
  expect(before.minimumFree - (await status()).minimumFree).toBeLessThan(4096);
  await expectNothingLeft();
});

test("A too long body with Expect: 100-continue is 413 before it is sent", async () => {
  const { hostname, port } = new URL(console.http);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${INSTALL} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${MIB + 1}\r\nExpect: 100-continue\r\n\r\n`,
  );
  let received = "";
  for await (const bytes of socket) received += bytes;
  expect(received).toMatch(/^HTTP\/1.1 413 /);
});

test("A whole file makes others 409 upload_busy, leaves nothing if it is interrupted, and the next one succeeds", async () => {
  const seen = console.stderr.length;
  const socket = await begin("", 50_000, FILE.subarray(0, 20_000));
  await expect.poll(async () => (await status()).storage).toBeLessThan(storageBytes);
  for (const endpoint of [INSTALL, FLASH]) {
    expect(await post("", "whole", endpoint)).toMatchObject(BUSY);
    expect(await postChunk(1, 1, "x", endpoint)).toMatchObject(BUSY);
  }
  expect(await postChunk(2, 2, "x")).toMatchObject(BUSY);
  socket.destroy();
  await console.waitForLine(/dropped an upload over http/, seen);
  await expectNothingLeft();
  expect(await post("", new Uint8Array(FILE))).toEqual(installed(FILE));
});

const OPEN: { over: string; send: SendChunk; others: { name: string; ask: () => Promise<HttpAnswer> }[] }[] =
  [
    {
      over: "USB",
      send: sendChunk,
      others: [
        { name: "chunks over HTTP", ask: () => postChunk(1, 2, "b") },
        { name: "its next chunk over HTTP", ask: () => postChunk(2, 2, "b") },
        { name: "chunks over USB to another endpoint", ask: () => sendChunk(1, 2, "b", FLASH) },
      ],
    },
    { over: "HTTP", send: postChunk, others: [] },
  ];
const OTHERS = [
  { name: "chunks over HTTP to another endpoint", ask: () => postChunk(1, 2, "f", FLASH) },
  { name: "a whole file", ask: () => post("", "whole") },
];
for (const { over, send, others } of OPEN)
  for (const { name, ask } of [...OTHERS, ...others])
    test(`During an upload in chunks over ${over}, one with ${name} is 409 upload_busy and does not disturb it`, async () => {
      await send(1, 2, "a");
      expect(await ask()).toMatchObject(BUSY);
      expect(await send(2, 2, "b")).toEqual(installed("ab"));
    });

test("An upload over USB ends when the cable is unplugged, and leaves nothing", async () => {
  expect(await sendChunk(1, 3, FILE.subarray(0, 2048))).toMatchObject({ status: 206 });
  const seen = console.stderr.length;
  await replug();
  await console.waitForLine(/dropped an upload over usb: its client is gone/, seen);
  await expectNothingLeft();
  expect(await sendChunk(2, 3, FILE.subarray(2048, 4096))).toMatchObject({
    status: 409,
    body: { error: "chunk_out_of_order", expected: 1 },
  });
});

test("Unplugging the cable leaves an upload over HTTP, and the last answer for a host that returns for it", async () => {
  await postChunk(1, 2, "a");
  await replug();
  expect(await postChunk(2, 2, "b")).toEqual(installed("ab"));
  await sendChunk(1, 2, "c");
  expect(await sendChunk(2, 2, "d")).toEqual(installed("cd"));
  await replug();
  expect(await sendChunk(2, 2, "d")).toEqual(installed("cd"));
});

for (const endpoint of [INSTALL, FLASH])
  test(`An upload over USB ends one in chunks over HTTP to ${endpoint}, whose next chunk is 409`, async () => {
    const seen = console.stderr.length;
    await postChunk(1, 2, "net", endpoint);
    expect(await sendChunk(1, 2, "ca")).toMatchObject({ status: 206 });
    await console.waitForLine(/dropped an upload over http: one over the cable begins/, seen);
    expect(await postChunk(2, 2, "work", endpoint)).toMatchObject(BUSY);
    expect(await sendChunk(2, 2, "ble")).toEqual(installed("cable"));
  });

test("An upload over USB ends a whole file over HTTP, which is answered 409 at its next bytes", async () => {
  const socket = await begin("", 7, "net");
  expect(await sendChunk(1, 2, "ca")).toMatchObject({ status: 206 });
  socket.end("work");
  let received = "";
  for await (const bytes of socket) received += bytes;
  expect(received).toMatch(/^HTTP\/1.1 409 [\s\S]*"upload_busy"/);
  expect(await sendChunk(2, 2, "ble")).toEqual(installed("cable"));
});

test("A chunk over USB that cannot start an upload ends none over HTTP", async () => {
  await postChunk(1, 2, "net");
  expect(await sendChunk(2, 2, "ble")).toMatchObject({
    status: 409,
    body: { error: "chunk_out_of_order", expected: 1 },
  });
  expect(await postChunk(2, 2, "work")).toEqual(installed("network"));
});

test("A repeated chunk, the last one included, gets the same answer again", async () => {
  const [one, two] = [FILE.subarray(0, 3072), FILE.subarray(3072, 5000)];
  const first = await postChunk(1, 3, one);
  expect(first.status).toBe(206);
  const second = await postChunk(2, 3, two);
  expect(await postChunk(2, 3, two)).toEqual(second);
  expect(await postChunk(2, 3, two)).toEqual(second);
  const last = await postChunk(3, 3, one);
  expect(last).toEqual(installed(Buffer.concat([one, two, one])));
  expect(await postChunk(3, 3, one)).toEqual(last);
  expect(await sendChunk(3, 3, one)).toMatchObject({ body: { error: "chunk_out_of_order", expected: 1 } });
});

const BEFORE = ["a", "b"];
const OUT_OF_ORDER: { name: string; before: string[]; part: [number, number, string]; expected: number }[] = [
  { name: "without an open upload", before: [], part: [2, 3, "b"], expected: 1 },
  { name: "that skips one", before: BEFORE, part: [4, 4, "d"], expected: 3 },
  { name: "with another total", before: BEFORE, part: [3, 5, "c"], expected: 3 },
  { name: "that repeats the last one with other bytes", before: BEFORE, part: [2, 4, "B"], expected: 3 },
  { name: "that repeats the last one with one byte more", before: BEFORE, part: [2, 4, "b\0"], expected: 3 },
  { name: "that repeats the last one with another total", before: BEFORE, part: [2, 3, "b"], expected: 3 },
  { name: "before the last one", before: ["a", "b", "c"], part: [2, 4, "b"], expected: 4 },
  { name: "after the complete file", before: ["a", "b", "c", "d"], part: [4, 4, "D"], expected: 1 },
];
for (const { name, before, part, expected } of OUT_OF_ORDER)
  test(`A chunk ${name} is 409 chunk_out_of_order, which names ${expected}, and changes nothing`, async () => {
    for (const send of [sendChunk, postChunk]) {
      for (const [index, bytes] of before.entries()) await send(index + 1, 4, bytes);
      expect(await send(...part)).toMatchObject({
        status: 409,
        body: { error: "chunk_out_of_order", expected },
      });
      if (expected === 1) continue;
      const rest = ["C", "D"].slice(expected - 3);
      if (rest.length === 2) await send(3, 4, "C");
      expect(await send(4, 4, "D")).toEqual(installed([...before, ...rest].join("")));
    }
  });

test("Chunk 1 starts an upload again, with equal bytes too, and nothing of the earlier one is left", async () => {
  await sendChunk(1, 3, "old");
  await sendChunk(2, 3, "old");
  const first = await sendChunk(1, 2, "n");
  expect(await sendChunk(1, 2, "n")).toEqual(first);
  expect(await sendChunk(2, 2, "ew")).toEqual(installed("new"));
  const largest = sample(3072);
  for (let count = 0; count < 2; count++) expect(await sendChunk(1, 1, largest)).toEqual(installed(largest));
  await expectNothingLeft();
});

for (const chunk of [1, 2])
  test(`Chunk ${chunk} that its connection cuts off leaves the upload as it was before`, async () => {
    await postChunk(1, 2, "ab");
    const socket = await begin(`?chunk=${chunk}&total=2`, 4, "xy");
    socket.destroy();
    expect(await postChunk(2, 2, "cdef")).toEqual(installed("abcdef"));
  });

const REFUSALS: {
  name: string;
  ask: () => Promise<HttpAnswer>;
  over: SendChunk;
  status: number;
  error: string;
}[] = [
  {
    name: "a request without a body over HTTP",
    ask: () => askHttp(`${console.http}${INSTALL}`, { method: "POST" }),
    over: postChunk,
    status: 411,
    error: "length_required",
  },
  {
    name: "a chunk without a body over HTTP",
    ask: () => askHttp(`${console.http}${INSTALL}?chunk=1&total=1`, { method: "POST" }),
    over: postChunk,
    status: 411,
    error: "length_required",
  },
  {
    name: "an empty chunk without a length over HTTP",
    ask: () => postNothing("?chunk=1&total=1"),
    over: postChunk,
    status: 400,
    error: "upload_incomplete",
  },
  {
    name: "a request without data over USB",
    ask: () => usb.request("POST", INSTALL),
    over: sendChunk,
    status: 400,
    error: "bad_request",
  },
  {
    name: "an empty chunk over USB",
    ask: () => sendChunk(1, 1, ""),
    over: sendChunk,
    status: 400,
    error: "bad_request",
  },
  {
    name: "a chunk without a number over HTTP",
    ask: () => post("?total=2", "x"),
    over: postChunk,
    status: 400,
    error: "missing_parameter",
  },
  {
    name: "a chunk without a total over HTTP",
    ask: () => post("?chunk=1", "x"),
    over: postChunk,
    status: 400,
    error: "missing_parameter",
  },
  ...["chunk=1a&total=2", "chunk=-1&total=2", "chunk=1&total=0", "chunk=3&total=2"].map((query) => ({
    name: `"${query}" over HTTP`,
    ask: () => post(`?${query}`, "x"),
    over: postChunk,
    status: 400,
    error: "bad_parameter",
  })),
  {
    name: "a chunk of 3073 bytes over USB",
    ask: () => sendChunk(1, 1, sample(3073)),
    over: sendChunk,
    status: 413,
    error: "chunk_too_large",
  },
  {
    name: "a chunk of 3073 bytes over HTTP",
    ask: () => postChunk(1, 1, sample(3073)),
    over: postChunk,
    status: 413,
    error: "chunk_too_large",
  },
  {
    name: "a chunk of 3073 bytes without a length over HTTP",
    ask: () => post("?chunk=1&total=1", streamOf(sample(3073))),
    over: postChunk,
    status: 413,
    error: "chunk_too_large",
  },
  {
    name: "invalid base64",
    ask: () => usb.request("POST", INSTALL, undefined, { chunk: 1, total: 1, data: "AAA" }),
    over: sendChunk,
    status: 400,
    error: "bad_encoding",
  },
  {
    name: "chunk 0",
    ask: () => sendChunk(0, 1, sample(1)),
    over: sendChunk,
    status: 400,
    error: "bad_parameter",
  },
];
for (const { name, ask, over, status, error } of REFUSALS)
  test(`${name} is ${status} ${error}, with an upload open and without, and changes nothing`, async () => {
    expect(await ask()).toMatchObject(refused(status, error));
    await over(1, 2, "a");
    expect(await ask()).toMatchObject(refused(status, error));
    expect(await over(2, 2, "b")).toEqual(installed("ab"));
  });

test("An empty file without a length is 400 upload_incomplete, and a total over the limit 413 file_too_large", async () => {
  expect(await postNothing("")).toMatchObject(refused(400, "upload_incomplete"));
  expect(await sendChunk(1, MIB + 1, sample(1))).toMatchObject(refused(413, "file_too_large"));
  await expectNothingLeft();
});
