/** The HTTP request that an app writes as text (docs/spec/app-abi-and-quotas.md#http-request). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isFieldName, readRequest } from "../../../../device/services/apps/request-text.js";

const decoder = new TextDecoder("utf-8", { fatal: true });
const read = (text: string | Uint8Array) =>
  readRequest(typeof text === "string" ? new TextEncoder().encode(text) : text, decoder);

test.each([
  ["GET http://example.com", "GET", "http://example.com", "/", "", undefined],
  ["GET http://example.com:8080/a?b=c\n", "GET", "http://example.com:8080", "/a?b=c", "", undefined],
  ["HEAD https://[2001:db8::1]/\n\n", "HEAD", "https://[2001:db8::1]", "/", "", undefined],
  ["POST http://h/\nA: b\nc:  d e \n\nx\n\ny", "POST", "http://h", "/", "a: b\r\nc: d e\r\n", "x\n\ny"],
  [
    "PUT http://h/\naccept: a\naccept: b\nempty:\n\n\n",
    "PUT",
    "http://h",
    "/",
    "accept: a\r\naccept: b\r\nempty: \r\n",
    "\n",
  ],
])("%j is a request", (text, method, origin, target, fieldLines, body) => {
  const request = read(text);
  expect(request).toMatchObject({ method, target, fields: {}, fieldLines, to: { origin, target } });
  expect(request?.body && new TextDecoder().decode(request.body)).toBe(body);
});

test.each([
  "",
  "\n",
  "\n\nbody",
  "GET",
  "GET ",
  "get http://h/",
  "GET  http://h/",
  "GET http://h/ HTTP/1.1",
  "CONNECT http://h/",
  "GET ftp://h/",
  "GET /path",
  "GET http://h/a b",
  "GET http://h/#fragment",
  "GET http://user@h/",
  "GET http://h/\r\nhost: x",
  "GET http://h/\nno colon",
  "GET http://h/\n: no name",
  "GET http://h/\n folded: x",
  "GET http://h/\nname : x",
  "GET http://h/\na: x\rb: y",
  "GET http://h/\na: \u00e9",
  "GET http://h/\nHost: elsewhere",
  "GET http://h/\nContent-Length: 3\n\nabc",
  "GET http://h/\ntransfer-encoding: chunked",
  "GET http://h/\nupgrade: websocket",
  `GET http://h/\n${"a: b\n".repeat(17)}`,
  `GET http://h/${"a".repeat(2100)}`,
  `GET http://h/\n${"n".repeat(65)}: x`,
])("%j is none", (text) => {
  expect(read(text)).toBeUndefined();
});

test("sixteen fields are taken, and text that is not UTF-8 is not", () => {
  expect(read(`GET http://h/\n${"a: b\n".repeat(16)}`)).toBeDefined();
  expect(read(Uint8Array.of(...new TextEncoder().encode("GET http://h/\na: "), 0xff))).toBeUndefined();
});

test("the body is a copy, of any bytes", () => {
  const text = Uint8Array.of(...new TextEncoder().encode("POST http://h/\n\n"), 0xff, 0, 10);
  const body = read(text)?.body;
  text.fill(0);
  expect(body).toEqual(Uint8Array.of(0xff, 0, 10));
});

test("whatever the bytes, what is sent has no line of its own and no control character", () => {
  const piece = fc.constantFrom(
    "GET http://h/",
    "\n",
    "\r",
    ": ",
    "a",
    "host",
    "\0",
    "\u00e9",
    "content-length:3",
    " ",
    "\t",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const lines = read(pieces.join(""))?.fieldLines;
      if (lines === undefined) return;
      for (const line of lines.split("\r\n").slice(0, -1)) {
        expect(line).toMatch(/^[a-z0-9-]+: [ -~]*$/);
        expect(line).not.toMatch(/^(host|content-length):/);
      }
    }),
    { numRuns: 2000 },
  );
});

test("a name of a field is a token", () => {
  expect(["location", "X-A"].map(isFieldName)).toEqual([true, true]);
  expect(["", "a b", "a:", "\u00e9", "a\r\nb"].map(isFieldName)).toEqual(Array(5).fill(false));
});
