/** The web console at the root of a hub. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { takesGzip, webFile } from "../../../../hub/page/web-page.js";
import { served } from "../api/served.js";

const PLAIN = Buffer.from("<!doctype html><p>äöü 😀");
const COMPRESSED = gzipSync(PLAIN);
const tagOf = (bytes: Uint8Array) => `"${createHash("sha256").update(bytes).digest("hex")}"`;
const GZIP = { "accept-encoding": "gzip, deflate, br" };

const PAGE = {
  path: "/",
  mediaType: "text/html; charset=utf-8",
  plain: PLAIN,
  compressed: COMPRESSED,
};
const SCRIPT = {
  path: "/console.js",
  mediaType: "text/javascript; charset=utf-8",
  plain: Buffer.from("1"),
  compressed: gzipSync("1"),
};

const serving = async () => (await served([], {}, [PAGE, SCRIPT].map(webFile))).server;

describe("GET /", () => {
  for (const { headers, bytes, encoding } of [
    { headers: {}, bytes: PLAIN, encoding: undefined },
    { headers: GZIP, bytes: COMPRESSED, encoding: "gzip" },
  ])
    test(`sends the page ${encoding ? "in gzip to clients that accept it" : "uncompressed to clients that accept no encoding"}`, async () => {
      const answer = await (await serving()).inject({ url: "/", headers });
      expect(answer.statusCode).toBe(200);
      expect(answer.rawPayload).toEqual(bytes);
      expect(answer.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "content-length": String(bytes.length),
        "content-security-policy": "frame-ancestors 'none'",
        "cache-control": "no-cache",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding",
        etag: tagOf(bytes),
      });
      expect(answer.headers["content-encoding"]).toBe(encoding);
    });

  test("sends HEAD the same length without a body", async () => {
    const answer = await (await serving()).inject({ method: "HEAD", url: "/", headers: GZIP });
    expect([answer.statusCode, answer.rawPayload.length]).toEqual([200, 0]);
    expect(answer.headers).toMatchObject({
      "content-length": String(COMPRESSED.length),
      etag: tagOf(COMPRESSED),
    });
  });

  test("sends 304 for a matching tag, and the page for the tag of another encoding", async () => {
    const server = await serving();
    const ask = async (tag: string) =>
      (await server.inject({ url: "/", headers: { ...GZIP, "if-none-match": tag } })).statusCode;
    expect(await ask(tagOf(COMPRESSED))).toBe(304);
    expect(await ask(tagOf(PLAIN))).toBe(200);
  });

  test("ignores a query", async () => {
    expect((await (await serving()).inject("/?device=x")).statusCode).toBe(200);
  });

  test("rejects other methods, naming those allowed", async () => {
    const answer = await (await serving()).inject({ method: "POST", url: "/" });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("serves the page's scripts as scripts", async () => {
    const answer = await (await serving()).inject("/console.js");
    expect([answer.statusCode, answer.body]).toEqual([200, "1"]);
    expect(answer.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  });

  test("sends not_found if there is no page", async () => {
    const { server } = await served([]);
    expect((await server.inject("/")).json().error).toBe("not_found");
  });
});

for (const [text, expected] of Object.entries({
  "": false,
  gzip: true,
  GZIP: true,
  "x-gzip": true,
  "*": true,
  "gzip;q=0.5": true,
  "br, gzip ; q=1": true,
  "gzip;q=0": false,
  "gzip; q=0.000": false,
  "*;q=0": false,
  "*, gzip;q=0": false,
  "gzip;q=maybe": false,
  "br, deflate": false,
  gzippy: false,
  identity: false,
}))
  test(`"Accept-Encoding: ${text}" ${expected ? "accepts" : "does not accept"} gzip`, () =>
    expect(takesGzip({ "accept-encoding": text })).toBe(expected));
