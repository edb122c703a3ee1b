/** The HTTP server of the simulated console, with real clients over real sockets (docs/spec/http.md). */
import { execFileSync } from "node:child_process";
import { Agent, type ClientRequest, get, type RequestOptions, request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../device/services/api/endpoints.js";
import { isMissing } from "../../hosts/peers.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";

let simulated: Console;
beforeAll(async () => {
  simulated = await startConsole({});
});
afterAll(() => simulated.stop());

const portOf = () => Number(new URL(simulated.http).port);

/** Sends bytes as they are and returns everything until the console closes. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(portOf(), "127.0.0.1", () => socket.write(bytes));
    let received = "";
    socket.on("data", (data) => {
      received += data;
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}

test("Node's http client reuses one connection", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  for (let request = 0; request < 20; request += 1)
    await new Promise<void>((resolve, reject) => {
      get(`${simulated.http}/api/status`, { agent }, (answer) => {
        ports.add(answer.socket.localPort);
        answer.resume().on("end", resolve);
      }).on("error", reject);
    });
  agent.destroy();
  expect(ports.size).toBe(1);
});

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
  readonly byteLength: string | undefined;
  readonly socket: unknown;
}

/** One request of Node's client. @param write sends the body; left out: there is none */
function ask(options: RequestOptions, write = (sent: ClientRequest): unknown => sent.end()): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: portOf(), ...options }, async (answer) => {
      const { socket, statusCode: status } = answer;
      const text = String(Buffer.concat(await answer.toArray()));
      resolve({ status, text, byteLength: answer.headers["content-length"], socket });
    });
    sent.on("error", reject);
    write(sent);
  });
}

test("Node's http client gets the head of a large file for HEAD, and uses the connection again for the file", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const head = await ask({ agent, method: "HEAD", path: "/panels.js" });
  const file = await ask({ agent, path: "/panels.js" });
  expect([head.status, head.text, head.byteLength]).toEqual([200, "", file.byteLength]);
  expect(file.socket).toBe(head.socket);
  agent.destroy();
});

test("Node's http client reads why a long body is rejected although it is still sending it", async () => {
  const headers = { "content-length": 1_000_000 };
  const { status, text } = await ask({ method: "POST", path: "/api/nothing", headers }, (sent) => {
    sent.on("error", () => {}); // the rest of the body may meet a closed connection
    sent.end(Buffer.alloc(1_000_000));
  });
  expect([status, JSON.parse(text).error]).toEqual([404, "not_found"]);
});

test("Node's http client sends its body after 100 Continue", async () => {
  let isTold = false;
  const headers = { expect: "100-continue", "content-length": 4 };
  const { status } = await ask({ method: "POST", path: "/api/apps/install", headers }, (sent) => {
    sent.flushHeaders();
    sent.on("continue", () => {
      isTold = true;
      sent.end("body");
    });
  });
  expect([isTold, status]).toEqual([true, 415]);
});

test("bytes that are no request are answered and the connection ends, whatever is behind them", async () => {
  const next = "GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const received = await exchange(`GET /api/status HTTP/1.1\nHost: localhost\n\n${next}`);
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
});

describe.skipIf(isMissing("curl"))("curl (skipped if not installed)", () => {
  const run = (...args: string[]) => execFileSync("curl", ["-sS", ...args], { encoding: "utf8" });

  test("gets the status", () =>
    expect(JSON.parse(run(`${simulated.http}/api/status`))).toHaveProperty("fw_version"));
  test("gets only the head with -I", () =>
    expect(run("-I", `${simulated.http}/api/status`)).toMatch(/^HTTP\/1.1 200 /));
  test("speaks HTTP/1.0", () =>
    expect(JSON.parse(run("-0", `${simulated.http}/api/status`))).toHaveProperty("fw_version"));
  test("posts a chunked body to an unknown path and gets 404", () =>
    expect(
      run(
        "-X",
        "POST",
        "-H",
        "Transfer-Encoding: chunked",
        "-d",
        "x",
        "-w",
        "%{http_code}",
        `${simulated.http}/api/nothing`,
      ),
    ).toMatch(/404$/));
});

test("100 pipelined requests are answered in order", async () => {
  const one = (n: number) =>
    `GET /api/cmd?c=${n} HTTP/1.1\r\nHost: localhost\r\n${n === 99 ? "Connection: close\r\n" : ""}\r\n`;
  const received = await exchange(Array.from({ length: 100 }, (_, n) => one(n)).join(""));
  const answered = [...received.matchAll(/There is no command \\"(\d+)\\"/g)].map((match) =>
    Number(match[1]),
  );
  expect(answered).toEqual(Array.from({ length: 100 }, (_, n) => n));
});

