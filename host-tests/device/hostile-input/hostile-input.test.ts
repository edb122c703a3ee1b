/**
 * No bytes from outside exhaust a console by their shape: whatever is sent to any of its ports, the same run of the
 * same process answers it and goes on. With the token asked for and without, on the heap of
 * 64 bits and on that of a board (docs/spec/memory.md#bounded-input).
 */
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askHeap } from "../../hosts/heap-report.js";
import { type Console, heapVariants, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import {
  BYTES_THAT_ARE_NOT_UTF8,
  ENCODINGS,
  FIELDS,
  filled,
  HEADS,
  HTTP_SHAPES,
  type HttpShape,
  LONG_HEAD,
  LONG_HEADS,
  PIECES,
  TARGETS,
  USB_LINES,
} from "./shapes.js";

const ANSWER_LIMIT_MS = 20_000;
/** What a transfer coding is refused with that is none of HTTP's (RFC 9112 §6.1). */
const NOT_IMPLEMENTED = 501;
/** Where many come at a time. */
const BUSY = 503;
/** As many connections as a port serves. */
const PARALLEL = 8;
/** That one address may hold, beside which there is a place for another. */
const HALF_HEADS = 6;

for (const variant of heapVariants)
  for (const auth of ["off", "on"] as const)
    describe(`A console (${variant}, CONFIG_SVC_HTTP_AUTH ${auth})`, () => {
      let simulated: Console;
      let token = "";
      let uptimeMs = 0;

      beforeAll(async () => {
        simulated = await startConsole({ variant, flags: ["--config", `CONFIG_SVC_HTTP_AUTH=${auth}`] });
        const usb = await UsbClient.open(simulated.usb);
        token = (await usb.request("GET", "/api/auth/token")).body.token;
        await usb.close();
        await expectSameRun();
      });
      afterAll(() => simulated.stop());

      /** Expects that neither the process nor its firmware has restarted. */
      async function expectSameRun(): Promise<void> {
        process.kill(simulated.pid, 0);
        const answer = await send(simulated.http, { name: "status" }, token);
        expect(answer.status).toBe(200);
        expect(answer.body.uptime_ms).toBeGreaterThan(uptimeMs);
        uptimeMs = answer.body.uptime_ms;
        expect(simulated.stderr.filter((line) => /^console: (?!heap \{)/.test(line))).toEqual([]);
      }

      /** Sends each request. @returns those that were not rejected */
      async function notRefused(origin: string, shapes: readonly HttpShape[], bearer: string | undefined) {
        const passed: string[] = [];
        for (const shape of shapes) {
          const { status } = await send(origin, shape, bearer);
          const isRefused = (status >= 400 && status < 500) || status === NOT_IMPLEMENTED;
          if (!isRefused && !(shape.mayPass && status === 200)) passed.push(`${shape.name}: ${status}`);
        }
        await expectSameRun();
        return passed;
      }

      const ports = [
        { port: "8080", origin: () => simulated.http },
        { port: "8081", origin: () => simulated.ws.replace("ws:", "http:") },
      ];
      for (const { port, origin } of ports) {
        test(`rejects targets of many parts (port ${port})`, async () =>
          expect(await notRefused(origin(), TARGETS, token)).toEqual([]));

        test(`rejects fields of many members (port ${port})`, async () =>
          expect(await notRefused(origin(), FIELDS, token)).toEqual([]));

        test(`rejects heads of many fields, and bodies of many parts (port ${port})`, async () =>
          expect(await notRefused(origin(), HEADS, token)).toEqual([]));

        test(`rejects invalid UTF-8 (port ${port})`, async () =>
          expect(await notRefused(origin(), ENCODINGS, token)).toEqual([]));

        test(`rejects all of these without a token, with a foreign Host and with a foreign Origin (port ${port})`, async () => {
          const shapes = HTTP_SHAPES.filter(
            ({ fieldLines = "" }) => !/^(host|origin|authorization):/i.test(fieldLines),
          );
          const page = "Origin: http://evil.example\r\n";
          if (auth === "on")
            expect(
              await notRefused(
                origin(),
                shapes.filter(({ target }) => !target?.startsWith("/?")),
                undefined,
              ),
            ).toEqual([]);
          const asked = { mayPass: false };
          const foreign = shapes.map((shape) => ({ ...shape, ...asked, host: "evil.example" }));
          expect(await notRefused(origin(), foreign, token)).toEqual([]);
          const pages = shapes.map((shape) => ({
            ...shape,
            ...asked,
            fieldLines: page + (shape.fieldLines ?? "").slice(0, 3800),
          }));
          expect(
            await notRefused(
              origin(),
              pages.filter(({ fieldLines }) => fieldLines.endsWith("\r\n")),
              token,
            ),
          ).toEqual([]);
        });

        test(`survives separators in any place (port ${port})`, () =>
          fc
            .assert(
              fc.asyncProperty(
                fc.constantFrom(...PLACES),
                fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }),
                async (place, pieces) => {
                  const { status } = await send(origin(), place(pieces.join("")), token);
                  expect(
                    status === 200 || status === NOT_IMPLEMENTED || (status >= 400 && status < 500),
                    String(status),
                  ).toBe(true);
                },
              ),
              { numRuns: 60 },
            )
            .then(expectSameRun));
      }

      test("survives eight of these requests at a time on each port", async () => {
        const statuses = new Set<number>();
        for (let at = 0; at < HTTP_SHAPES.length; at += PARALLEL)
          for (const { origin } of ports) {
            const answers = HTTP_SHAPES.slice(at, at + PARALLEL).map((shape) => send(origin(), shape, token));
            for (const { status } of await Promise.all(answers)) statuses.add(status);
          }
        const expected = (status: number) =>
          [200, NOT_IMPLEMENTED, BUSY].includes(status) || (status >= 400 && status < 500);
        expect([...statuses].filter((status) => !expected(status))).toEqual([]);
        await expectSameRun();
      });

      for (const count of [0, HALF_HEADS])
        test(`survives long heads without a token, and frees its heap, beside ${count} incomplete heads`, async () => {
          const mix = fc.sample(LONG_HEAD, { numRuns: 300, seed: 20_261_122 });
          await send(simulated.http, { name: "status" }, token); // what the first request leaves for all others
          const before = await askHeap(simulated);
          const held = await holdHalfHeads(simulated.http, count);
          for (const { origin } of ports) {
            const { host } = new URL(origin());
            for (const [at, head] of [...LONG_HEADS, ...mix].entries()) {
              // No address has ten guesses at the token, which would be answered the same from then on.
              const from = `127.0.1.${1 + (at % 100)}`;
              const { status } = await exchange(origin(), head(host), from);
              expect(
                [200, 204, NOT_IMPLEMENTED, BUSY].includes(status) || (status >= 400 && status < 500),
                `${head(host).slice(0, 200)}: ${status}`,
              ).toBe(true);
            }
          }
          for (const socket of held) socket.destroy();
          await expectSameRun();
          const slotScale = variant === "m32" ? 1 : 2;
          expect((await askHeap(simulated)).live_bytes - before.live_bytes).toBeLessThan(
            6 * 1024 * slotScale,
          );
        });

      test("rejects lines of many values over USB", async () => {
        const usb = await UsbClient.open(simulated.usb);
        const statuses: string[] = [];
        for (const { name, line } of USB_LINES) {
          usb.send(Buffer.concat([Buffer.from(line as string), Buffer.from("\n")]));
          const { status } = await usb.answer(() => true);
          if (status < 400 || status > 499) statuses.push(`${name}: ${status}`);
        }
        expect(statuses).toEqual([]);
        await usb.close();
        await expectSameRun();
      });

      test("rejects invalid UTF-8 over USB", async () => {
        const usb = await UsbClient.open(simulated.usb);
        for (const bytes of BYTES_THAT_ARE_NOT_UTF8)
          for (const [before, after] of [
            ['{"jsonrpc":"2.0","id":1,"method":"GET","path":"/api/', '"}\n'],
            ['{"jsonrpc":"2.0","id":1,"method":"GET","path":"/api/cmd","params":{"c":"ls /lfs/', '"}}\n'],
          ] as const) {
            usb.send(Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]));
            expect(await usb.answer(() => true)).toMatchObject({
              status: 400,
              body: { error: "bad_encoding" },
            });
          }
        await usb.close();
        await expectSameRun();
      });

      test("survives separators in any place of a line over USB", async () => {
        const usb = await UsbClient.open(simulated.usb);
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...LINES),
            fc.array(fc.constantFrom(...LINE_PIECES), { minLength: 1, maxLength: 3 }),
            async (line, pieces) => {
              usb.send(`${line(pieces.join(""))}\n`);
              const { status } = await usb.answer(() => true);
              expect(status === 200 || (status >= 400 && status < 500), String(status)).toBe(true);
            },
          ),
          { numRuns: 100 },
        );
        await usb.close();
        await expectSameRun();
      });
    });

