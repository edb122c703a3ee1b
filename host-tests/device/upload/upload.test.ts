/** Uploads by real clients (docs/spec/uploads.md#chunks). */
import { createHash } from "node:crypto";
import { connect } from "node:net";
import path from "node:path";
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

const installed = (file: Buffer) => ({
  status: 200,
  body: { sha256: createHash("sha256").update(file).digest("hex"), size_bytes: file.length },
});

function post(
  query: string,
  body: NonNullable<RequestInit["body"]>,
  endpoint = INSTALL,
): Promise<HttpAnswer> {
  return askHttp(`${console.http}${endpoint}${query}`, {
    method: "POST",
    body,
    duplex: "half",
  } as RequestInit);
}

async function postChunk(
  chunk: number,
  total: number,
  body: Buffer,
  endpoint = INSTALL,
): Promise<HttpAnswer> {
  return post(`?chunk=${chunk}&total=${total}`, new Uint8Array(body), endpoint);
}

async function sendChunk(chunk: number, total: number, bytes: Buffer): Promise<HttpAnswer> {
  const members = { chunk, total, data: bytes.toString("base64") };
  const { status, body } = await usb.request("POST", INSTALL, undefined, members);
  return { status, body };
}

/** Sends a file piece by piece; the answers before the last are looked at on the way. */
async function inChunks(
  file: Buffer,
  chunkBytes: number,
  send: (chunk: number, total: number, bytes: Buffer) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
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
  expect(await post("", new Blob([new Uint8Array(FILE)]).stream())).toEqual(installed(FILE));
});

test("A file of 1 MiB is installed, one byte more is 413, and the heap use does not grow", async () => {
  const file = sample(MIB + 1);
  const before = await status();
  expect(await post("", new Uint8Array(file.subarray(0, MIB)))).toEqual(installed(file.subarray(0, MIB)));
  expect(await post("", new Uint8Array(file))).toMatchObject({
    status: 413,
    body: { error: "file_too_large" },
  });
  const stream = new Blob([new Uint8Array(file)]).stream();
  expect(await post("", stream)).toMatchObject({ status: 413, body: { error: "file_too_large" } });
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

test("An interrupted upload leaves nothing, and the next one succeeds", async () => {
  const { hostname, port } = new URL(console.http);
  const seen = console.stderr.length;
  const socket = connect(Number(port), hostname);
  socket.write(`POST ${INSTALL} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 50000\r\n\r\n`);
  socket.write(FILE.subarray(0, 20_000));
  await expect.poll(async () => (await status()).storage).toBeLessThan(storageBytes);
  expect(await post("", new Uint8Array(FILE), FLASH)).toMatchObject({
    status: 409,
    body: { error: "upload_busy" },
  });
  socket.destroy();
  await console.waitForLine(/dropped an upload over http/, seen);
  await expectNothingLeft();
  expect(await post("", new Uint8Array(FILE))).toEqual(installed(FILE));
});

test("An upload over USB makes others 409 upload_busy until the cable is unplugged, and then leaves nothing", async () => {
  expect(await sendChunk(1, 3, FILE.subarray(0, 2048))).toMatchObject({ status: 206 });
  const refusal = { status: 409, body: { error: "upload_busy" } };
  expect(await post("", new Uint8Array(FILE))).toMatchObject(refusal);
  expect(await postChunk(1, 2, FILE.subarray(0, 10))).toMatchObject(refusal);
  expect(await postChunk(2, 3, FILE.subarray(0, 10), FLASH)).toMatchObject(refusal);
  const seen = console.stderr.length;
  await usb.close();
  await console.waitForLine(/dropped an upload over usb: its client is gone/, seen);
  await expectNothingLeft();
  usb = await UsbClient.open(console.usb);
  expect(await sendChunk(2, 3, FILE.subarray(2048, 4096))).toMatchObject({
    status: 409,
    body: { error: "chunk_out_of_order", expected: 1 },
  });
});

test("A repeated chunk, the last one included, gets the same answer again", async () => {
  const [one, two] = [FILE.subarray(0, 3072), FILE.subarray(3072, 5000)];
  const first = await postChunk(1, 3, one);
  expect(first.status).toBe(206);
  const second = await postChunk(2, 3, two);
  expect(await postChunk(2, 3, two)).toEqual(second);
  const last = await postChunk(3, 3, one);
  expect(last).toEqual(installed(Buffer.concat([one, two, one])));
  expect(await postChunk(3, 3, one)).toEqual(last);
});

const REFUSALS: { name: string; ask: () => Promise<HttpAnswer>; status: number; error: string }[] = [
  {
    name: "a request without a body over HTTP",
    ask: () => askHttp(`${console.http}${INSTALL}`, { method: "POST" }),
    status: 411,
    error: "length_required",
  },
  {
    name: "a request without data over USB",
    ask: () => usb.request("POST", INSTALL),
    status: 400,
    error: "bad_request",
  },
  {
    name: "a chunk without a number over HTTP",
    ask: () => post("?total=2", "x"),
    status: 400,
    error: "missing_parameter",
  },
  {
    name: "a chunk of 3073 bytes over USB",
    ask: () => sendChunk(1, 1, sample(3073)),
    status: 413,
    error: "chunk_too_large",
  },
  {
    name: "a chunk of 3073 bytes over HTTP",
    ask: () => postChunk(1, 1, sample(3073)),
    status: 413,
    error: "chunk_too_large",
  },
  {
    name: "invalid base64",
    ask: () => usb.request("POST", INSTALL, undefined, { chunk: 1, total: 1, data: "AAA" }),
    status: 400,
    error: "bad_encoding",
  },
  { name: "chunk 0", ask: () => sendChunk(0, 1, sample(1)), status: 400, error: "bad_parameter" },
  {
    name: "a total over the limit",
    ask: () => sendChunk(1, MIB + 1, sample(1)),
    status: 413,
    error: "file_too_large",
  },
];
for (const { name, ask, status, error } of REFUSALS)
  test(`${name} is ${status} ${error}`, async () => {
    expect(await ask()).toMatchObject({ status, body: { error } });
  });
