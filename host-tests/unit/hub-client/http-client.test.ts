import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HttpExchange, type HttpRequest } from "../../../hub-client/http-client.js";
import { parseWebAddress } from "../../../hub-client/web-address.js";
import { Fault } from "../../../protocol/fault.js";
import type { ScriptedSocket } from "../../hosts/scripted-tcp.js";
import { nodePorts, octets, ScriptedNetwork, sentText, turn } from "./client-ports.js";
import { Exchanged } from "./exchanged.js";

const to = parseWebAddress("http://hub.example:8080/x");
const GET = { to, method: "GET", target: "/x", fields: {} };

async function ask(request: HttpRequest = GET) {
  const network = new ScriptedNetwork();
  const exchanged = new Exchanged();
  const exchange = new HttpExchange(network.ports, request, exchanged);
  return { network, exchanged, exchange, socket: await network.connect() };
}

const length = (body: string) => `content-length: ${body.length}\r\n\r\n${body}`;
const chunked = (body: string) => `transfer-encoding: chunked\r\n\r\n${body}`;

/** Complete answers and their outcomes. `closes`: the hub then closes the connection. */
const ANSWERS = [
  { name: "a body of a length", wire: `HTTP/1.1 200 OK\r\n${length("hello")}`, outcome: '200 "hello" whole' },
  { name: "an empty body", wire: `HTTP/1.1 200 OK\r\n${length("")}`, outcome: '200 "" whole' },
  {
    name: "a chunked body",
    wire: `HTTP/1.1 200 OK\r\n${chunked("3\r\nhel\r\n2;x=1\r\nlo\r\n0\r\nt: 1\r\n\r\n")}`,
    outcome: '200 "hello" whole',
  },
  {
    name: "a body that ends with its connection",
    wire: "HTTP/1.1 200 OK\r\n\r\nhello",
    closes: true,
    outcome: '200 "hello" whole',
  },
  {
    name: "an answer of HTTP/1.0",
    wire: "HTTP/1.0 200 OK\r\n\r\nhello",
    closes: true,
    outcome: '200 "hello" whole',
  },
  { name: "no body with 204", wire: "HTTP/1.1 204 No Content\r\n\r\n", outcome: '204 "" whole' },
  {
    name: "no body with 304, whatever its length field",
    wire: "HTTP/1.1 304\r\ncontent-length: 7\r\n\r\n",
    outcome: '304 "" whole',
  },
  {
    name: "interim answers before the final one",
    wire: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\n${length("a")}`,
    outcome: '200 "a" whole',
  },
  {
    name: "a redirect, as an answer",
    wire: `HTTP/1.1 302 Found\r\nlocation: http://elsewhere/\r\n${length("go")}`,
    outcome: '302 "go" whole',
  },
  {
    name: "a reason that is not ASCII",
    wire: `HTTP/1.1 200 Gr\u00fc\u00df Gott\r\n${length("a")}`,
    outcome: '200 "a" whole',
  },
  {
    name: "no bytes after the body",
    wire: `HTTP/1.1 200 OK\r\n${length("a")}HTTP/1.1 500 Oops\r\n\r\n`,
    outcome: '200 "a" whole',
  },
  {
    name: "a body that is cut",
    wire: "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello",
    closes: true,
    outcome: '200 "hello" hub_unreachable',
  },
  {
    name: "a chunked body that is cut",
    wire: `HTTP/1.1 200 OK\r\n${chunked("5\r\nhello\r\n0\r\n")}`,
    closes: true,
    outcome: '200 "hello" hub_unreachable',
  },
  {
    name: "a head that is cut",
    wire: "HTTP/1.1 200 OK\r\nconte",
    closes: true,
    outcome: 'no head "" hub_unreachable',
  },
  { name: "no answer at all", wire: "", closes: true, outcome: 'no head "" hub_unreachable' },
];

for (const { name, wire, closes, outcome } of ANSWERS)
  describe(`an exchange handles ${name}`, () => {
    async function play(pieces: readonly Uint8Array[]): Promise<string> {
      const { exchanged, socket, network } = await ask();
      for (const piece of pieces) if (!socket.isClosed) socket.arrive(piece);
      if (closes) socket.end();
      expect([socket.isClosed, network.clock.timerCount]).toEqual([true, 0]);
      return exchanged.outcome;
    }

    test("in one piece", async () => expect(await play([octets(wire)])).toBe(outcome));

    test("byte by byte", async () =>
      expect(await play([...octets(wire)].map((byte) => Uint8Array.of(byte)))).toBe(outcome));

    test("in any two pieces", async () => {
      const bytes = octets(wire);
      for (let at = 0; at <= bytes.length; at++)
        expect(await play([bytes.slice(0, at), bytes.slice(at)])).toBe(outcome);
    });
  });

