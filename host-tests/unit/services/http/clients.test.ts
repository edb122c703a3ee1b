/**
 * Real clients against the server over real sockets: Node's http, curl, and bare connections
 * (docs/spec/http.md#http-bodies).
 */
import { execFile, spawnSync } from "node:child_process";
import http from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpServer } from "../../../../device/services/http/http-server.js";
import { BearerAuthenticator, RequestGuard } from "../../../../device/services/http/request-guard.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { nextTurn, nodeTcp } from "../../../hosts/node-tcp.js";
import { nodeTimer } from "../../../hosts/node-timer.js";
import { sandbox } from "./head.js";
import { SampleApi } from "./sample-api.js";
import { readResponses, SILENT_LOG } from "./served.js";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
let server: HttpServer;
let api: SampleApi;

beforeEach(async () => {
  const clock = new EmulatedClock();
  api = new SampleApi();
  server = new HttpServer({
    tcp: nodeTcp,
    api,
    clock,
    sandbox,
    timer: nodeTimer,
    log: SILENT_LOG,
    port: 0,
    address: "127.0.0.1",
    guard: new RequestGuard({
      api,
      rules: { allowedOrigins: [] },
      bearer: new BearerAuthenticator({ isRequired: false, token: { value: "" }, clock }),
    }),
  });
  await nextTurn();
});

afterEach(() => server.close());

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
  readonly socket: unknown;
}

/** @param write sends the body; without it, there is no body */
function request(
  options: http.RequestOptions,
  write?: (request: http.ClientRequest) => void,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port: server.port, ...options }, (response) => {
      const { socket } = response;
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => (text += piece));
      response.on("end", () => resolve({ status: response.statusCode, text, socket }));
    });
    request.on("error", reject);
    if (write) write(request);
    else request.end();
  });
}

describe("Node's http", () => {
  test("keeps one connection alive for many requests", async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set();
    for (let n = 0; n < 20; n++) {
      const { status, text, socket } = await request({ agent, path: `/echo?n=${n}` });
      expect(status).toBe(200);
      expect(JSON.parse(text).parameters).toEqual({ n: String(n) });
      sockets.add(socket);
    }
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  test("uploads a chunked body", async () => {
    const { text } = await request({ method: "POST", path: "/echo" }, (request) => {
      for (let n = 0; n < 100; n++) request.write("z".repeat(1000));
      request.end();
    });
    expect(JSON.parse(text)).toMatchObject({ body_length: "chunked", received: 100_000 });
  });

  test("uploads 4 MiB of known length", async () => {
    const byteLength = 4 * 1024 * 1024;
    const headers = { "content-length": byteLength };
    const { text } = await request({ method: "POST", path: "/echo", headers }, (request) =>
      request.end(Buffer.alloc(byteLength)),
    );
    expect(JSON.parse(text)).toMatchObject({ body_length: byteLength, received: byteLength });
  });

  test("sends its body after 100 Continue", async () => {
    let isTold = false;
    const headers = { expect: "100-continue", "content-length": 4 };
    const { text } = await request({ method: "POST", path: "/echo", headers }, (request) => {
      request.flushHeaders();
      request.on("continue", () => {
        isTold = true;
        request.end("body");
      });
    });
    expect(isTold).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ text: "body" });
  });

  test("gets only the head for HEAD, and uses the connection again", async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const head = await request({ agent, method: "HEAD", path: "/large" });
    const get = await request({ agent, path: "/large" });
    expect([head.status, head.text, get.text.length]).toEqual([200, "", 50_002]);
    expect(get.socket).toBe(head.socket);
    agent.destroy();
  });

  test("reads why a long body is rejected although it is still sending it", async () => {
    const headers = { "content-length": 1_000_000 };
    const { status, text } = await request({ method: "POST", path: "/nowhere", headers }, (request) => {
      request.on("error", () => {}); // the rest of the body may meet a closed connection
      request.end(Buffer.alloc(1_000_000));
    });
    expect([status, JSON.parse(text).error]).toEqual([404, "not_found"]);
  });

  test("is rejected at the eighth connection, and from another address at the ninth", async () => {
    const agent = new http.Agent({ keepAlive: true });
    const hanging = Array.from({ length: 7 }, () => request({ agent, path: "/later" }));
    await expect.poll(() => api.later.length).toBe(7);
    const turnedAway = await request({ path: "/hello" });
    expect([turnedAway.status, JSON.parse(turnedAway.text).error]).toEqual([503, "busy"]);
    hanging.push(request({ agent, path: "/later", localAddress: "127.0.0.2" }));
    await expect.poll(() => api.later.length).toBe(8);
    const ninth = await request({ path: "/hello", localAddress: "127.0.0.3" });
    expect([ninth.status, JSON.parse(ninth.text).error]).toEqual([503, "busy"]);
    for (const answer of api.later) answer({ status: 200, body: "late" });
    expect((await Promise.all(hanging)).map((reply) => reply.status)).toEqual(Array(8).fill(200));
    agent.destroy();
  });
});

