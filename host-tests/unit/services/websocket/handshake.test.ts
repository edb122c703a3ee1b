/** Who gets a WebSocket (docs/spec/websocket.md#access). */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HEAP_NEEDS } from "../../../../device/services/heap/heap-admission.js";
import { CLIENT_LIMIT } from "../../../../device/services/websocket/websocket-server.js";
import { Fault } from "../../../../protocol/fault.js";
import { HEAD_START_BYTES } from "../../../../protocol/http/fields.js";
import { type ConnectOptions, EmulatedTcp } from "../http/emulated-tcp.js";
import {
  EmulatedClient,
  PROOF,
  recordingLogger,
  type Served,
  serve,
  TOKEN,
  upgradeRequest,
} from "./served.js";

/** Of each port (docs/spec/http.md#connection-limit). */
const CONNECTION_LIMIT = 8;

let tcp: EmulatedTcp;
let served: Served;

beforeEach(() => {
  tcp = new EmulatedTcp();
  served = serve(tcp, { allowedOrigins: ["https://console.example"] });
});
afterEach(() => served.server.close());

/** Where places are short, a connection is admitted a turn later. */
function connect(options?: ConnectOptions) {
  const peer = tcp.connect(options);
  served.clock.advance(0);
  peer.settle();
  return peer;
}

/** What a request gets, and whether the connection is over with it. */
function ask(request: string, address?: string) {
  const peer = connect(address === undefined ? {} : { address });
  peer.send(request);
  const answer = peer.take();
  return { answer, status: Number(answer.slice(9, 12)), isClosed: peer.isClosed, peer };
}

