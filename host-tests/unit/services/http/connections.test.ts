/** Connections of the HTTP server: reuse, timeouts and limits (docs/spec/http.md). */
import { describe, expect, test } from "vitest";
import { trappingSandbox } from "../../../hosts/trapping-sandbox.js";
import { sandbox } from "./head.js";
import { readResponse, readResponses, serve } from "./served.js";

const HOST = "Host: 127.0.0.1:8080\r\n";
const get = (target: string, lines = "") => `GET ${target} HTTP/1.1\r\n${HOST}${lines}\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";

describe("A connection", () => {
  test("whose head the parser's program fails on is answered 500 and closed, and the next one is answered", () => {
    const trapping = trappingSandbox(sandbox);
    const { connect } = serve({ sandbox: trapping });
    const peer = connect();
    trapping.trapNext();
    peer.send(get("/hello"));
    expect(readResponse(peer.take()).status).toBe(500);
    expect(peer.isClosed).toBe(true);
    const next = connect();
    next.send(get("/hello"));
    expect(readResponse(next.take()).status).toBe(200);
  });

  test("answers 100 requests at once to a client that reads slowly", () => {
    const { connect } = serve();
    const peer = connect({ takesAll: false });
    peer.send(Array.from({ length: 100 }, () => get("/hello")).join(""));
    for (let n = 0; n < 1000; n++) peer.drain(100);
    expect(readResponses(peer.take()).length).toBe(100);
  });

  const PERSISTENCE = [
    { name: "stays open in HTTP/1.1", head: "GET /hello HTTP/1.1\r\n", closes: false, says: undefined },
    {
      name: "closes on request",
      head: "GET /hello HTTP/1.1\r\nConnection: foo, Close\r\n",
      closes: true,
      says: "close",
    },
    { name: "closes in HTTP/1.0", head: "GET /hello HTTP/1.0\r\n", closes: true, says: "close" },
    {
      name: "stays open in HTTP/1.0 on request",
      head: "GET /hello HTTP/1.0\r\nConnection: Keep-Alive\r\n",
      closes: false,
      says: "keep-alive",
    },
    {
      name: "closes when both are requested",
      head: "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n",
      closes: true,
      says: "close",
    },
  ];
  for (const { name, head, closes, says } of PERSISTENCE)
    test(name, () => {
      const peer = serve().connect();
      peer.send(`${head}${HOST}\r\n`);
      const { status, fields } = readResponse(peer.take());
      expect(status).toBe(200);
      expect(fields.get("connection")).toBe(says);
      expect(peer.isClosed).toBe(closes);
    });

  test("answers what came before the client closed its side, then closes", () => {
    const peer = serve().connect();
    peer.send(get("/hello") + get("/hello"));
    peer.end();
    expect(readResponses(peer.take()).length).toBe(2);
    expect(peer.isClosed).toBe(true);
  });

  test("answers later to a client that closed its side", async () => {
    const { api, connect } = serve();
    const peer = connect();
    peer.send(get("/later"));
    peer.end();
    expect(peer.isClosed).toBe(false);
    api.later[0]?.({ status: 200, body: "late" });
    await Promise.resolve();
    expect(readResponse(peer.take()).json).toBe("late");
    expect(peer.isClosed).toBe(true);
  });

  test("that breaks within an answer frees its place at once, whatever was sent behind the request", () => {
    const { api, clock, connect } = serve();
    for (let count = 0; count < 20; count++) {
      const peer = connect({ takesAll: false });
      peer.send(get("/large") + get("/hello"));
      peer.drain(1000);
      peer.end();
      expect(peer.isClosed).toBe(false); // it may have closed only its own side
      peer.reset();
      expect(peer.isClosed).toBe(true);
    }
    expect(api.events.filter((event) => event === "sent")).toHaveLength(20);
    expect(clock.timerCount).toBe(0);
  });

  for (const wire of ["GET /hel", `POST /echo HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nab`])
    test(`closes without an answer when a request is truncated: ${JSON.stringify(wire)}`, () => {
      const { api, connect } = serve();
      const peer = connect();
      peer.send(wire);
      peer.end();
      expect(peer.take()).toBe("");
      expect(peer.isClosed).toBe(true);
      expect(api.events.filter((event) => event === "abort").length).toBe(wire.startsWith("POST") ? 1 : 0);
    });

  test("is rejected with a complete answer when eight are in use", () => {
    const { connect, server, clock } = serve();
    const peers = Array.from({ length: 8 }, (_, host) => connect({ address: `192.0.2.${host}` }));
    const ninth = connect({ address: "192.0.2.9" });
    const { status, fields, json } = readResponse(ninth.take());
    expect(status).toBe(503);
    expect(json).toMatchObject({ error: "busy", retry_after_s: 1 });
    expect(fields.get("retry-after")).toBe("1");
    expect(fields.get("connection")).toBe("close");
    expect(ninth.isClosed).toBe(true);
    for (const peer of peers) {
      peer.send(get("/hello"));
      expect(readResponse(peer.take()).status).toBe(200);
    }
    peers[3]?.end();
    const tenth = connect({ address: "192.0.2.10" });
    tenth.send(get("/hello"));
    expect(readResponse(tenth.take()).status).toBe(200);
    server.close();
    expect(peers.every((peer) => peer.isClosed)).toBe(true);
    expect(clock.timerCount).toBe(0);
  });

  test("is closed without an answer when too many are being rejected", () => {
    const { connect } = serve();
    const peers = Array.from({ length: 13 }, (_, host) =>
      connect({ takesAll: false, address: `192.0.2.${host}` }),
    );
    expect(peers.map((peer) => peer.isClosed)).toEqual([...Array(12).fill(false), true]);
  });
});

describe("Time", () => {
  /** Deadlines are looked at four times a second. */
  const SLACK_MS = 250;

  test("ends a silent connection after 10 s, without an answer", () => {
    const { clock, connect } = serve();
    const peer = connect();
    clock.advance(9_999);
    expect(peer.isClosed).toBe(false);
    clock.advance(1 + SLACK_MS);
    expect(peer.isClosed).toBe(true);
    expect(peer.take()).toBe("");
    expect(clock.timerCount).toBe(0);
  });

  test("ends an incomplete head 10 s after its first byte", () => {
    const { clock, connect } = serve();
    const peer = connect();
    peer.send(get("/hello"));
    expect(readResponse(peer.take()).status).toBe(200);
    clock.advance(30_000);
    for (let n = 0; n < 10; n++) {
      peer.send("G");
      clock.advance(999);
      expect(peer.isClosed).toBe(false);
    }
    clock.advance(10 + SLACK_MS);
    expect(readResponse(peer.take()).json["error"]).toBe("request_timeout");
    expect(peer.isClosed).toBe(true);
  });

  test("ends a body after 30 s of silence, not before", () => {
    const { api, clock, connect } = serve();
    const peer = connect();
    peer.send(`POST /echo HTTP/1.1\r\n${HOST}Content-Length: 90000\r\n\r\n`);
    for (let n = 0; n < 5; n++) {
      peer.send("x".repeat(8000)); // as much as is due for the time that follows
      clock.advance(29_999);
      expect(peer.isClosed).toBe(false);
    }
    clock.advance(1 + SLACK_MS);
    expect(readResponse(peer.take()).status).toBe(408);
    expect(peer.isClosed).toBe(true);
    expect(api.events).toEqual(["open POST /echo", "abort"]);
  });

  test("ends an idle connection after 60 s, without an answer", () => {
    const { clock, connect } = serve();
    const peer = connect();
    peer.send(get("/hello"));
    peer.take();
    clock.advance(59_999);
    expect(peer.isClosed).toBe(false);
    clock.advance(1 + SLACK_MS);
    expect(peer.isClosed).toBe(true);
    expect(peer.take()).toBe("");
  });

  test("ends an answer after 30 s in which its client reads nothing", () => {
    const { api, clock, connect } = serve();
    const peer = connect({ takesAll: false });
    peer.send(get("/large"));
    for (let n = 0; n < 5; n++) {
      peer.drain(5000); // as much as is due for the time that follows
      clock.advance(29_999);
      expect(peer.isClosed).toBe(false);
    }
    clock.advance(1 + SLACK_MS);
    expect(peer.isClosed).toBe(true);
    expect(api.events.at(-1)).toBe("sent");
  });

  test("does not limit an endpoint that answers later", () => {
    const { clock, connect } = serve();
    const peer = connect();
    peer.send(get("/later"));
    clock.advance(600_000);
    expect(peer.isClosed).toBe(false);
  });
});

describe("Room for others", () => {
  const SLACK_MS = 250;
  const posting = (byteLength: number) =>
    `POST /echo HTTP/1.1\r\n${HOST}Content-Length: ${byteLength}\r\n\r\n`;
  const isServed = (peer: ReturnType<ReturnType<typeof serve>["connect"]>) => {
    peer.send(get("/hello"));
    return readResponse(peer.take()).status === 200;
  };

  test("is kept from one address with slow bodies: others are answered, and in 30 s all its bodies are ended", () => {
    const { clock, connect } = serve();
    const attackers = Array.from({ length: 20 }, () => connect({ address: "192.0.2.66" }));
    for (const peer of attackers) peer.send(posting(100_000));
    expect(attackers.filter((peer) => !peer.isClosed)).toHaveLength(7);
    expect(isServed(connect({ address: "192.0.2.1" }))).toBe(true);
    expect(isServed(connect({ address: "192.0.2.2" }))).toBe(true); // the one before is only kept alive
    for (let second = 0; second < 30; second++) {
      for (const peer of attackers) peer.send("x".repeat(255));
      clock.advance(1000);
    }
    clock.advance(SLACK_MS);
    for (const peer of attackers.slice(0, 7)) expect(readResponse(peer.take()).status).toBe(408);
    expect(attackers.every((peer) => peer.isClosed)).toBe(true);
  });

  for (const { name, wire, framed } of [
    { name: "of a known length", wire: posting(1_000_000), framed: (text: string) => text },
    {
      name: "in chunks of one byte",
      wire: `POST /echo HTTP/1.1\r\n${HOST}${CHUNKED}\r\n`,
      framed: (text: string) => [...text].map((character) => `1\r\n${character}\r\n`).join(""),
    },
  ])
    test(`is not made by ending a body ${name} of 256 bytes per second, however long it takes`, () => {
      const { clock, connect } = serve();
      const peer = connect();
      peer.send(wire);
      for (let second = 0; second < 600; second++) {
        for (const byte of "x".repeat(16)) peer.send(framed(byte.repeat(16)));
        clock.advance(1000);
      }
      expect(peer.isClosed).toBe(false);
      expect(peer.take()).toBe("");
    });

  test("is not made by ending a body while the console erases flash instead of reading", () => {
    const { api, clock, connect } = serve();
    const peer = connect();
    peer.send(posting(10_000_000));
    for (let erase = 0; erase < 100; erase++) {
      peer.send("x".repeat(256));
      clock.advance(1000);
      clock.block(9000);
    }
    expect(peer.isClosed).toBe(false);
    expect(api.events).toEqual(["open POST /echo"]);
  });

  test("is made by ending an answer read at less than 128 bytes per second, and not one read faster", () => {
    for (const { stepBytes, isKept } of [
      { stepBytes: 120, isKept: false },
      { stepBytes: 129, isKept: true },
    ]) {
      const { clock, connect } = serve();
      const peer = connect({ takesAll: false });
      peer.send(get("/large"));
      for (let second = 0; second < 65; second++) {
        peer.drain(stepBytes);
        clock.advance(1000);
      }
      expect(!peer.isClosed).toBe(isKept);
    }
  });

  test("is made by closing the longest idle connection of the address with the most", () => {
    const { clock, connect } = serve();
    const phone = Array.from({ length: 6 }, () => connect({ address: "192.0.2.1" }));
    for (const peer of phone) {
      clock.advance(100);
      expect(isServed(peer)).toBe(true);
    }
    const page = connect({ address: "192.0.2.2" });
    const svc = connect({ address: "192.0.2.3" });
    expect([page, svc].every(isServed)).toBe(true);
    expect(isServed(connect({ address: "192.0.2.4" }))).toBe(true);
    expect(phone.map((peer) => peer.isClosed)).toEqual([true, false, false, false, false, false]);
    expect([page, svc].every(isServed)).toBe(true);
  });

  test("is never made by closing a connection that has begun a request, waits for an answer, or reads it", () => {
    const { connect } = serve();
    const requests = ["GET /hel", get("/later"), posting(10), get("/large")];
    const peers = requests.flatMap((wire, host) =>
      [0, 1].map((second) => {
        const peer = connect({ address: `192.0.2.${host}${second}`, takesAll: false });
        peer.send(wire);
        return peer;
      }),
    );
    expect(readResponse(connect({ address: "192.0.2.9" }).take()).status).toBe(503);
    expect(peers.some((peer) => peer.isClosed)).toBe(false);
  });

  test("is made for an address without a connection by closing a slow one of an address with three", () => {
    const { clock, connect } = serve();
    const slow = Array.from({ length: 7 }, () => connect({ address: "192.0.2.1" }));
    const other = connect({ address: "192.0.2.2" });
    for (const peer of [...slow, other]) peer.send(posting(60_000));
    for (let second = 0; second < 3; second++) {
      for (const peer of [...slow, other]) peer.send("x".repeat(300));
      clock.advance(1000);
    }
    expect(readResponse(connect({ address: "192.0.2.2" }).take()).status).toBe(503);
    expect(isServed(connect({ address: "192.0.2.3" }))).toBe(true);
    expect(slow.filter((peer) => peer.isClosed)).toHaveLength(1);
    expect(other.isClosed).toBe(false);
  });

  test("is not made by closing a connection that sends 2 KiB per second", () => {
    const { clock, connect } = serve();
    const peers = Array.from({ length: 8 }, (_, at) => connect({ address: `192.0.2.${at < 7 ? 1 : 2}` }));
    for (const peer of peers) peer.send(posting(60_000));
    for (let second = 0; second < 5; second++) {
      for (const peer of peers) peer.send("x".repeat(2048));
      clock.advance(1000);
    }
    expect(readResponse(connect({ address: "192.0.2.3" }).take()).status).toBe(503);
    expect(peers.some((peer) => peer.isClosed)).toBe(false);
  });

  test("is made by closing a connection after two seconds without a request, and not sooner", () => {
    const { clock, connect } = serve();
    const silent = Array.from({ length: 8 }, (_, host) => connect({ address: `192.0.2.${host}` }));
    clock.advance(1_999);
    expect(readResponse(connect({ address: "192.0.2.9" }).take()).status).toBe(503);
    clock.advance(1);
    expect(isServed(connect({ address: "192.0.2.9" }))).toBe(true);
    expect(silent.map((peer) => peer.isClosed)).toEqual([true, ...Array(7).fill(false)]);
  });

  test("gives no further connection to an address that holds all places but one", () => {
    const { connect } = serve();
    for (let count = 0; count < 7; count++) connect({ address: "2001:db8::1" }).send("GET /");
    const eighth = connect({ address: "2001:db8::8" });
    const { status, fields } = readResponse(eighth.take());
    expect([status, fields.get("retry-after")]).toEqual([503, "1"]);
    expect(isServed(connect({ address: "2001:db8:1::1" }))).toBe(true);
  });
});
