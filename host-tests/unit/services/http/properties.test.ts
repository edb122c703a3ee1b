/** What holds for any input and any split of it. fast-check prints the seed of a failure. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkedBody } from "../../../../protocol/http/body-reader.js";
import { HEAD_LIMIT_BYTES } from "../../../../protocol/http/fields.js";
import { playPieces, VALID } from "./converse.js";
import { octets } from "./head.js";
import { readMessages } from "./messages.js";
import { serve } from "./served.js";

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
        const { text } = playPieces(wire, cuts);
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
