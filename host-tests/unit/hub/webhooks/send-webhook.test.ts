/** One attempt to deliver an event. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer, type Server } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { sendWebhook } from "../../../../hub/webhooks/send-webhook.js";

const LAN = { allowsPrivate: true };

/** Answers with these bytes, whatever comes. */
async function receiverThat(answer: string | undefined): Promise<Server> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {}); // the hub cuts the connection after the answer
    socket.once("data", () => answer !== undefined && socket.write(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

async function send(server: Server, signal = new AbortController().signal, timeoutMs = 10_000) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return sendWebhook({ url, body: "{}", headers: {} }, { policy: LAN, signal, timeoutMs });
}

describe("An attempt", () => {
  test("ends with the head of the answer, whatever follows", async () => {
    const server = await receiverThat("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nbeginning");
    expect(await send(server)).toEqual({ kind: "answered", status: 200 });
  });

  test("waits no longer than its time, also for the rest of a head", async () => {
    for (const answer of [undefined, "HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 103 Early Hints\r\n\r\n"])
      expect(await send(await receiverThat(answer), undefined, 100)).toEqual({
        kind: "failed",
        error: "timeout",
      });
  });

  for (const [what, answer] of [
    ["is no HTTP", "220 mail.example ESMTP\r\n"],
    ["has a head without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}`],
  ] as const)
    test(`fails if the answer ${what}`, async () => {
      expect(await send(await receiverThat(answer))).toEqual({ kind: "failed", error: "connection_failed" });
    });

  test("counts for nothing if the hub ends, before it or during it", async () => {
    const server = await receiverThat(undefined);
    const ending = new AbortController();
    const sending = send(server, ending.signal);
    setTimeout(() => ending.abort(), 20);
    expect(await sending).toEqual({ kind: "aborted" });
    expect(await send(server, ending.signal)).toEqual({ kind: "aborted" });
  });

  test("leaves no listener at the signal of the hub's end", async () => {
    const server = await receiverThat("HTTP/1.1 204 No Content\r\n\r\n");
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = new Proxy(signal, {
      get(target, name) {
        if (name === "addEventListener") listeners += 1;
        if (name === "removeEventListener") listeners -= 1;
        const member = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    for (let at = 0; at < 3; at++) await send(server, counted);
    expect(listeners).toBe(0);
  });

  test("goes to no private address without the operator's consent", async () => {
    const server = await receiverThat("HTTP/1.1 200 OK\r\n\r\n");
    let connections = 0;
    server.on("connection", () => (connections += 1));
    const { port } = server.address() as AddressInfo;
    const options = { policy: { allowsPrivate: false }, signal: new AbortController().signal };
    for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "127.0.0.1.", "[::ffff:127.0.0.1]", "0.0.0.0"])
      for (const scheme of ["http", "https"]) {
        const url = `${scheme}://${host}:${port}/`;
        const attempt = await sendWebhook({ url, body: "{}", headers: {} }, options);
        expect(attempt).toEqual({ kind: "failed", error: "address_refused" });
      }
    expect(connections).toBe(0);
  });
});