/** Where a piece can be put again and again in a request. */
const PLACES: readonly ((piece: string) => HttpShape)[] = [
  ...[
    "/",
    "/api/status?",
    "/api/status?a=",
    "/api/cmd?c=",
    "/api/cmd?c=ls+",
    "/api/cmd?c=cat+%22",
    "/ws?",
    "/ws?token=",
    "//",
    "/api/logs?since=",
  ].map((start) => (piece: string) => ({
    name: start,
    target: filled(piece.replaceAll(/[ \t]/g, "+"), 3150, start),
  })),
  ...[
    "Connection",
    "Transfer-Encoding",
    "Host",
    "Origin",
    "Upgrade",
    "Expect",
    "Authorization",
    "Content-Type",
    "X",
    "Sec-WebSocket-Key",
  ].map((name) => (piece: string) => ({ name, fieldLines: `${filled(piece, 3900, `${name}: `)}\r\n` })),
  (piece) => ({ name: "body", method: "POST", target: "/api/cmd", body: filled(piece, 8000) }),
];

const LINE_PIECES = [
  "[",
  "]",
  "[]",
  "{}",
  "{",
  "}",
  ",",
  ":",
  '"',
  '""',
  "0",
  "\\",
  "\\u0000",
  " ",
  "[],",
  "{},",
  '"a":',
  '"":0,',
  "&",
  "/",
  "a ",
];
const CALL = '"jsonrpc":"2.0","id":1,"method":"GET"';
const LINES: readonly ((piece: string) => string)[] = [
  (piece) => filled(piece, 1000),
  (piece) => filled(piece, 5100, "["),
  (piece) => `{${filled(piece, 900, `${CALL},"path":"/api/status","x":[`)}]}`,
  (piece) => `{${filled(piece, 900, `${CALL},"path":"/api/status?`)}"}`,
  (piece) => `{${filled(piece, 900, `${CALL},"path":"/api/cmd","params":{"c":"`)}"}}`,
  (piece) => `{${CALL},"path":"/api/status","chunk":0,"total":1,"data":"${filled(piece, 4500)}"}`,
];

interface Answer {
  /** 0 where the console closed without one. */
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly body: any;
}

function send(origin: string, shape: HttpShape, token: string | undefined): Promise<Answer> {
  return exchange(origin, requestOf(shape, new URL(origin).host, token));
}

/** Connections from another address of the loopback, each with a part of a head that is a long one already. */
function holdHalfHeads(origin: string, count: number): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(origin);
  const held = Array.from({ length: count }, () => {
    const socket = connect({ port: Number(port), host: hostname, localAddress: "127.0.0.2" });
    return new Promise<Socket>((resolve, reject) => {
      socket.once("error", reject);
      socket.write(filled("a", 1200, "GET / HTTP/1.1\r\nX: "), () => resolve(socket));
    });
  });
  return Promise.all(held);
}