describe("A handshake", () => {
  test("is answered as in RFC 6455 §1.3", () => {
    const { answer, isClosed } = ask(upgradeRequest());
    expect(answer).toBe(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${PROOF}\r\n\r\n`,
    );
    expect(isClosed).toBe(false);
  });

  const GRANTED = [
    { name: "names in any case", fields: { upgrade: "WebSocket", connection: "keep-alive, UPGRADE" } },
    {
      name: "extensions and protocols that we do not support",
      fields: {
        "sec-websocket-extensions": "permessage-deflate",
        "sec-websocket-protocol": "chat",
      },
    },
    {
      name: "a page of the console itself",
      fields: { host: "console-1a2b.local:8081", origin: "http://console-1a2b.local:8080" },
    },
    { name: "a listed origin", fields: { origin: "https://console.example" } },
    { name: "parameters", line: "GET /ws?since=0 HTTP/1.1" },
    { name: "a target with a host", line: "GET http://192.168.4.1/ws HTTP/1.1" },
  ];
  for (const { name, fields, line } of GRANTED)
    test(`is accepted with ${name}`, () => expect(ask(upgradeRequest(fields, line)).status).toBe(101));

  const REFUSED = [
    { name: "another path", line: "GET / HTTP/1.1", status: 404, says: 'There is nothing at \\"/\\"' },
    { name: "a path that only begins alike", line: "GET /ws/ HTTP/1.1", status: 404 },
    {
      name: "another path without an upgrade",
      line: "GET /api/status HTTP/1.1",
      fields: { upgrade: undefined },
      status: 404,
    },
    { name: "POST", line: "POST /ws HTTP/1.1", status: 405, says: "\r\nallow: GET\r\n" },
    { name: "OPTIONS", line: "OPTIONS /ws HTTP/1.1", status: 405, says: "Open a WebSocket with GET" },
    { name: "no Upgrade", fields: { upgrade: undefined }, status: 426, says: "\r\nupgrade: websocket\r\n" },
    {
      name: "an Upgrade to another protocol",
      fields: { upgrade: "h2c" },
      status: 426,
      says: '\\"/ws\\" is available as a WebSocket only',
    },
    {
      name: "an Upgrade that Connection does not name",
      fields: { connection: "keep-alive" },
      status: 426,
    },
    { name: "HTTP/1.0", line: "GET /ws HTTP/1.0", status: 426 },
    {
      name: "no version",
      fields: { "sec-websocket-version": undefined },
      status: 426,
      says: "Only version 13 of WebSocket is supported",
    },
    {
      name: "an older version",
      fields: { "sec-websocket-version": "8" },
      status: 426,
      says: "\r\nsec-websocket-version: 13\r\n",
    },
    { name: "two versions", fields: { "sec-websocket-version": "13, 8" }, status: 426 },
    {
      name: "no key",
      fields: { "sec-websocket-key": undefined },
      status: 400,
      says: "Sec-WebSocket-Key must be 16 bytes in base64",
    },
    { name: "an empty key", fields: { "sec-websocket-key": "" }, status: 400 },
    { name: "a key of 15 bytes", fields: { "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAA" }, status: 400 },
    { name: "a key of 17 bytes", fields: { "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAAA=" }, status: 400 },
    {
      name: "a key without its padding",
      fields: { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ" },
      status: 400,
    },
    {
      name: "a key that is not base64",
      fields: { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZ!==" },
      status: 400,
    },
    {
      name: "a body",
      fields: { "content-length": "5" },
      status: 400,
      says: "A WebSocket request must not have a body",
    },
    { name: "a repeated parameter", line: "GET /ws?token=a&token=b HTTP/1.1", status: 400 },
    { name: "no Host", fields: { host: undefined }, status: 400 },
    { name: "a foreign Host", fields: { host: "evil.example:8081" }, status: 403, says: "foreign_host" },
    {
      name: "a foreign origin",
      fields: { origin: "https://evil.example" },
      status: 403,
      says: "foreign_origin",
    },
    { name: "a page of another port", fields: { origin: "http://192.168.4.1:9999" }, status: 403 },
    { name: "the origin null", fields: { origin: "null" }, status: 403 },
    { name: "a head over the limit", fields: { cookie: "a".repeat(5000) }, status: 431 },
    { name: "a line that ends in bare LF", line: "GET /ws HTTP/1.1\n", status: 400 },
  ];
  for (const { name, line, fields, status, says = "" } of REFUSED)
    test(`is rejected with ${status} for ${name}`, () => {
      const { answer, isClosed, status: got } = ask(upgradeRequest(fields, line));
      expect(got).toBe(status);
      expect(answer).toContain(says);
      expect(answer).toContain("\r\nconnection: close\r\n");
      expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toHaveProperty("message");
      expect(isClosed).toBe(true);
    });

  test("that fails in the console is a 500 without details, and is logged with them", () => {
    served.server.close();
    const { logger, lines } = recordingLogger();
    const digest = class {
      constructor() {
        throw new Error("the digest is broken");
      }
    };
    served = serve(tcp, { log: logger, digest: digest as never });
    const { answer, status } = ask(upgradeRequest());
    expect(status).toBe(500);
    expect(answer).toContain('"error":"internal_error","message":"The request could not be answered"');
    expect(lines).toContain("error Error: the digest is broken");
    expect(lines).toContain("debug refused 192.0.2.7: The request could not be answered");
  });

  test("is logged when it is rejected, with the address and the reason", () => {
    served.server.close();
    const { logger, lines } = recordingLogger();
    served = serve(tcp, { log: logger });
    ask("GET / HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n", "192.0.2.9");
    expect(lines).toEqual(['debug refused 192.0.2.9: There is nothing at "/"']);
  });

  test("is rejected for HEAD without a body", () => {
    const { answer, status } = ask(upgradeRequest({}, "HEAD /ws HTTP/1.1"));
    expect(status).toBe(405);
    expect(answer).toMatch(/content-length: [1-9][0-9]*\r\n.*\r\n\r\n$/s);
  });
});

describe("With a token", () => {
  beforeEach(() => {
    served.server.close();
    served = serve(tcp, { isTokenRequired: true });
  });

  test("a handshake with it in a field or in the query succeeds", () => {
    expect(ask(upgradeRequest({ authorization: `Bearer ${TOKEN}` })).status).toBe(101);
    expect(ask(upgradeRequest({}, `GET /ws?token=${TOKEN} HTTP/1.1`)).status).toBe(101);
  });

  test("a handshake without it, or with a wrong one, is 401 before any other error", () => {
    const { status, answer } = ask(upgradeRequest());
    expect(status).toBe(401);
    expect(answer).toContain("\r\nwww-authenticate: Bearer\r\n");
    expect(ask(upgradeRequest({}, "GET /ws?token=wrong HTTP/1.1")).status).toBe(401);
    expect(ask(upgradeRequest({}, "GET /other HTTP/1.1")).status).toBe(401);
  });

  test("the right one without an upgrade is asked for the upgrade", () => {
    const head = "HTTP/1.1\r\nHost: 192.0.2.1\r\n";
    expect(ask(`GET /ws?token=${TOKEN} ${head}\r\n`).status).toBe(426);
    expect(ask(`GET /ws ${head}Authorization: Bearer ${TOKEN}\r\n\r\n`).status).toBe(426);
  });

  test("ten wrong ones in a field lock out also without an upgrade, which no image can send", () => {
    const request = "GET /ws HTTP/1.1\r\nHost: 192.0.2.1\r\nAuthorization: Bearer wrong\r\n\r\n";
    for (let attempt = 0; attempt < 10; attempt++) expect(ask(request).status).toBe(401);
    expect(ask(request).status).toBe(429);
  });

  test("wrong ones of an image, which requests no upgrade, do not lock its reader out", () => {
    for (let attempt = 0; attempt < 20; attempt++)
      expect(ask(`GET /ws?token=wrong${attempt} HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n`).status).toBe(401);
    expect(ask(upgradeRequest({}, `GET /ws?token=${TOKEN} HTTP/1.1`)).status).toBe(101);
  });

  test("ten wrong ones are followed by 429", () => {
    for (let attempt = 0; attempt < 10; attempt++)
      expect(ask(upgradeRequest({}, "GET /ws?token=wrong HTTP/1.1")).status).toBe(401);
    const { status, answer } = ask(upgradeRequest({}, `GET /ws?token=${TOKEN} HTTP/1.1`));
    expect(status).toBe(429);
    expect(answer).toContain("\r\nretry-after: 60\r\n");
  });
});

describe("Connections", () => {
  test("past four WebSockets get 503, until one of them closes", () => {
    const clients = Array.from({ length: CLIENT_LIMIT }, (_, host) =>
      EmulatedClient.open(tcp, { address: `192.0.2.${host}` }),
    );
    const { status, answer, isClosed } = ask(upgradeRequest());
    expect(status).toBe(503);
    expect(answer).toContain("\r\nretry-after: 5\r\n");
    expect(isClosed).toBe(true);
    clients[1]?.peer.end();
    expect(ask(upgradeRequest()).status).toBe(101);
  });

  test("of one address leave the last WebSocket and the last connection to others", () => {
    const clients = Array.from({ length: CLIENT_LIMIT }, () => EmulatedClient.open(tcp));
    expect(clients.map(({ peer }) => peer.isClosed)).toEqual([false, false, false, true]);
    expect(ask(upgradeRequest(), "192.0.2.1").status).toBe(101);
    const heads = Array.from({ length: CONNECTION_LIMIT }, () => connect());
    for (const peer of heads) peer.send("GET /ws");
    expect(heads.map((peer) => peer.isClosed)).toEqual([...Array(3).fill(false), ...Array(5).fill(true)]);
    expect(ask("GET /other HTTP/1.1\r\nhost: localhost\r\n\r\n", "192.0.2.2").status).toBe(404);
  });

  test("that are WebSockets are no places of the idle: others are closed for a new one", () => {
    const client = EmulatedClient.open(tcp, { address: "192.0.2.1" });
    const silent = Array.from({ length: 6 }, () => {
      served.clock.advance(1);
      return connect();
    });
    expect(connect().take()).toMatch(/^HTTP\/1.1 503 .*\r\nretry-after: 5\r\n/s);
    served.clock.advance(2000);
    expect(ask(upgradeRequest()).status).toBe(101);
    expect(silent.map((peer) => peer.isClosed)).toEqual([true, ...Array(5).fill(false)]);
    expect(client.peer.isClosed).toBe(false);
  });

  test("have ten seconds for their request, and a WebSocket no limit but its pings", () => {
    const slow = connect();
    slow.send("GET /ws HTTP/1.1\r\n");
    served.clock.advance(9_000);
    const client = EmulatedClient.open(tcp);
    served.clock.advance(1_250);
    expect(slow.take()).toMatch(/^HTTP\/1.1 408 .*The request did not arrive in time/s);
    served.clock.advance(28_000);
    expect([slow.isClosed, client.peer.isClosed]).toEqual([true, false]);
    expect(served.clock.timerCount).toBe(1); // only the next ping: the server's sweep rests
  });

  test("that only close their own side still get their rejection", () => {
    const peer = connect({ takesAll: false });
    peer.send(upgradeRequest({}, "GET /other HTTP/1.1"));
    peer.end();
    peer.drain(5_000);
    expect(peer.take()).toMatch(/^HTTP\/1.1 404 .*}$/s);
    expect(peer.isClosed).toBe(true);
  });
});

describe("While memory is short", () => {
  /** Heap that has so many bytes. */
  function serveWithin(bytes: number) {
    served.server.close();
    const heap = {
      hasRoomToStay: (byteLength: number) => byteLength <= bytes,
      require(byteLength: number) {
        if (byteLength > bytes) throw new Fault("busy", "Short of memory", { details: { retry_after_s: 1 } });
      },
    };
    served = serve(tcp, { heap: heap as never });
  }

  test("a connection that has no room is answered 503", () => {
    serveWithin(HEAP_NEEDS.viewer - 1);
    const { answer, isClosed } = ask(upgradeRequest());
    expect(answer).toMatch(/^HTTP\/1.1 503 .*\r\nretry-after: 1\r\n/s);
    expect(isClosed).toBe(true);
    serveWithin(HEAP_NEEDS.viewer);
    expect(ask(upgradeRequest()).status).toBe(101);
  });

  test("a head of more than 1 KiB needs seven bytes of memory for each of its own", () => {
    const long = upgradeRequest({ cookie: "a".repeat(2000) });
    serveWithin(HEAP_NEEDS.viewer + 7 * long.length);
    expect(ask(long).status).toBe(101);
    serveWithin(7 * long.length - 1);
    expect(ask(long).status).toBe(503);
  });

  test("a head of 1 KiB needs none beside its connection", () => {
    const rest = HEAD_START_BYTES - upgradeRequest({ cookie: "" }).length;
    serveWithin(HEAP_NEEDS.viewer);
    const request = upgradeRequest({ cookie: "a".repeat(rest) });
    expect(request).toHaveLength(HEAD_START_BYTES);
    expect(ask(request).status).toBe(101);
    expect(ask(upgradeRequest({ cookie: "a".repeat(rest + 1) })).status).toBe(503);
  });
});
