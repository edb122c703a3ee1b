/**
 * Answers that are asked for as the client reads: framing, back-pressure, and what ends them early
 * (docs/spec/http.md#streamed).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pieces, SampleStream } from "../api/sample-stream.js";
import { serve } from "./served.js";

const GET = "GET /streamed HTTP/1.1\r\nhost: localhost\r\n\r\n";
const NEXT = "GET /echo?next HTTP/1.1\r\nhost: localhost\r\n\r\n";

function serveStream(stream: SampleStream) {
  const served = serve();
  served.api.stream = stream;
  return served;
}

interface Received {
  readonly head: string;
  readonly body: Buffer;
  /** What follows the body. */
  readonly rest: string;
}

function splitHead(bytes: Uint8Array): { head: string; rest: Buffer } {
  const all = Buffer.from(bytes);
  const end = all.indexOf("\r\n\r\n") + 4;
  return { head: all.toString("latin1", 0, end), rest: all.subarray(end) };
}

/** Reads a chunked response (RFC 9112 §7.1) that has to be whole. */
function readChunked(bytes: Uint8Array): Received {
  const { head, rest } = splitHead(bytes);
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf("\r\n", at);
    const size = rest.toString("latin1", at, lineEnd);
    if (!/^[0-9a-f]+$/.test(size)) throw new Error(`"${size}" is not a size of a chunk`);
    const start = lineEnd + 2;
    const end = start + Number.parseInt(size, 16);
    if (rest.toString("latin1", end, end + 2) !== "\r\n") throw new Error("A chunk does not end");
    if (end === start) return { head, body: Buffer.concat(parts), rest: rest.toString("latin1", end + 2) };
    parts.push(rest.subarray(start, end));
    at = end + 2;
  }
}

describe("A streamed answer", () => {
  test("arrives in chunks, then the next request is answered", () => {
    const stream = new SampleStream(pieces([1, 2000, 16, 255]));
    const { api, connect } = serveStream(stream);
    const peer = connect();
    peer.send(GET + NEXT);
    const { head, body, rest } = readChunked(peer.takeBytes());
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-type: image\/png\r\ntransfer-encoding: chunked\r\n/);
    expect(head).not.toContain("content-length");
    expect(body).toEqual(stream.bytes);
    expect(rest).toContain("HTTP/1.1 200 OK");
    expect(stream.closed).toBe(1);
    expect(api.events).toEqual(["open GET /streamed", "end", "sent", "open GET /echo", "end", "sent"]);
  });

  test("without bytes, or with empty pieces among others, is complete", () => {
    for (const lengths of [[], [0], [0, 0, 5, 0, 3, 0]]) {
      const stream = new SampleStream(pieces(lengths));
      const peer = serveStream(stream).connect();
      peer.send(GET);
      expect(readChunked(peer.takeBytes())).toMatchObject({ body: stream.bytes, rest: "" });
      expect(peer.isClosed).toBe(false);
    }
  });

  for (const fields of ["", "connection: keep-alive\r\n"])
    test(`ends with the connection in HTTP/1.0 ${fields && "even if it should be kept"}`, () => {
      const stream = new SampleStream(pieces([700, 1, 700]));
      const peer = serveStream(stream).connect();
      peer.send(`GET /streamed HTTP/1.0\r\nhost: localhost\r\n${fields}\r\n`);
      const { head, rest } = splitHead(peer.takeBytes());
      expect(head).toMatch(/\r\nconnection: close\r\n/);
      expect(head).not.toMatch(/transfer-encoding|keep-alive/);
      expect(rest).toEqual(stream.bytes);
      expect([peer.isClosed, stream.closed]).toEqual([true, 1]);
    });

  test("has no body for HEAD, and is not read for one", () => {
    const stream = new SampleStream(pieces([700]));
    const peer = serveStream(stream).connect();
    peer.send(GET.replace("GET", "HEAD"));
    const { head, rest } = splitHead(peer.takeBytes());
    expect(head).toContain("transfer-encoding: chunked");
    expect([rest.length, stream.asked, stream.closed, peer.isClosed]).toEqual([0, 0, 1, false]);
  });

  test("is read at most one piece ahead of its client", () => {
    const stream = new SampleStream(pieces(Array.from({ length: 50 }, () => 100)));
    const peer = serveStream(stream).connect({ takesAll: false });
    peer.send(GET);
    expect(stream.asked).toBe(0);
    const received: Uint8Array[] = [];
    let byteLength = 0;
    for (let count = 0; count < 2000 && stream.closed === 0; count++) {
      peer.drain(7);
      received.push(peer.takeBytes());
      byteLength += received.at(-1)?.length ?? 0;
      expect(stream.asked * 100).toBeLessThanOrEqual(byteLength + 100);
    }
    for (let count = 0; count < 20; count++) peer.drain(7);
    received.push(peer.takeBytes());
    expect(readChunked(Buffer.concat(received)).body).toEqual(stream.bytes);
  });

  test("is the same however it is split and read", () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 8 });
    const drains = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lengths, drains, (lengths, drains) => {
        const stream = new SampleStream(pieces(lengths));
        const peer = serveStream(stream).connect({ takesAll: false });
        peer.send(GET);
        for (let count = 0; count < 200 && stream.closed === 0; count++)
          peer.drain(drains[count % drains.length] as number);
        peer.drain(100_000);
        expect(readChunked(peer.takeBytes())).toMatchObject({ body: stream.bytes, rest: "" });
        expect(stream.closed).toBe(1);
      }),
      { numRuns: 50 },
    );
  });
});