/** Sends one request, each character of which is a byte, on a connection of its own. @param localAddress of the loopback */
function exchange(origin: string, request: string, localAddress?: string): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  const socket = connect(
    { port: Number(port), host: hostname, ...(localAddress !== undefined && { localAddress }) },
    () => socket.write(request, "latin1"),
  );
  return new Promise((resolve) => {
    let received = "";
    const settle = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answerOf(received));
    };
    const timer = setTimeout(settle, ANSWER_LIMIT_MS);
    socket.on("data", (data) => {
      received += data;
      if (isWhole(received)) settle();
    });
    socket.on("close", settle);
    socket.on("error", settle);
  });
}

function requestOf(
  { method = "GET", target = "/api/status", fieldLines = "", host, body }: HttpShape,
  own: string,
  token: string | undefined,
) {
  let head = `${method} ${target} HTTP/1.1\r\n`;
  if (!/^host:/im.test(fieldLines)) head += `Host: ${host ?? own}\r\n`;
  if (token !== undefined && !/^authorization:/im.test(fieldLines))
    head += `Authorization: Bearer ${token}\r\n`;
  if (body !== undefined) head += `Content-Length: ${body.length}\r\n`;
  return `${head}${fieldLines}\r\n${body ?? ""}`;
}

function isWhole(received: string): boolean {
  const end = received.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: ([0-9]+)\r\n/.exec(received.slice(0, end + 2))?.[1];
  return end >= 0 && (length === undefined || Buffer.byteLength(received.slice(end + 4)) >= Number(length));
}

function answerOf(received: string): Answer {
  const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(received)?.[1] ?? 0);
  const text = received.slice(received.indexOf("\r\n\r\n") + 4);
  return { status, body: text.startsWith("{") ? JSON.parse(text) : undefined };
}
