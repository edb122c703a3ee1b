/** The sandboxed parser of request heads gives what the parser in TypeScript gave (docs/adr/0030-the-sandbox.md). */
import http from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { compareHeads } from "./head-mutation.js";
import { HEADS, inTypeScript, sandboxed } from "./head-verdicts.js";
import { mutated, random, SEED } from "./mutations.js";

const COUNT = 2000;
const NODE_COUNT = 300;

const octets = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test("the samples are heads", () => {
  for (const text of HEADS) expect(sandboxed(octets(text)), text).toEqual(inTypeScript(octets(text)));
});

test(`${COUNT} changed heads give the same heads and faults, seed ${SEED}`, () => {
  const { valid, invalid } = compareHeads(COUNT);
  expect(valid).toBeGreaterThan(COUNT / 10);
  expect(invalid).toBeGreaterThan(COUNT / 10);
});

const CASES = [
  ...[
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
  ],
  ...[
    "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    " / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / http/1.1\r\nHost: a\r\n\r\n",
  ],
  ...[
    "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n",
    "CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
  ],
  ...["GET http://@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n"],
  ...[
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\x01\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n\r\n",
  ],
  `GET / HTTP/1.1\r\nHost: ${"a".repeat(1281)}\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${"a".repeat(257)}\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${"a,".repeat(33)}\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${"Connection: a\r\n".repeat(31)}Connection: close\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${"Connection: a\r\n".repeat(32)}Connection: close\r\n\r\n`,
  ...["1", "007", "0", "00", "", "-1", "1a", "9007199254740991", "9007199254740992", "00000000000000001"].map(
    (length) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`,
  ),
  ...[
    "chunked",
    "CHUNKED",
    "gzip, chunked",
    "chunked, gzip",
    "chunked,chunked",
    "",
    ",",
    "gzip",
    "gzip,,chunked",
  ].map((coding) => `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n\r\n`),
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
  "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
  `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${"a,".repeat(33)}\r\n\r\n`,
  ...[
    "10.0.0.1",
    "1.2.3",
    "1.2.3.4.",
    "1.2.3.4.5",
    "255.255.255.255",
    "256.0.0.1",
    "01.0.0.1",
    "0.0.0.0",
  ].map((host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
  ...[
    "a.local",
    ".local",
    "a.local.",
    "A.LOCAL:",
    "localhost.",
    "localhost:123456",
    "[::1]",
    "[]",
    "[::1",
    "a b",
    "",
  ].map((host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
];
for (const text of CASES)
  test(`${JSON.stringify(text.slice(0, 90))} gives what it gave`, () => {
    const found = sandboxed(octets(text));
    expect(found).toBeDefined();
    expect(found).toEqual(inTypeScript(octets(text)));
  });

/**
 * Node's parser, which is laxer in some ways and stricter in others: where both accept a request, they must agree on
 * what it is.
 */
test(`Node agrees about the method, the target and the framing of ${NODE_COUNT} changed heads`, async () => {
  const seen: { method: string; target: string; length: string | undefined; isChunked: boolean }[] = [];
  const server = http.createServer({ requireHostHeader: false }, (request, response) => {
    const { method = "", url: target = "", headers } = request;
    const isChunked = headers["transfer-encoding"] !== undefined;
    seen.push({ method, target, length: headers["content-length"], isChunked });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const below = random(SEED);
  const requests = HEADS.filter(
    (text) => !/^(?:CONNECT|DELETE)|upgrade/i.test(text) && !text.includes("Expect"),
  );
  let both = 0;
  for (let round = 0; round < NODE_COUNT; round++) {
    const bytes = mutated(requests, ["\r\n", ":", " ", "0", "1", ",", "a", "X: y\r\n"], below);
    const found = sandboxed(bytes.subarray(0, 4096));
    seen.length = 0;
    await ask(server, bytes);
    const theirs = seen[0];
    if (!found?.head || !theirs || !found.framing) continue;
    both++;
    const { method, target } = found.head as { method: string; target: string };
    expect({ method, target }, `seed ${SEED}, round ${round}`).toEqual({
      method: theirs.method,
      target: theirs.target.replace(/^http:\/\/[^/?]*/i, "").replace(/^(?![/*])/, "/"),
    });
    expect(found.framing.kind === "chunked").toBe(theirs.isChunked);
    if (found.framing.kind === "length") expect(found.framing.byteLength).toBe(Number(theirs.length));
  }
  server.closeAllConnections();
  server.close();
  expect(both).toBeGreaterThan(NODE_COUNT / 10);
});

/** Sends the bytes, and waits until the server has answered. */
function ask(server: http.Server, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => socket.end(bytes));
    const done = () => {
      socket.destroy();
      resolve();
    };
    socket.on("data", done).on("error", done).on("close", done);
  });
}