describe("A streamed answer of known length", () => {
  const lengths = [1, 2000, 16, 255];
  const total = 2272;
  const MEASURED = GET.replace("streamed", "measured");

  function serveMeasured(stream = new SampleStream(pieces(lengths))) {
    const served = serveStream(stream);
    served.api.streamByteLength = total;
    return { ...served, stream };
  }

  test("announces it, arrives unchanged with its own fields, then the next request is answered", () => {
    const { connect, stream } = serveMeasured();
    const peer = connect();
    peer.send(MEASURED + NEXT);
    const { head, rest } = splitHead(peer.takeBytes());
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-type: text\/html\r\ncontent-length: 2272\r\n/);
    expect(head).toContain("\r\ncontent-encoding: gzip\r\n");
    expect(head).not.toContain("transfer-encoding");
    expect(rest.subarray(0, total)).toEqual(stream.bytes);
    expect(rest.toString("latin1", total)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect([stream.closed, peer.isClosed]).toEqual([1, false]);
  });

  test("leaves the connection of HTTP/1.0 open on request", () => {
    const { connect, stream } = serveMeasured();
    const peer = connect();
    peer.send("GET /measured HTTP/1.0\r\nhost: localhost\r\nconnection: keep-alive\r\n\r\n");
    const { head, rest } = splitHead(peer.takeBytes());
    expect(head).toContain("\r\ncontent-length: 2272\r\n");
    expect(head).toContain("\r\nconnection: keep-alive\r\n");
    expect(rest).toEqual(stream.bytes);
    peer.send(NEXT);
    expect(peer.take()).toContain("HTTP/1.1 200 OK");
  });

  test("announces it to HEAD, too, and is not read", () => {
    const { connect, stream } = serveMeasured();
    const peer = connect();
    peer.send(MEASURED.replace("GET", "HEAD") + NEXT);
    const { head, rest } = splitHead(peer.takeBytes());
    expect(head).toContain("\r\ncontent-length: 2272\r\n");
    expect(head).toContain("\r\ncontent-encoding: gzip\r\n");
    expect(String(rest)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect([stream.asked, stream.closed]).toEqual([0, 1]);
  });

  test("is read at most one piece ahead of its client", () => {
    const { connect, stream } = serveMeasured();
    const peer = connect({ takesAll: false });
    peer.send(MEASURED);
    const received: Uint8Array[] = [];
    for (let count = 0; count < 2000 && stream.closed === 0; count++) {
      peer.drain(7);
      received.push(peer.takeBytes());
      const byteLength = received.reduce((sum, { length }) => sum + length, 0);
      const sent = pieces(lengths.slice(0, stream.asked - 1)).reduce((sum, { length }) => sum + length, 0);
      if (stream.asked > 0) expect(sent).toBeLessThanOrEqual(byteLength);
    }
    peer.drain(100_000);
    received.push(peer.takeBytes());
    expect(splitHead(Buffer.concat(received)).rest).toEqual(stream.bytes);
  });

  test("ends the connection when it fails, so that its client sees that it is incomplete", () => {
    const failing = new SampleStream(pieces(lengths), (index) => {
      if (index === 2) throw new Error("The flash is gone");
    });
    const { api, connect } = serveMeasured(failing);
    const peer = connect();
    peer.send(MEASURED + NEXT);
    const { rest } = splitHead(peer.takeBytes());
    expect([rest.length, failing.closed, peer.isClosed]).toEqual([2001, 1, true]);
    expect(api.events).toContain("unexpected Error: The flash is gone");
  });
});

describe("A streamed answer is released, once,", () => {
  const LONG = () => new SampleStream(pieces(Array.from({ length: 100 }, () => 1000)));

  test("when its client reads nothing for 30 s", () => {
    const stream = LONG();
    const { api, clock, connect } = serveStream(stream);
    const peer = connect({ takesAll: false });
    peer.send(GET);
    peer.drain(5000);
    clock.advance(29_000);
    expect([stream.closed, peer.isClosed]).toEqual([0, false]);
    peer.drain(5000);
    clock.advance(29_000);
    expect([stream.closed, peer.isClosed]).toEqual([0, false]);
    clock.advance(2000);
    expect([stream.closed, peer.isClosed]).toEqual([1, true]);
    expect(api.events.at(-1)).toBe("sent");
    expect(clock.timerCount).toBe(0);
  });

  test("when the connection is lost", () => {
    const stream = LONG();
    const { clock, connect } = serveStream(stream);
    const peer = connect({ takesAll: false });
    peer.send(GET);
    peer.drain(5000);
    peer.isBroken = true;
    peer.drain(5000);
    expect([stream.closed, peer.isClosed, clock.timerCount]).toEqual([1, true, 0]);
  });

  test("when the server closes", () => {
    const stream = LONG();
    const { clock, connect, server } = serveStream(stream);
    const peer = connect({ takesAll: false });
    peer.send(GET);
    peer.drain(5000);
    server.close();
    expect([stream.closed, peer.isClosed, clock.timerCount]).toEqual([1, true, 0]);
  });

  test("when it fails, without a last chunk", () => {
    const stream = new SampleStream(pieces([500, 500]), (index) => {
      if (index === 1) throw new Error("The flash is gone");
    });
    const { api, connect } = serveStream(stream);
    const peer = connect();
    peer.send(GET + NEXT);
    const received = Buffer.from(peer.takeBytes()).toString("latin1");
    expect(received).not.toContain("\r\n0\r\n");
    expect(received).not.toContain("next");
    expect([stream.closed, peer.isClosed]).toEqual([1, true]);
    expect(api.events).toContain("unexpected Error: The flash is gone");
  });

  test("when it starts after its client has disconnected", async () => {
    const stream = LONG();
    const { api, clock, connect } = serveStream(stream);
    const peer = connect();
    peer.send(GET.replace("streamed", "later"));
    peer.isBroken = true;
    clock.advance(1000);
    const [resolve] = api.later;
    resolve?.({ status: 200, mediaType: "image/png", stream, field: "png" });
    await new Promise((settle) => setImmediate(settle));
    expect([stream.closed, peer.isClosed]).toEqual([1, true]);
  });
});

describe("A slow streamed answer", () => {
  test("lets others be served in between, and leaves no timer", () => {
    const lengths = Array.from({ length: 20 }, () => 10);
    // The clock moves as on a slow board: each piece takes 3 ms.
    const stream = new SampleStream(pieces(lengths), () => clock.advance(3));
    const { clock, connect } = serveStream(stream);
    const [slow, quick] = [connect(), connect()];
    slow.send(GET);
    expect(stream.asked).toBeLessThan(5);
    quick.send(NEXT);
    expect(quick.take()).toContain("HTTP/1.1 200 OK");
    let turns = 0;
    for (; stream.closed === 0 && turns < 100; turns++) {
      const before = stream.asked;
      clock.advance(clock.untilNextMs ?? 0);
      expect(stream.asked - before).toBeLessThan(5);
    }
    expect(turns).toBeGreaterThan(3);
    expect(readChunked(slow.takeBytes()).body).toEqual(stream.bytes);
    slow.send(NEXT);
    expect(slow.take()).toContain("HTTP/1.1 200 OK");
  });

  test("is released between two turns", () => {
    const stream = new SampleStream(pieces(Array.from({ length: 20 }, () => 10)), () => clock.advance(5));
    const { clock, connect, server } = serveStream(stream);
    connect().send(GET);
    expect(stream.closed).toBe(0);
    server.close();
    expect([stream.closed, clock.timerCount]).toEqual([1, 0]);
  });
});
