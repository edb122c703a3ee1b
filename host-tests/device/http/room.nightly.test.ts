/** Room for others (docs/spec/http.md#connections): what one peer holds, and what honest ones are never denied. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { installOverUsb } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { UsbClient } from "../../hosts/usb-client.js";

const ATTACKER = "127.0.0.66";
const PHONE = "127.0.0.2";
const PAGE = "127.0.0.3";
const SVC = "127.0.0.4";

let console: AppConsole;
let port: number;
let file: Uint8Array;
beforeAll(async () => {
  console = await startAppConsole();
  port = Number(new URL(console.http).port);
  const filler = Array.from({ length: 290 }, (_, at) => createHash("sha256").update(`${at}`).digest("hex"));
  const text = filler.join("").replace(/../g, "\\$&"); // nothing that could be compressed
  file = packageOf(
    await moduleOf(`(module (memory 1) (data (i32.const 0) "${text}") (func (export "main")))`),
  );
});
afterAll(() => console.stop());

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
  readonly retryAfterS: number;
}

/** One request; the body is sent as `write` wants it. */
function ask(
  options: http.RequestOptions,
  write = (request: http.ClientRequest): unknown => request.end(),
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let hasAnswer = false;
    const request = http.request({ host: "127.0.0.1", port, ...options }, (response) => {
      hasAnswer = true;
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => (text += piece));
      response.on("end", () =>
        resolve({ status: response.statusCode, text, retryAfterS: Number(response.headers["retry-after"]) }),
      );
    });
    request.on("error", (error) => {
      // RFC 9110 §9.2.2: an idle connection may be closed in the moment in which it is used, and one without a request
      // is idle after 2 s, which a busy machine may take. A GET without an answer is asked again.
      if (!hasAnswer && options.method === undefined) ask(options, write).then(resolve, reject);
      else reject(error);
    });
    write(request);
  });
}

/** Asks again and again with so many connections at a time, until told to stop. @returns every status */
async function poll(
  localAddress: string,
  connections: number,
  until: AbortSignal,
): Promise<(number | undefined)[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const statuses: (number | undefined)[] = [];
  const one = async () => {
    while (!until.aborted) {
      const { status, retryAfterS } = await ask({ agent, localAddress, path: "/api/status" });
      // Where memory is short for a moment nothing is lost: it is said when to ask again.
      if (status !== 503 || retryAfterS !== 1) statuses.push(status);
      await delay(100);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  agent.destroy();
  return statuses;
}

/** Retries on request while memory is short: no client may be cut off, and all must succeed. */
async function asked(options: http.RequestOptions, write: (request: http.ClientRequest) => unknown) {
  for (let left = 5; ; left--) {
    const reply = await ask(options, write);
    if (reply.status !== 503 || reply.retryAfterS !== 1 || left === 0) return reply;
    await delay(1000 * reply.retryAfterS);
  }
}

/** On a connection of its own: an upload on a kept one, closed in that moment, could not be sent again. */
const install = (localAddress: string, headers: http.OutgoingHttpHeaders) => ({
  agent: false,
  localAddress,
  method: "POST",
  path: "/api/apps/install",
  headers: { "x-svc-signature": console.publisher.sign(file), ...headers },
});

/** What comes over a connection from now on, until it is closed. */
async function everything(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data) => (text += data));
  if (!socket.closed) await once(socket, "close");
  return text;
}

/** Opens a connection whose request has begun, and brings a byte of its body now and then. */
async function slowBody(path: string, byteLength: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, localAddress: ATTACKER });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${byteLength}\r\n\r\n\0asm\x01\0\0\0`,
  );
  const trickle = setInterval(() => socket.write("x"), 1000);
  socket.on("close", () => clearInterval(trickle));
  return socket;
}

describe("One peer with slow bodies", () => {
  test("locks out no other client: requests are answered, a USB install succeeds, and its own requests end", async () => {
    const holder = await slowBody("/api/apps/install", 100_000);
    const others = await Promise.all(
      Array.from({ length: 11 }, () => slowBody("/api/apps/install?chunk=1&total=99", 3072)),
    );
    const attackers = [holder, ...others].map(everything);

    const stop = new AbortController();
    const page = poll(PAGE, 1, stop.signal);
    const usb = await UsbClient.open(console.usb);
    const signed = { file, signature: console.publisher.sign(file) };
    let installed = await installOverUsb(usb, signed, 3072);
    if (installed.status === 503) {
      // What the peer holds is given up for the cable, and is collected by the time it is told to ask again.
      await delay(1000 * installed.body.retry_after_s);
      installed = await installOverUsb(usb, signed, 3072);
    }
    expect([installed.status, installed.body.name]).toEqual([200, "tetris"]);
    expect((await usb.request("POST", "/api/apps/uninstall", { name: "tetris" })).status).toBe(200);
    await usb.close();

    const ends = await Promise.all(attackers);
    const codes = ends.map(
      (text) => /^HTTP\/1.1 (\d+)[\s\S]*"error":"(\w+)"/.exec(text)?.slice(1).join(" ") ?? "",
    );
    expect(["409 upload_busy", ""]).toContain(codes[0]); // by the cable, or closed for want of memory
    for (const code of codes.slice(1))
      expect(["", "503 busy", "408 request_timeout", "409 upload_busy"]).toContain(code);
    stop.abort();
    expect(new Set(await page)).toEqual(new Set([200]));
  }, 60_000);
});

describe("Slow but honest clients", () => {
  test("are all served: two pages, a log viewer, an upload at 30 KB/s and an upload in single bytes", async () => {
    const stop = new AbortController();
    const polling = [poll(PHONE, 6, stop.signal), poll(PAGE, 2, stop.signal), poll(SVC, 1, stop.signal)];
    onTestFinished(async () => {
      stop.abort();
      await Promise.allSettled(polling);
    });
    const log = new WebSocket(console.ws, { localAddress: PAGE } as never);
    await once(log, "open");

    const paced = await asked(install(SVC, { "content-length": file.length }), async (request) => {
      for (let at = 0; at < file.length; at += 3000) {
        request.write(file.subarray(at, at + 3000));
        await delay(100);
      }
      request.end();
    });
    expect([paced.status, JSON.parse(paced.text).name]).toEqual([200, "tetris"]);

    const trickled = await asked(install(SVC, { "transfer-encoding": "chunked" }), async (request) => {
      request.setNoDelay(true);
      // Each write is a chunk of its own (RFC 9112 §7.1), of one byte: 280 of them a second.
      for (let at = 0; at < file.length; at += 28) {
        for (const byte of file.subarray(at, at + 28)) request.write(Uint8Array.of(byte));
        await delay(95);
      }
      request.end();
    });
    expect([trickled.status, JSON.parse(trickled.text).name]).toEqual([200, "tetris"]);

    stop.abort();
    for (const statuses of await Promise.all(polling)) {
      expect(statuses.length).toBeGreaterThan(50);
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    expect(log.readyState).toBe(WebSocket.OPEN);
    log.terminate();
  }, 120_000);
});
