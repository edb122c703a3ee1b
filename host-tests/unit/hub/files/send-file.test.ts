/** Files sent over connections: to clients that do not read them or leave, and files that are gone or cut. */
import { once } from "node:events";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { sendFile } from "../../../../hub/files/send-file.js";
import { openParts } from "../../../../hub/files/write-parts.js";

/** More than the buffers of a connection hold. */
const FILE_BYTES = 64 * 1024 * 1024;

async function served(silenceMs = 1000) {
  const directory = mkdtempSync(path.join(tmpdir(), "hub-sent-"));
  const file = path.join(directory, "file");
  writeFileSync(file, "");
  truncateSync(file, FILE_BYTES);
  const server = fastify();
  const parts = [{ path: file, start: 0, end: FILE_BYTES }];
  const sent = { parts, sha256: "0", mediaType: "application/gzip" };
  server.get("/", (request, reply) => sendFile(request, reply, sent, silenceMs));
  onTestFinished(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  return { file, server: server.server, port: (server.server.address() as AddressInfo).port };
}

/** How often this process has the file open. */
function openings(file: string): number {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    } catch {
      return false; // it has been closed meanwhile
    }
  }).length;
}

test("a client that reads nothing is disconnected", async () => {
  const { server, port } = await served(100);
  const connected = once(server, "connection");
  const client = connect(port, "127.0.0.1").pause();
  onTestFinished(() => void client.destroy());
  client.write("GET / HTTP/1.1\r\nhost: hub\r\n\r\n");
  const [connection] = await connected;
  await once(connection, "close");
});

test("a client that reads gets the whole file, and the next one over the same connection", async () => {
  const { port } = await served();
  for (let round = 0; round < 2; round++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect((await answer.arrayBuffer()).byteLength).toBe(FILE_BYTES);
  }
});

test("the parts are sent in their order, the same file more than once", async () => {
  const { file } = await served();
  writeFileSync(file, Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => at % 251)));
  const whole = readFileSync(file);
  const parts = [
    { path: file, start: 3, end: 900_000 },
    { bytes: Buffer.from("between") },
    { path: file, start: 131_072, end: 262_144 },
  ];
  const written: Buffer[] = [];
  const out = new Writable({
    write(bytes: Uint8Array, _encoding, done) {
      setImmediate(() => {
        written.push(Buffer.from(bytes)); // whose memory may be used again afterwards
        done();
      });
    },
  });
  await (await openParts(parts)).writeTo(out);
  const expected = [whole.subarray(3, 900_000), Buffer.from("between"), whole.subarray(131_072, 262_144)];
  expect(Buffer.concat(written).equals(Buffer.concat(expected))).toBe(true);
});

test("a file that has gone is refused before the answer begins", async () => {
  const { file, port } = await served();
  rmSync(file);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(500);
});

test("a file that is shorter than its row says ends the connection", async () => {
  const { file, port } = await served();
  truncateSync(file, FILE_BYTES / 2);
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect(answer.headers.get("content-length")).toBe(String(FILE_BYTES));
  await expect(answer.arrayBuffer()).rejects.toThrow();
  await vi.waitUntil(() => openings(file) === 0);
});

test("a client that leaves has the file closed", async () => {
  const { file, port } = await served(60_000);
  const client = connect(port, "127.0.0.1").on("error", () => {}); // unread bytes reset it
  client.write("GET / HTTP/1.1\r\nhost: hub\r\n\r\n");
  await once(client, "readable"); // the answer has begun
  expect(openings(file)).toBe(1);
  client.destroy();
  await vi.waitUntil(() => openings(file) === 0);
});

test("of pipelined requests only the one whose turn it is has its file open", async () => {
  const { file, server, port } = await served(60_000);
  let requests = 0;
  server.on("request", () => requests++);
  const client = connect(port, "127.0.0.1").on("error", () => {});
  client.write("GET / HTTP/1.1\r\nhost: hub\r\n\r\n".repeat(20));
  await vi.waitUntil(() => requests === 20);
  await once(client, "readable");
  expect(openings(file)).toBe(1);
  client.resetAndDestroy();
  await vi.waitUntil(() => openings(file) === 0);
});
