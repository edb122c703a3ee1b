/** The web console as a console serves it, to clients of every kind (docs/spec/web-console.md#served). */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Console, startConsole } from "../../hosts/simulator.js";

/** Of the buffers of a connection on Linux, which grow. */
const MORE_THAN_SOCKETS_HOLD_BYTES = 16 * 1024 * 1024;

const built = path.join(import.meta.dirname, "../../../build/console");
let simulated: Console;
let compressed: Buffer;

beforeAll(async () => {
  simulated = await startConsole({});
  compressed = readFileSync(path.join(built, "index.html.gz"));
});
afterAll(() => simulated.stop());

/**
 * Sends `text` and gives what comes until the console ends the connection.
 * @param whenToRead nothing is taken before it has settled
 */
function exchange(text: string, whenToRead: Promise<unknown> = Promise.resolve()): Promise<Buffer> {
  const { hostname, port } = new URL(simulated.http);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const parts: Buffer[] = [];
    socket.on("error", reject).on("end", () => resolve(Buffer.concat(parts)));
    socket.write(text);
    whenToRead.then(() => socket.on("data", (part) => parts.push(part)), reject);
  });
}

function split(bytes: Buffer) {
  const end = bytes.indexOf("\r\n\r\n") + 4;
  return { head: bytes.toString("latin1", 0, end), rest: bytes.subarray(end) };
}

const HOST = "Host: 127.0.0.1\r\n";
const CLOSE = "Connection: close\r\n";

describe("GET /", () => {
  test("returns the built page, compressed, with its headers", async () => {
    const { head, rest } = split(await exchange(`GET / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`));
    expect(head.split("\r\n").sort()).toEqual(
      [
        ...["HTTP/1.1 200 OK", "", "", "connection: close", "cache-control: no-store"],
        ...["content-type: text/html; charset=utf-8", "x-content-type-options: nosniff"],
        ...["content-encoding: gzip", "content-security-policy: frame-ancestors 'none'"],
        `content-length: ${compressed.length}`,
      ].sort(),
    );
    expect(rest).toEqual(compressed);
    expect(String(gunzipSync(rest))).toBe(readFileSync(path.join(built, "index.html"), "utf8"));
  });

  for (const name of ["console.js", "panels.js"])
    test(`serves ${name}, compressed`, async () => {
      const { head, rest } = split(await exchange(`GET /${name} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`));
      expect(head).toContain("content-type: text/javascript; charset=utf-8\r\n");
      expect(head).toContain("cross-origin-resource-policy: same-origin\r\n");
      expect(String(gunzipSync(rest))).toBe(readFileSync(path.join(built, name), "utf8"));
    });

  test("returns the page for the name that mDNS announces", async () => {
    const received = await exchange(`GET / HTTP/1.1\r\nHost: Console-1A2B.local:8080\r\n${CLOSE}\r\n`);
    expect(split(received).rest).toEqual(compressed);
  });

  test("has the length but no body for HEAD", async () => {
    const { head, rest } = split(await exchange(`HEAD / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`));
    expect(head).toContain(`\r\ncontent-length: ${compressed.length}\r\n`);
    expect(rest).toHaveLength(0);
  });

  test("returns the same page to HTTP/1.0", async () => {
    expect(split(await exchange(`GET / HTTP/1.0\r\n${HOST}\r\n`)).rest).toEqual(compressed);
  });

  test("returns the whole page between other answers of a connection", async () => {
    const status = `GET /api/status HTTP/1.1\r\n${HOST}`;
    const page = `GET / HTTP/1.1\r\n${HOST}\r\n`;
    const received = await exchange(`${status}\r\n${page}${page}${status}${CLOSE}\r\n`);
    const first = received.indexOf(compressed);
    const second = received.indexOf(compressed, first + compressed.length);
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
    expect(String(received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
    expect(String(received.subarray(second + compressed.length))).toMatch(/"bt_mode":"off"\}$/);
  });

  test("returns the whole page to six clients at once", async () => {
    const request = `GET / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`;
    const all = await Promise.all(Array.from({ length: 6 }, () => exchange(request)));
    for (const received of all) expect(split(received).rest).toEqual(compressed);
  });

  test("waits for a client that does not read, while another is served", async () => {
    const count = Math.ceil(MORE_THAN_SOCKETS_HOLD_BYTES / compressed.length);
    const request = `GET / HTTP/1.1\r\n${HOST}`;
    const others = exchange(`${request}${CLOSE}\r\n`);
    const received = await exchange(
      [...Array(count - 1).fill(request), `${request}${CLOSE}`, ""].join("\r\n"),
      others,
    );
    expect(split(await others).rest).toEqual(compressed);
    const last = received.subarray(-compressed.length);
    expect([
      last.equals(compressed),
      received.toString("latin1").split("HTTP/1.1 200 OK").length - 1,
    ]).toEqual([true, count]);
  });

  for (const [name, lines] of Object.entries({
    "a foreign host name": "Host: evil.example\r\n",
    "a foreign page": `${HOST}Origin: https://evil.example\r\n`,
  }))
    test(`is 403 for ${name}`, async () => {
      expect(String(await exchange(`GET / HTTP/1.1\r\n${lines}${CLOSE}\r\n`))).toMatch(/^HTTP\/1\.1 403 /);
    });
});