describe.skipIf(!hasCurl)("curl (skipped where it is not installed)", () => {
  function curl(args: readonly string[], input = ""): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = ["--silent", "--show-error", "--max-time", "10", "--noproxy", "*"];
      const child = execFile("curl", [...options, ...args], (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
      child.stdin?.end(input);
    });
  }
  const url = (path: string) => `http://127.0.0.1:${server.port}${path}`;

  test("uploads from a pipe, chunked", async () => {
    const body = "z".repeat(200_000);
    const text = await curl(["--upload-file", "-", "--request", "POST", url("/echo")], body);
    expect(JSON.parse(text)).toMatchObject({ body_length: "chunked", received: 200_000 });
  });

  test("uploads a large body, waiting for 100 Continue", async () => {
    const text = await curl(
      ["--data-binary", "@-", "-H", "Expect: 100-continue", url("/echo")],
      "z".repeat(2_000_000),
    );
    expect(JSON.parse(text)).toMatchObject({ body_length: 2_000_000, received: 2_000_000 });
  });

  test("gets a head", async () => {
    expect(await curl(["--head", url("/large")])).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 50002\r\n/,
    );
  });

  test("works with HTTP/1.0", async () => {
    expect(JSON.parse(await curl(["--http1.0", url("/echo?a=b")]))).toMatchObject({ parameters: { a: "b" } });
  });

  test("requests several resources over one connection", async () => {
    const text = await curl(["-w", "%{num_connects}", url("/hello"), url("/hello"), url("/hello")]);
    expect([...text.matchAll(/\}([0-9]+)(?=\{|$)/g)].map(([, count]) => count)).toEqual(["1", "0", "0"]);
  });

  test("shows the status of a rejection", async () => {
    expect(
      await curl(["-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: evil.example", url("/hello")]),
    ).toBe("403");
  });
});

describe("A bare connection", () => {
  /** All that the server answers to `pieces`; `closes`: the client then closes its side. */
  function talk(pieces: readonly string[], closes: boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
      let text = "";
      socket.setEncoding("utf8");
      socket.on("data", (piece) => (text += piece));
      socket.on("error", reject);
      socket.on("end", () => {
        socket.end();
        resolve(text);
      });
      for (const piece of pieces) socket.write(piece);
      if (closes) socket.end();
    });
  }
  const GET = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

  test("gets 100 answers to 100 pipelined requests", async () => {
    expect(readResponses(await talk([GET.repeat(100)], true)).length).toBe(100);
  });

  test("gets its answer after it has closed its side", async () => {
    expect(
      readResponses(await talk(["GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"], true))[0]?.body.length,
    ).toBe(50_002);
  });

  test("is answered and closed for bytes that are no request", async () => {
    const [response, ...more] = readResponses(
      await talk([`GET / HTTP/1.1\nHost: localhost\n\n${GET}`], false),
    );
    expect(response?.status).toBe(400);
    expect(more).toEqual([]);
  });

  test("reads the answer that ended the connection, although it has sent more", async () => {
    const wire = `POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n`;
    const [response] = readResponses(await talk([wire, ...Array(10).fill("x".repeat(100_000))], false));
    expect(response?.status).toBe(404);
  });
});
