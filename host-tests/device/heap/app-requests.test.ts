/**
 * Apps with as many HTTP requests as they get, and servers that answer late with the largest heads: neither fills the heap of a
 * board, nor keeps its owner from stopping the apps (docs/spec/app-abi-and-quotas.md#http-handle).
 */
import { type AddressInfo, createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { installInTime } from "../../hosts/heavy-apps.js";
import { getJson } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";

const APPS = 4;
/** A little below the limit of a head, of which an answer keeps all. */
const HEAD_BYTES = 3900;
const LATE_MS = 1500;

const escaped = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");

/** Opens three requests, and closes none. */
const greedy = (request: string) => `(module
  (import "svc" "http_request" (func $request (param i32 i32) (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32)))
  (memory 1) (data (i32.const 0) "${escaped(request)}")
  (func $open (drop (call $request (i32.const 0) (i32.const ${Buffer.byteLength(request)}))))
  (func (export "main")
    (call $sleep (i32.const 500)) (call $open) (call $open) (call $open)
    (loop $again (call $sleep (i32.const 50)) (br $again))))`;

let console: AppConsole;
let server: Server;
let connections: number;
afterEach(async () => {
  expect(await console.stop()).toBe(0);
  server.close();
});

/** @returns port of a server that answers late, with a large head and a body that nobody reads */
async function startLateServer(): Promise<number> {
  connections = 0;
  server = createServer((socket) => {
    connections++;
    socket.on("error", () => {});
    socket.on("data", () => {});
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n";
    while (head.length < HEAD_BYTES) head += `x-${head.length}: ${"y".repeat(100)}\r\n`;
    setTimeout(() => socket.write(`${head}\r\n${"b".repeat(16_384)}`), LATE_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

test.skipIf(isMissing("multilib")).each([
  ["large heads", ""],
  ["large heads and requests", `\n\n${"z".repeat(3900)}`],
])(
  "Four apps with %s leave the console's owner room to stop them",
  async (_, body) => {
    const port = await startLateServer();
    console = await startAppConsole({ variant: "m32" });
    const module = await moduleOf(greedy(`POST http://127.0.0.1:${port}/${body}`));
    const names = Array.from({ length: APPS }, (_none, index) => `greedy-${index}`);
    for (const name of names) {
      const file = packageOf(module, { name, capabilities: ["network.use"] });
      await installInTime(console, { file, signature: console.publisher.sign(file) });
    }
    for (const name of names) expect((await console.app("start", name)).status).toBe(200);
    await expect.poll(() => connections).toBe(2);
    await pause(LATE_MS + 500);
    for (const name of names) expect((await console.app("stop", name)).status).toBe(200);
    expect(connections).toBe(2);
    expect(await getJson(`${console.http}/api/apps/list`)).toHaveLength(APPS);
    expect(console.stderr.filter((line) => /memory full|reset reason is crash/.test(line))).toEqual([]);
  },
  90_000,
);
