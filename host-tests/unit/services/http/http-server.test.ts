import { describe, expect, test } from "vitest";
import { SampleStream } from "../api/sample-stream.js";
import { readResponse, readResponses, serve } from "./served.js";

const HOST = "Host: 127.0.0.1:8080\r\n";
const get = (target: string, lines = "") => `GET ${target} HTTP/1.1\r\n${HOST}${lines}\r\n`;
const post = (target: string, body: string, lines = "") =>
  `POST ${target} HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n${lines}\r\n${body}`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";

describe("A request", () => {
  test("passes path and parameters, and nothing else, to its endpoint", () => {
    const peer = serve().connect();
    peer.send(get("/echo?a=1&b=x%20y+z"));
    const { status, fields, json } = readResponse(peer.take());
    expect(status).toBe(200);
    expect(fields.get("content-type")).toBe("application/json");
    expect(json).toEqual({
      method: "GET",
      path: "/echo",
      parameters: { a: "1", b: "x y z" },
      body_length: 0,
      received: 0,
      text: "",
    });
    expect(peer.isClosed).toBe(false);
  });

  test("passes its media type without parameters, and its signature", () => {
    const peer = serve().connect();
    peer.send(post("/echo", "abc", "Content-Type: Application/WASM; charset=x\r\nX-Svc-Signature: 00ff\r\n"));
    expect(readResponse(peer.take()).json).toMatchObject({
      media_type: "application/wasm",
      signature: "00ff",
    });
  });

  test("passes a body of known length", () => {
    const peer = serve().connect();
    peer.send(post("/echo", "abc"));
    expect(readResponse(peer.take()).json).toMatchObject({ body_length: 3, text: "abc" });
  });

  test("passes a chunked body", () => {
    const peer = serve().connect();
    peer.send(
      `POST /echo HTTP/1.1\r\n${HOST}${CHUNKED}\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nX: y\r\n\r\n`,
    );
    expect(readResponse(peer.take()).json).toMatchObject({ body_length: "chunked", text: "abc0123456789" });
  });

  test("passes a long body in pieces as they arrive", () => {
    const peer = serve().connect();
    peer.send(`POST /echo HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n`);
    for (let sent = 0; sent < 100_000; sent += 1000) peer.send("z".repeat(1000));
    expect(readResponse(peer.take()).json).toMatchObject({ received: 100_000 });
  });

  test("may name the host in its target", () => {
    const peer = serve().connect();
    peer.send(`GET http://console-1a2b.local:8080/echo?a=b HTTP/1.1\r\n${HOST}\r\n`);
    expect(readResponse(peer.take()).json).toMatchObject({ path: "/echo", parameters: { a: "b" } });
  });

  test("can be rejected by its endpoint, and the connection stays open", () => {
    const peer = serve().connect();
    peer.send(get("/nowhere"));
    peer.send(post("/hello", "a body that is dropped"));
    peer.send(get("/broken"));
    peer.send(get("/echo?a=%ff"));
    peer.send(get("/echo?a=1&a=2"));
    const answers = readResponses(peer.take());
    expect(answers.map(({ status }) => status)).toEqual([404, 405, 500, 400, 400]);
    expect(answers.map(({ json }) => json["error"])).toEqual([
      "not_found",
      "method_not_allowed",
      "internal_error",
      "bad_encoding",
      "duplicate_parameter",
    ]);
    expect(answers[1]?.fields.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect(peer.isClosed).toBe(false);
  });
});

describe("An answer", () => {
  test("to HEAD has the head of the answer to GET and no body", () => {
    const peer = serve().connect();
    peer.send(get("/large"));
    const [whole] = readResponses(peer.take());
    peer.send(`HEAD /large HTTP/1.1\r\n${HOST}\r\n`);
    const head = readResponse(peer.take(), false);
    expect([...head.fields]).toEqual([...(whole?.fields ?? [])]);
    expect(head.fields.get("content-length")).toBe("50002");
  });

  test("to HEAD of a small resource has the same length", () => {
    const peer = serve().connect();
    peer.send(`HEAD /hello HTTP/1.1\r\n${HOST}\r\n`);
    expect(Number(readResponse(peer.take(), false).fields.get("content-length"))).toBeGreaterThan(50);
  });

  test("may have bytes of any media type", () => {
    const peer = serve().connect();
    peer.send(get("/picture"));
    const { fields, body } = readResponse(peer.take());
    expect(fields.get("content-type")).toBe("image/png");
    expect(body).toBe(".".repeat(20_000));
  });

  test("counts bytes, not characters", () => {
    const peer = serve().connect();
    peer.send(get("/umlaut"));
    expect(readResponse(peer.take()).json).toBe("ä".repeat(1000));
  });

  for (const windowBytes of [1, 7, 1000])
    test(`is sent ${windowBytes} bytes at a time, and counts as sent after the last one`, () => {
      const { api, connect } = serve();
      const peer = connect({ takesAll: false });
      peer.send(get("/large"));
      for (let sent = 0; sent < 50_000; sent += windowBytes) peer.drain(windowBytes);
      expect(api.events).not.toContain("sent");
      while (!api.events.includes("sent")) peer.drain(windowBytes);
      expect(readResponse(peer.take()).body.length).toBe(50_002);
    });

  test("that is the last one says so, and ends its connection", () => {
    const { api, connect } = serve();
    const peer = connect();
    peer.send(get("/final") + get("/hello"));
    const [answer, ...others] = readResponses(peer.take());
    expect(answer?.fields.get("connection")).toBe("close");
    expect(others).toEqual([]);
    expect(peer.isClosed).toBe(true);
    expect(api.events.at(-1)).toBe("sent");
  });

  test("can be given later, and the next request waits for it", async () => {
    const { api, connect } = serve();
    const peer = connect();
    peer.send(get("/later") + get("/hello"));
    expect(peer.take()).toBe("");
    expect(api.events).toEqual(["open GET /later", "end"]);
    api.later[0]?.({ status: 200, body: "late" });
    await Promise.resolve();
    expect(readResponses(peer.take()).map(({ status }) => status)).toEqual([200, 200]);
  });

  test("that is pending limits arriving bytes to one buffer", () => {
    const { connect } = serve();
    const peer = connect();
    peer.send(get("/later"));
    peer.send("x".repeat(100_000));
    peer.send("x".repeat(100_000));
    expect(peer.unreadBytes).toBe(200_000);
  });

  test("counts as sent when its client has disconnected", async () => {
    const { api, connect } = serve();
    const peer = connect();
    let isSent = false;
    peer.send(get("/later"));
    peer.end();
    api.later[0]?.({ status: 200, body: "", onSent: () => (isSent = true) });
    await Promise.resolve();
    expect(isSent).toBe(true);
  });
});

describe("A connection", () => {
  test("accepts 100 requests at once and answers them in order", () => {
    const peer = serve().connect();
    peer.send(
      Array.from({ length: 100 }, (_, n) =>
        n % 2 ? get(`/echo?n=${n}`) : post(`/echo?n=${n}`, "body"),
      ).join(""),
    );
    const answers = readResponses(peer.take());
    expect(answers.map(({ json }) => Number((json["parameters"] as Record<string, string>)["n"]))).toEqual(
      Array.from({ length: 100 }, (_, n) => n),
    );
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

describe("An unexpected body", () => {
  test("is read to its end if short", () => {
    const peer = serve().connect();
    peer.send(post("/nowhere", "x".repeat(60_000)) + get("/hello"));
    expect(readResponses(peer.take()).map(({ status }) => status)).toEqual([404, 200]);
  });

  test("is not read if announced as long", () => {
    const { api, connect } = serve();
    const peer = connect();
    peer.send(`GET /hello HTTP/1.1\r\n${HOST}Content-Length: 65537\r\n\r\n`);
    const { status, fields, json } = readResponse(peer.take());
    expect(status).toBe(413);
    expect(json["error"]).toBe("body_too_large");
    expect(fields.get("connection")).toBe("close");
    expect(peer.isClosed).toBe(true);
    expect(api.events).toEqual(["open GET /hello", "abort"]);
  });

  test("is not read further once it turns out to be long", () => {
    const { api, connect } = serve();
    const peer = connect();
    peer.send(`GET /hello HTTP/1.1\r\n${HOST}${CHUNKED}\r\n`);
    for (let n = 0; n < 70 && !peer.isClosed; n++) peer.send(`400\r\n${"x".repeat(1024)}\r\n`);
    expect(readResponse(peer.take()).status).toBe(413);
    expect(peer.isClosed).toBe(true);
    expect(api.events).toEqual(["open GET /hello", "abort"]);
  });

  test("is dropped if its endpoint takes none", () => {
    const peer = serve().connect();
    peer.send(`GET /hello HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\nbody`);
    expect(readResponse(peer.take()).json).toMatchObject({ received: 0 });
  });

  test("is dropped once its endpoint has rejected it, and the connection stays open", () => {
    const { api, connect } = serve();
    const peer = connect();
    peer.send(post("/picky", "x".repeat(10_000)) + get("/hello"));
    expect(readResponses(peer.take()).map(({ status }) => status)).toEqual([415, 200]);
    expect(api.events).toEqual(["open POST /picky", "abort", "open GET /hello", "end", "sent"]);
  });
});

describe("Expect: 100-continue", () => {
  const EXPECT = "Expect: 100-Continue\r\n";

  test("is answered with 100, then with the final answer", () => {
    const peer = serve().connect();
    peer.send(`POST /echo HTTP/1.1\r\n${HOST}Content-Length: 3\r\n${EXPECT}\r\n`);
    expect(peer.take()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    peer.send("abc");
    expect(readResponse(peer.take()).json).toMatchObject({ text: "abc" });
  });

  test("is rejected without 100, and the connection closes", () => {
    const peer = serve().connect();
    peer.send(`POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 3\r\n${EXPECT}\r\n`);
    const { status, fields } = readResponse(peer.take());
    expect(status).toBe(404);
    expect(fields.get("connection")).toBe("close");
    expect(peer.isClosed).toBe(true);
  });

  test("has no effect without a body", () => {
    const peer = serve().connect();
    peer.send(get("/hello", EXPECT));
    expect(readResponse(peer.take()).status).toBe(200);
  });

  test("has no effect in HTTP/1.0", () => {
    const peer = serve().connect();
    peer.send(`POST /echo HTTP/1.0\r\n${HOST}Content-Length: 3\r\n${EXPECT}\r\nabc`);
    expect(readResponse(peer.take()).json).toMatchObject({ text: "abc" });
  });

  for (const other of ["200-ok", "100-continue, foo"])
    test(`is the only supported expectation: ${other} gives 417`, () => {
      const peer = serve().connect();
      peer.send(get("/hello", `Expect: ${other}\r\n`));
      expect(readResponse(peer.take()).status).toBe(417);
    });
});

describe("OPTIONS", () => {
  const options = (target: string, lines = "") => `OPTIONS ${target} HTTP/1.1\r\n${HOST}${lines}\r\n`;

  test("lists the methods of a path", () => {
    const peer = serve().connect();
    peer.send(options("/echo"));
    const text = peer.take();
    expect(text).not.toContain("content-length");
    expect(readResponse(text).status).toBe(204);
    expect(readResponse(text).fields.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
  });

  test("lists the methods of the server", () => {
    const peer = serve().connect();
    peer.send(options("*"));
    expect(readResponse(peer.take()).fields.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
  });

  test("is 404 for an unknown path", () => {
    const peer = serve().connect();
    peer.send(options("/nowhere"));
    expect(readResponse(peer.take()).status).toBe(404);
  });
});

describe("A page of another origin", () => {
  const ORIGIN = "Origin: https://console.example\r\n";
  const allowedOrigins = ["https://console.example"];

  test("is rejected", () => {
    const { api, connect } = serve();
    const peer = connect();
    peer.send(get("/hello", ORIGIN));
    const { status, fields, json } = readResponse(peer.take());
    expect([status, json["error"]]).toEqual([403, "foreign_origin"]);
    expect(fields.has("access-control-allow-origin")).toBe(false);
    expect(api.events).toEqual([]);
  });

  test("is answered if listed, including errors", () => {
    const peer = serve({ allowedOrigins }).connect();
    peer.send(get("/hello", ORIGIN) + get("/nowhere", ORIGIN));
    for (const { fields } of readResponses(peer.take())) {
      expect(fields.get("access-control-allow-origin")).toBe("https://console.example");
      expect(fields.get("vary")).toBe("Origin");
    }
  });

  const preflight = (lines = "") =>
    `OPTIONS /echo HTTP/1.1\r\n${HOST}${ORIGIN}Access-Control-Request-Method: POST\r\n${lines}\r\n`;

  test("gets an answer to its preflight without a token", () => {
    const peer = serve({ allowedOrigins, token: "secret" }).connect();
    peer.send(preflight());
    const { status, fields } = readResponse(peer.take());
    expect(status).toBe(204);
    expect(fields.get("access-control-allow-origin")).toBe("https://console.example");
    expect(fields.get("access-control-allow-methods")).toBe("GET, HEAD, POST");
    expect(fields.get("access-control-allow-headers")).toBe("authorization, content-type, x-svc-signature");
    expect(fields.has("access-control-allow-private-network")).toBe(false);
  });

  test("may access the private network if it asks for it", () => {
    const peer = serve({ allowedOrigins }).connect();
    peer.send(preflight("Access-Control-Request-Private-Network: true\r\n"));
    expect(readResponse(peer.take()).fields.get("access-control-allow-private-network")).toBe("true");
  });

  test("gets a rejection of its preflight if not listed", () => {
    const peer = serve().connect();
    peer.send(preflight());
    expect(readResponse(peer.take()).status).toBe(403);
  });

  test("is rejected if it resolved its own name to our address", () => {
    const peer = serve().connect();
    peer.send("GET /hello HTTP/1.1\r\nHost: evil.example:8080\r\nOrigin: http://evil.example:8080\r\n\r\n");
    expect(readResponse(peer.take()).json["error"]).toBe("foreign_host");
  });
});

describe("Authentication", () => {
  const authorized = (token: string) => get("/hello", `Authorization: Bearer ${token}\r\n`);

  test("accepts the right token and no other", () => {
    const peer = serve({ token: "secret" }).connect();
    peer.send(get("/hello") + authorized("wrong") + authorized("secret"));
    const answers = readResponses(peer.take());
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect(answers[0]?.fields.get("www-authenticate")).toBe("Bearer");
    expect(answers[0]?.json["error"]).toBe("unauthorized");
  });

  describe("needs no token if a row says so, for", () => {
    const measured = () => {
      const served = serve({ token: "secret" });
      const stream = new SampleStream([]);
      Object.assign(served.api, { stream, streamByteLength: 0 });
      return served;
    };
    const REQUESTS = [
      { name: "its path", text: get("/measured"), status: 200 },
      { name: "its path with a query", text: get("/measured?since=1"), status: 200 },
      {
        name: "its path with a wrong token",
        text: get("/measured", "Authorization: Bearer wrong\r\n"),
        status: 200,
      },
      { name: "its head", text: get("/measured").replace("GET", "HEAD"), status: 200 },
      { name: "the same path with another method", text: post("/measured", "", ""), status: 401 },
      { name: "its OPTIONS", text: get("/measured").replace("GET", "OPTIONS"), status: 401 },
      { name: "a path that begins like it", text: get("/measured/"), status: 401 },
      { name: "an invalid path", text: get("/%zz"), status: 401 },
      {
        name: "its path from a page of another origin",
        text: get("/measured", "Origin: https://a.example\r\n"),
        status: 403,
      },
      {
        name: "its path under a foreign name",
        text: get("/measured").replace("127.0.0.1", "a.example"),
        status: 403,
      },
    ];
    for (const { name, text, status } of REQUESTS)
      test(`${name}: ${status}`, () => {
        const peer = measured().connect();
        peer.send(text);
        expect(readResponse(peer.take(), !text.startsWith("HEAD")).status).toBe(status);
      });

    test("its path from a locked-out address", () => {
      const peer = measured().connect();
      for (let n = 0; n < 11; n++) peer.send(authorized("wrong"));
      expect(readResponses(peer.take()).at(-1)?.status).toBe(429);
      peer.send(get("/measured"));
      expect(readResponse(peer.take()).status).toBe(200);
    });
  });

  test("locks an address out for a minute after ten wrong tokens", () => {
    const { clock, connect } = serve({ token: "secret" });
    const peer = connect();
    for (let n = 0; n < 10; n++) peer.send(authorized("wrong"));
    expect(readResponses(peer.take()).map(({ status }) => status)).toEqual(Array(10).fill(401));
    clock.advance(20_000);
    peer.send(authorized("secret"));
    const { status, fields, json } = readResponse(peer.take());
    expect([status, json["error"]]).toEqual([429, "too_many_attempts"]);
    expect(fields.get("retry-after")).toBe("40");
    clock.advance(40_000);
    peer.send(authorized("secret"));
    expect(readResponse(peer.take()).status).toBe(200);
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
