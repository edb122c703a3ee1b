/** The WebSocket of the simulated console, with the `ws` package as its client (docs/spec/websocket.md). */
import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { getJson } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { upgradeRequest } from "../../unit/services/websocket/served.js";

let simulated: Console;
beforeAll(async () => {
  simulated = await startConsole({});
});
afterAll(() => simulated.stop());

/** A connected client and everything it has received. */
async function follow(address = simulated.ws, options = {}) {
  const socket = new WebSocket(address, options);
  const frames: string[] = [];
  socket.on("message", (data) => frames.push(String(data)));
  await once(socket, "open");
  return { socket, frames };
}

test("buffered log lines arrive as text frames, one line each, ended by LF", async () => {
  const { lines } = await getJson(`${simulated.http}/api/logs`);
  const { socket, frames } = await follow();
  await expect.poll(() => frames).toEqual(lines.map((line: string) => `${line}\n`));
  await fetch(`${simulated.http}/api/cmd?c=log+level+debug`, { method: "POST" });
  socket.close();
  const [code] = await once(socket, "close");
  expect(code).toBe(1005);
});

test("a ping is answered by a pong with the same payload", async () => {
  const { socket } = await follow();
  socket.ping("are you there?");
  const [payload] = await once(socket, "pong");
  expect(String(payload)).toBe("are you there?");
  socket.terminate();
});

/** Why a client was refused. */
async function refusal(address = simulated.ws, options = {}): Promise<string> {
  const [error] = await once(new WebSocket(address, options), "error");
  return String(error);
}

test("a client that offers compression gets none", async () => {
  const { socket } = await follow(simulated.ws, { perMessageDeflate: true });
  expect(socket.extensions).toBe("");
  socket.terminate();
});

test("fragmented messages of a client are ignored", async () => {
  const { socket } = await follow();
  for (const message of ["hello", Buffer.alloc(65_536)]) {
    socket.send(message.slice(0, 2), { fin: false });
    socket.send(message.slice(2), { fin: true });
  }
  socket.ping();
  await once(socket, "pong");
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.terminate();
});

for (const code of [1000, 4000])
  test(`a client that closes with ${code} gets ${code}`, async () => {
    const { socket } = await follow();
    socket.close(code, "enough");
    const [got] = await once(socket, "close");
    expect(got).toBe(code);
  });

test("a message over 64 KiB closes the connection with 1009", async () => {
  const { socket } = await follow();
  socket.send(Buffer.alloc(65_537));
  const [code] = await once(socket, "close");
  expect(code).toBe(1009);
});

test("a request that arrives byte by byte is answered", async () => {
  const { hostname, port } = new URL(simulated.ws);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  for (const character of upgradeRequest()) await new Promise((sent) => socket.write(character, sent));
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 101 /);
  socket.destroy();
});

test("any path but /ws is 404", async () => {
  expect(await refusal(simulated.ws.replace("/ws", "/other"))).toMatch(/404/);
});

test("a foreign page or host is rejected with 403, another version with 426", async () => {
  expect(await refusal(simulated.ws, { origin: "https://evil.example" })).toMatch(/403/);
  expect(await refusal(simulated.ws, { headers: { host: "evil.example" } })).toMatch(/403/);
  expect(await refusal(simulated.ws, { protocolVersion: 8 })).toMatch(/426/);
});

test("the fourth client of an address and the fifth of all are rejected with 503", async () => {
  const clients = [await follow(), await follow(), await follow()];
  expect(await refusal()).toMatch(/503/);
  clients.push(await follow(simulated.ws, { localAddress: "127.0.0.2" }));
  expect(await refusal(simulated.ws, { localAddress: "127.0.0.3" })).toMatch(/503/);
  for (const { socket } of clients) socket.terminate();
});

describe("Node's http client", () => {
  async function ask(method: string) {
    const { hostname, port, pathname: path } = new URL(simulated.ws);
    const request = http.request({ host: hostname, port, method, path }).end();
    const [answer] = (await once(request, "response")) as [http.IncomingMessage];
    return { answer, text: String(Buffer.concat(await answer.toArray())) };
  }

  test("is asked to upgrade", async () => {
    const { answer, text } = await ask("GET");
    expect(answer.statusCode).toBe(426);
    expect(answer.headers).toMatchObject({ upgrade: "websocket", "sec-websocket-version": "13" });
    expect(JSON.parse(text)).toMatchObject({ error: "upgrade_required" });
  });

  test("gets the allowed method", async () => {
    for (const method of ["POST", "HEAD", "DELETE"]) {
      const { answer } = await ask(method);
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET"]);
    }
  });
});

test("a client sends its token in a field or in the query, and gets 1001 when the console ends", async () => {
  const guarded = await startConsole({ flags: ["--config", "CONFIG_SVC_HTTP_AUTH=on"] });
  const usb = await UsbClient.open(guarded.usb);
  const { token } = (await usb.request("GET", "/api/auth/token")).body;
  await usb.close();
  expect(await refusal(guarded.ws)).toMatch(/401/);
  const clients = [
    await follow(guarded.ws, { headers: { authorization: `Bearer ${token}` } }),
    await follow(`${guarded.ws}?token=${token}`),
  ];
  const codes = Promise.all(clients.map(({ socket }) => once(socket, "close").then(([code]) => code)));
  await guarded.stop();
  expect(await codes).toEqual([1001, 1001]);
});

test("where a token is asked for, replacing it ends what was opened with the old one with 1008", async () => {
  const guarded = await startConsole({ flags: ["--config", "CONFIG_SVC_HTTP_AUTH=on"] });
  const usb = await UsbClient.open(guarded.usb);
  const { token } = (await usb.request("GET", "/api/auth/token")).body;
  const { socket } = await follow(`${guarded.ws}?token=${token}`);
  const ended = once(socket, "close");
  const { token: next } = (await usb.request("POST", "/api/auth/token")).body;
  expect((await ended)[0]).toBe(1008);
  expect(await refusal(`${guarded.ws}?token=${token}`)).toMatch(/401/);
  (await follow(`${guarded.ws}?token=${next}`)).socket.terminate();
  await usb.close();
  await guarded.stop();
});

test("a client that does not read does not stop answers to others", async () => {
  const { socket } = await follow();
  socket.pause();
  await fetch(`${simulated.http}/api/cmd?c=log+level+debug`, { method: "POST" });
  for (let request = 0; request < 500; request += 1)
    expect((await fetch(`${simulated.http}/api/status`)).status).toBe(200);
  socket.terminate();
});
