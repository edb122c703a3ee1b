/** Checks of host, origin and bearer token in the HTTP server (docs/spec/http.md). */
import { describe, expect, test } from "vitest";
import { SampleStream } from "../api/sample-stream.js";
import { readResponse, readResponses, serve } from "./served.js";

const HOST = "Host: 127.0.0.1:8080\r\n";
const get = (target: string, lines = "") => `GET ${target} HTTP/1.1\r\n${HOST}${lines}\r\n`;
const post = (target: string, body: string, lines = "") =>
  `POST ${target} HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n${lines}\r\n${body}`;

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