test("a peer with seven open connections gets 503 busy, while other peers are served", async () => {
  const second = await startConsole({});
  const port = Number(new URL(second.http).port);
  const open = (localAddress: string) =>
    new Promise<Socket>((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", localAddress }, () => resolve(socket));
    });
  const answer = (socket: Socket) =>
    new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
  const seven = await Promise.all(Array.from({ length: 7 }, () => open("127.0.0.1")));
  for (const socket of seven) socket.write("GET /api/status HTTP/1.1\r\n");
  expect(await answer(await open("127.0.0.1"))).toMatch(
    /^HTTP\/1.1 503 [\s\S]*\r\nretry-after: 1\r\n[\s\S]*"error":"busy"/,
  );
  const other = await open("127.0.0.2");
  other.write("GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await answer(other)).toMatch(/^HTTP\/1.1 200 /);
  const third = await open("127.0.0.3"); // closes the one of 127.0.0.2, which is only kept alive
  third.write("GET /api/status HTTP/1.1\r\n");
  expect(await answer(await open("127.0.0.4"))).toMatch(/^HTTP\/1.1 503 /);
  seven[0]?.destroy();
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/api/status`)).status).toBe(503);
  third.destroy();
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/api/status`)).status).toBe(200);
  for (const socket of seven) socket.write("Host: localhost\r\nConnection: close\r\n\r\n");
  for (const socket of seven.slice(1)) expect(await answer(socket)).toMatch(/^HTTP\/1.1 200 /);
  await second.stop();
});

const FOREIGN = [
  { name: "a foreign host name", head: "Host: evil.example", code: "foreign_host" },
  {
    name: "a foreign page",
    head: "Host: localhost\r\nOrigin: https://evil.example",
    code: "foreign_origin",
  },
  { name: "a page without an origin", head: "Host: localhost\r\nOrigin: null", code: "foreign_origin" },
];
for (const { name, head, code } of FOREIGN)
  test(`a request from ${name} is 403 ${code}`, async () => {
    const received = await exchange(`POST /api/reboot HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`);
    expect(received).toMatch(new RegExp(`^HTTP/1.1 403 [\\s\\S]*"error":"${code}"`));
  });

const LISTED = "https://console.example";

describe("with CONFIG_SVC_HTTP_AUTH on", () => {
  let guarded: Console;
  let token: string;
  beforeAll(async () => {
    const flags = ["CONFIG_SVC_HTTP_AUTH=on", `CONFIG_SVC_HTTP_ALLOWED_ORIGINS=${LISTED}`];
    guarded = await startConsole({ flags: flags.flatMap((flag) => ["--config", flag]) });
    const usb = await UsbClient.open(guarded.usb);
    token = (await usb.request("GET", "/api/auth/token")).body.token;
    await usb.close();
  });
  afterAll(() => guarded.stop());

  const ask = (headers: Record<string, string>) => fetch(`${guarded.http}/api/status`, { headers });

  describe("and an origin listed", () => {
    const preflight = (origin: string, fields: Record<string, string> = {}) =>
      fetch(`${guarded.http}/api/status`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST", ...fields },
      });

    test("its pages can read every answer, errors included", async () => {
      for (const path of ["/api/status", "/"]) {
        const { headers, status } = await fetch(guarded.http + path, { headers: { origin: LISTED } });
        expect([status, headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([
          ...[path === "/" ? 200 : 401, LISTED, "Origin"],
        ]);
      }
    });
    test("a preflight of its pages is answered without a token", async () => {
      const { headers, status } = await preflight(LISTED);
      expect([status, headers.get("access-control-allow-origin")]).toEqual([204, LISTED]);
      expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST");
      expect(headers.get("access-control-allow-headers")).toBe(
        "authorization, content-type, x-svc-signature",
      );
      expect(headers.has("access-control-allow-private-network")).toBe(false);
    });
    test("they may access the private network if they ask for it", async () => {
      const { headers } = await preflight(LISTED, { "access-control-request-private-network": "true" });
      expect(headers.get("access-control-allow-private-network")).toBe("true");
    });
    test("pages of another origin get 403 without a CORS field, also for a preflight", async () => {
      const asked = await fetch(`${guarded.http}/`, { headers: { origin: "https://evil.example" } });
      for (const { headers, status } of [asked, await preflight("https://evil.example")])
        expect([status, headers.get("access-control-allow-origin")]).toEqual([403, null]);
    });
  });

  test("the token is 32 bytes in base64url, read over USB", () => expect(token).toMatch(/^[\w-]{43}$/));
  test("a request with the token is 200", async () =>
    expect((await ask({ authorization: `Bearer ${token}` })).status).toBe(200));
  test("a request without the token is 401 with a challenge", async () => {
    const answer = await ask({});
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Bearer/),
    ]);
  });
  for (const { method, path, right } of ENDPOINTS.filter(({ transport }) => transport !== "usb"))
    test(`${method} ${path} ${right === "page" ? "needs no token" : "needs the token"}`, async () => {
      const { status } = await fetch(`${guarded.http}${path}`, { method });
      expect(status).toBe(right === "page" ? 200 : 401);
    });
  test("only the page and its scripts need no token", () =>
    expect(ENDPOINTS.filter(({ right }) => right === "page").map(({ path }) => path)).toEqual([
      "/",
      "/console.js",
      "/panels.js",
    ]));
  test("after ten failures in a minute, even the token gets 429 with Retry-After", async () => {
    const statuses = [];
    for (let failure = 0; failure < 11; failure += 1)
      statuses.push((await ask({ authorization: "Bearer wrong" })).status);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(9);
    expect((await ask({ authorization: `Bearer ${token}` })).headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

test("an unknown build option prevents the start, with a message", async () => {
  await expect(startConsole({ flags: ["--config", "CONFIG_SVC_NOPE=1"] })).rejects.toThrow(/CONFIG_SVC_NOPE/);
});
