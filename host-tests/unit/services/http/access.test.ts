/**
 * Who needs a bearer token, and when an address is locked out (docs/spec/http.md#auth). What a page of another origin gets is
 * tested on a console.
 */
import { describe, expect, test } from "vitest";
import { SampleStream } from "../api/sample-stream.js";
import { readResponse, readResponses, serve } from "./served.js";

const HOST = "Host: 127.0.0.1:8080\r\n";
const get = (target: string, lines = "") => `GET ${target} HTTP/1.1\r\n${HOST}${lines}\r\n`;
const post = (target: string, body: string, lines = "") =>
  `POST ${target} HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n${lines}\r\n${body}`;

describe("Authentication", () => {
  const authorized = (token: string) => get("/hello", `Authorization: Bearer ${token}\r\n`);

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
