/**
 * What an endpoint gets of a request, and a client of an answer, for any endpoint (docs/spec/http.md). What the console's own
 * endpoints show of it is tested on a console.
 */
import { describe, expect, test } from "vitest";
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
  test("to HEAD of a small resource has the same length", () => {
    const peer = serve().connect();
    peer.send(`HEAD /hello HTTP/1.1\r\n${HOST}\r\n`);
    expect(Number(readResponse(peer.take(), false).fields.get("content-length"))).toBeGreaterThan(50);
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

  test("that is the last one has Connection: close, and ends its connection", () => {
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