const NO_HTTP = [
  { name: "another protocol", wire: "SSH-2.0-OpenSSH_9.2\r\n\r\n" },
  { name: "HTTP/2", wire: "HTTP/2 200\r\n\r\n" },
  { name: "a status of two digits", wire: "HTTP/1.1 20 OK\r\n\r\n" },
  { name: "a status out of range", wire: "HTTP/1.1 600 Hm\r\n\r\n" },
  { name: "two lengths", wire: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na" },
  { name: "a length that is not a number", wire: "HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\na" },
  {
    name: "a length and chunks",
    wire: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
  },
  {
    name: "a coding that was not requested",
    wire: "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
  },
  { name: "a line that ends in bare LF", wire: "HTTP/1.1 200 OK\nserver: x\r\n\r\n" },
  { name: "a folded line", wire: "HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n" },
  {
    name: "a chunk size that is not a number",
    wire: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
  },
  { name: "a head over 4 KiB", wire: `HTTP/1.1 200 OK\r\na: ${"b".repeat(4096)}\r\n\r\n` },
  { name: "a status line without end", wire: `HTTP/1.1 200 ${"b".repeat(5000)}` },
  { name: "another protocol, switched to", wire: "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n" },
];

for (const { name, wire } of NO_HTTP)
  test(`an exchange rejects ${name}`, async () => {
    const { exchanged, socket, network } = await ask();
    socket.arrive(octets(wire));
    expect([exchanged.end?.code, socket.isClosed, network.clock.timerCount]).toEqual([
      "hub_refused",
      true,
      0,
    ]);
  });

test("whatever the answer, an exchange throws only faults and passes on no more than announced", async () => {
  const line = fc.constantFrom(
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 206 x\r\n",
    "content-length: 3\r\n",
    "\r\n",
    "abc",
    "3\r\n",
  );
  const wires = fc.array(fc.oneof(line, fc.string({ maxLength: 8 })), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(wires, async (parts) => {
      const { exchanged, socket } = await ask();
      for (const part of parts) if (!socket.isClosed) socket.arrive(octets(part));
      if (!socket.isClosed) socket.end();
      expect(exchanged.end === null || exchanged.end instanceof Fault).toBe(true);
      if (exchanged.head?.framing.kind === "length") expect(exchanged.text.length).toBeLessThanOrEqual(3);
    }),
  );
});

describe("a request", () => {
  test("sends its host, fields and body length", async () => {
    const fields = { accept: "application/json" };
    const { socket } = await ask({ ...GET, method: "POST", fields, body: octets("{}") } as typeof GET);
    expect(sentText(socket)).toBe(
      "POST /x HTTP/1.1\r\nhost: hub.example:8080\r\nconnection: close\r\naccept: application/json\r\ncontent-length: 2\r\n\r\n{}",
    );
  });

  test("waits for a socket that takes few bytes at a time", async () => {
    const network = new ScriptedNetwork();
    new HttpExchange(network.ports, { ...GET, body: octets("a".repeat(100)) }, new Exchanged());
    await turn();
    const socket = network.sockets[0] as ScriptedSocket;
    for (let sent = -1; sent < socket.sent.length; socket.open(7)) sent = socket.sent.length;
    expect(sentText(socket)).toMatch(/content-length: 100\r\n\r\na{100}$/);
  });
});

describe("an exchange fails", () => {
  test("without a connection within 10 s", async () => {
    const network = new ScriptedNetwork();
    const exchanged = new Exchanged();
    new HttpExchange(network.ports, GET, exchanged);
    await turn();
    network.clock.advance(9_999);
    expect(exchanged.end).toBeUndefined();
    network.clock.advance(1);
    expect([exchanged.end?.code, network.sockets[0]?.isClosed]).toEqual(["hub_unreachable", true]);
  });

  test("when the name is unknown, and when no resolver answers", async () => {
    for (const resolver of [
      {
        resolve: (_: string, done: (error: Error | undefined, address: undefined) => void) =>
          queueMicrotask(() => done(new Error("x"), undefined)),
      },
      {
        resolve: () => {
          throw new RangeError("no name");
        },
      },
      { resolve: () => {} },
    ]) {
      const network = new ScriptedNetwork({ resolver });
      const exchanged = new Exchanged();
      new HttpExchange(network.ports, GET, exchanged);
      expect(exchanged.end).toBeUndefined(); // no callback runs inside
      await turn();
      network.clock.advance(10_000);
      expect([exchanged.end?.code, network.clock.timerCount]).toEqual(["hub_unreachable", 0]);
    }
  });

  test("when no socket listens", async () => {
    const end = new Promise<Fault | undefined>((onEnd) => {
      const closed = { ...GET, to: parseWebAddress("http://127.0.0.1:1/") };
      new HttpExchange(nodePorts(), closed, { onHead() {}, onBytes() {}, onEnd });
    });
    expect((await end)?.message).toBe('Cannot reach "127.0.0.1:1": no answer');
  });

  test("after 30 s of silence, counted from the last byte", async () => {
    const { exchanged, socket, network } = await ask();
    network.clock.advance(29_000);
    socket.arrive(octets("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe"));
    network.clock.advance(29_999);
    expect(exchanged.end).toBeUndefined();
    network.clock.advance(1);
    expect([exchanged.outcome, socket.isClosed]).toEqual(['200 "he" hub_unreachable', true]);
  });

  test("30 s after its request without a head, whatever comes before", async () => {
    for (const wire of ["HTTP/1.1 103 Early Hints\r\n\r\n", "H"]) {
      const { exchanged, socket, network } = await ask();
      for (let second = 0; second < 30; second++) {
        expect(exchanged.end).toBeUndefined();
        if (second % 3 === 0)
          socket.arrive(octets(wire.length > 1 ? wire : ("HTTP/1.1 20"[second / 3] ?? "")));
        network.clock.advance(1000);
      }
      expect([exchanged.outcome, socket.isClosed]).toEqual(['no head "" hub_unreachable', true]);
    }
  });

  test("within 30 s of a body that comes more slowly than 256 bytes a second, unless that is accepted", async () => {
    for (const isSlowAccepted of [false, true]) {
      const { exchanged, socket, network } = await ask({ ...GET, isSlowAccepted });
      socket.arrive(octets("HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n"));
      for (let round = 0; round < 3; round++) {
        socket.arrive(octets("x".repeat(2500)));
        network.clock.advance(10_000);
      }
      expect(exchanged.end?.message).toBe(
        isSlowAccepted ? undefined : 'Cannot reach "hub.example:8080": slower than 256 bytes a second',
      );
    }
  });

  test("however often it was paused meanwhile", async () => {
    const { exchanged, exchange, socket, network } = await ask();
    socket.arrive(octets("HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n"));
    for (let second = 0; second < 30; second++) {
      expect(exchanged.end).toBeUndefined();
      socket.arrive(octets("x"));
      exchange.pause();
      network.clock.advance(5000);
      exchange.resume();
      network.clock.advance(1000);
    }
    expect(exchanged.end?.code).toBe("hub_unreachable");
  });

  test("at once where the address requires TLS and there is none", async () => {
    const network = new ScriptedNetwork();
    const exchanged = new Exchanged();
    new HttpExchange(network.ports, { ...GET, to: parseWebAddress("https://hub.example/") }, exchanged);
    await turn();
    expect([exchanged.end?.code, network.sockets.length, network.clock.timerCount]).toEqual([
      "not_implemented",
      0,
      0,
    ]);
  });

  test("without a callback when closed, at any time", async () => {
    const wire = octets(`HTTP/1.1 200 OK\r\n${length("hello")}`);
    for (let at = 0; at < wire.length; at++) {
      const { exchanged, exchange, socket, network } = await ask();
      socket.arrive(wire.slice(0, at));
      exchange.close();
      exchange.close();
      socket.arrive(wire.slice(at));
      socket.end();
      network.clock.advance(60_000);
      expect([exchanged.end, socket.isClosed, network.clock.timerCount]).toEqual([undefined, true, 0]);
    }
  });
});

test("a paused exchange reads nothing and does not time out; once resumed it continues", async () => {
  const { exchanged, exchange, socket, network } = await ask();
  socket.arrive(octets("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe"));
  exchange.pause();
  socket.arrive(octets("llo"));
  network.clock.advance(600_000);
  expect([exchanged.outcome, socket.unreadBytes]).toEqual(['200 "he" under way', 3]);
  exchange.resume();
  expect(exchanged.text).toBe("he"); // no callback runs inside
  network.clock.advance(0);
  expect(exchanged.outcome).toBe('200 "hello" whole');
});
