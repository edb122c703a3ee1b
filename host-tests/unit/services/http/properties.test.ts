/** What holds for any input and any split of it. fast-check prints the seed of a failure. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkedBody } from "../../../../protocol/http/body-reader.js";
import { HEAD_LIMIT_BYTES } from "../../../../protocol/http/fields.js";
import { octets } from "./head.js";
import { readMessages } from "./messages.js";
import { serve } from "./served.js";

const HOST = "Host: 127.0.0.1:8080\r\n";

const VALID = {
  "a GET": `GET /echo?a=b HTTP/1.1\r\n${HOST}\r\n`,
  "a GET after empty lines": `\r\n\r\nGET /echo HTTP/1.1\r\n${HOST}\r\n`,
  "a GET with unknown fields": `GET /echo HTTP/1.1\r\nA: b\r\n${HOST}C:\td \xff\r\nE:\r\n\r\n`,
  "a HEAD": `HEAD /hello HTTP/1.1\r\n${HOST}\r\n`,
  "an OPTIONS": `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  "HTTP/1.0": `GET /echo HTTP/1.0\r\n${HOST}\r\n`,
  "HTTP/1.0 that stays": `GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n${HOST}\r\n`,
  "an absolute target": `GET http://a.local/echo HTTP/1.1\r\n${HOST}\r\n`,
  "a body of known length": `POST /echo HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nabcde`,
  "a chunked body": `POST /echo HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;x="y;\\""\r\nabc\r\n00a\r\n0123456789\r\n0;z\r\nT: u\r\nV:\r\n\r\n`,
  "an empty chunked body": `POST /echo HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "a body with Expect: 100-continue": `POST /echo HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 5\r\n\r\nabcde`,
  "an unexpected body": `GET /hello HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nabcde`,
  "a request for an unknown path": `POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nabcde`,
  "a request to close": `GET /echo HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
};

/** Everything that can be seen of a connection that got `wire` in these pieces. */
function play(wire: Uint8Array, cuts: readonly number[]) {
  const { api, connect } = serve();
  const peer = connect();
  const ends = [...cuts.map((cut) => Math.min(cut, wire.length)), wire.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    peer.send(wire.subarray(start, end));
    start = end;
  }
  return { text: peer.take(), events: api.events, isClosed: peer.isClosed };
}

describe("A request gives the same exchange however it is split", () => {
  for (const [name, text] of Object.entries(VALID))
    test(name, () => {
      const wire = octets(text);
      const whole = play(wire, []);
      expect(whole.text).toMatch(/^HTTP\/1\.1 [12345]/);
      for (let cut = 1; cut < wire.length; cut++) expect(play(wire, [cut])).toEqual(whole);
      expect(play(wire, Array.from(wire.keys()))).toEqual(whole);
    });

  test("several of them, in any order, in any pieces", () => {
    const requests = fc.array(fc.constantFrom(...Object.values(VALID)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(requests, fc.array(fc.nat(1000), { maxLength: 8 }), (texts, cuts) => {
        const wire = octets(texts.join(""));
        expect(play(wire, cuts)).toEqual(play(wire, []));
      }),
      { numRuns: 300 },
    );
  });
});

describe("No input", () => {
  const PIECES = [
    "GET ",
    "POST ",
    "/",
    "/echo",
    " HTTP/1.1",
    " HTTP/1.0",
    "\r\n",
    "\n",
    "\r",
    ":",
    " ",
    "\0",
    "0",
    "5",
    "a",
    ";",
    "Host: a\r\n",
    "Content-Length: ",
    "Transfer-Encoding: chunked",
    "\r\n\r\n",
    "Expect: 100-continue\r\n",
    "%",
    "?a=b&",
    "\xff",
    "Connection: close\r\n",
    "http://",
    "*",
  ];
  const wild = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => octets(pieces.join(""))),
    fc.uint8Array({ maxLength: 200 }),
    fc.tuple(fc.constantFrom(...Object.values(VALID)), fc.nat(200), fc.nat(255)).map(([text, at, byte]) => {
      const wire = octets(text);
      wire[at % wire.length] = byte;
      return wire;
    }),
  );

  test("makes the parsers throw anything but a Fault", () => {
    fc.assert(
      fc.property(wild, (wire) => {
        readMessages(wire);
      }),
      { numRuns: 3000 },
    );
  });

  test("gets anything but whole responses from the server, whatever its pieces", () => {
    fc.assert(
      fc.property(wild, fc.array(fc.nat(300), { maxLength: 4 }), (wire, cuts) => {
        const { text } = play(wire, cuts);
        expect(text === "" || /^HTTP\/1\.1 [1-5][0-9]{2} /.test(text)).toBe(true);
        expect(text).not.toContain("internal_error");
      }),
      { numRuns: 1000 },
    );
  });

  test("makes a connection store more than a head", () => {
    fc.assert(
      fc.property(fc.constantFrom("a", "a: b\r\n", " ", "\r\n", "\xff"), (piece) => {
        const { connect } = serve();
        const peer = connect();
        let sent = 0;
        for (; !peer.isClosed && sent < 2 * HEAD_LIMIT_BYTES; sent += piece.length) peer.send(piece);
        expect(sent).toBeLessThanOrEqual(HEAD_LIMIT_BYTES + piece.length);
      }),
      { numRuns: 20 },
    );
  });
});

describe("ChunkedBody", () => {
  test("decodes what was encoded, in any chunks and any pieces", () => {
    const body = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 8 });
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 20 }), (chunks, step) => {
        const wire = octets(
          `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${String.fromCharCode(...chunk)}\r\n`).join("")}0\r\n\r\nnext`,
        );
        const reader = new ChunkedBody();
        const content: number[] = [];
        let taken = 0;
        for (let at = 0; at < wire.length; at += step)
          taken += reader.push(wire.subarray(at, at + step), {
            write: (bytes) => void content.push(...bytes),
          });
        expect(reader.isComplete).toBe(true);
        expect(taken).toBe(wire.length - 4);
        expect(content).toEqual(chunks.flatMap((chunk) => [...chunk]));
      }),
    );
  });
});
