/** The WebSocket of the simulated console, with the `ws` package as its client (docs/spec/websocket.md). */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { getJson } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";

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

test("any path but /ws is 404", async () => {
  const socket = new WebSocket(simulated.ws.replace("/ws", "/other"));
  const [error] = await once(socket, "error");
  expect(String(error)).toMatch(/404/);
});

test("a foreign page is rejected with 403", async () => {
  const socket = new WebSocket(simulated.ws, { origin: "https://evil.example" });
  const [error] = await once(socket, "error");
  expect(String(error)).toMatch(/403/);
});

test("a client that does not read does not stop answers to others", async () => {
  const { socket } = await follow();
  socket.pause();
  await fetch(`${simulated.http}/api/cmd?c=log+level+debug`, { method: "POST" });
  for (let request = 0; request < 500; request += 1)
    expect((await fetch(`${simulated.http}/api/status`)).status).toBe(200);
  socket.terminate();
});
