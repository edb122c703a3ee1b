/** Apps at the console's limits: longest manifest texts, all capabilities, all connections. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { CAPABILITIES } from "../../protocol/capabilities.js";
import { installOverHttp, type Upload } from "./app-clients.js";
import type { AppConsole } from "./app-console.js";
import { packageOf } from "./app-files.js";
import type { HttpAnswer } from "./http-client.js";

export const SLEEPER = `(module (import "svc" "sleep_ms" (func $sleep (param i32))) (memory (export "memory") 1)
  (func (export "main") (loop $again (call $sleep (i32.const 50)) (br $again))))`;

/** Text of an app that opens all its connections after a pause, then sends and receives on each in turn. */
export const connecting = (port: number, waitMs: number) => `(module
  (import "svc" "sleep_ms" (func $sleep (param i32)))
  (import "svc" "net_connect" (func $connect (param i32 i32 i32) (result i32)))
  (import "svc" "net_send" (func $send (param i32 i32 i32) (result i32)))
  (import "svc" "net_receive" (func $receive (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 0) "127.0.0.1")
  (func (export "main") (local $handle i32)
    (call $sleep (i32.const 1500))
    (loop $more
      (br_if $more (i32.gt_s (call $connect (i32.const 0) (i32.const 9) (i32.const ${port})) (i32.const 0))))
    (loop $again
      (local.set $handle (i32.add (i32.const 1) (i32.and (local.get $handle) (i32.const 3))))
      (drop (call $send (local.get $handle) (i32.const 0) (i32.const 100)))
      (drop (call $receive (local.get $handle) (i32.const 0) (i32.const 0x10000) (i32.const ${waitMs})))
      (br $again))))`;

/** Maximum number of connections per app. */
export const CONNECTIONS_OF_AN_APP = 4;

/** Returns an app name of maximum length. */
export const heavyName = (number: number) => `app-${number}-`.padEnd(32, "x");

/** A package with the largest manifest, signed by the console's trusted publisher. */
export function heavyUpload(
  { publisher }: Pick<AppConsole, "publisher">,
  name: string,
  module: Uint8Array,
): Required<Pick<Upload, "file" | "signature">> {
  const capabilities = CAPABILITIES.map((capability) => capability.name);
  const texts = { description: "d".repeat(128), author: "a".repeat(128) };
  const file = packageOf(module, { name, capabilities, ...texts });
  return { file, signature: publisher.sign(file) };
}

/** Attempts of a client that gets 503 as answer. */
const ATTEMPTS = 30;

/** Installs over HTTP, and retries while the console is busy. @throws {Error} after the last attempt */
export async function installInTime(
  console: Pick<AppConsole, "http">,
  upload: Pick<Upload, "file" | "signature">,
): Promise<void> {
  await inTime("install", () => installOverHttp(console, upload));
}

/** Stops an app, running or not, and retries while the console is busy. @throws {Error} after the last attempt */
export async function stopInTime(console: Pick<AppConsole, "app">, name: string): Promise<void> {
  await inTime("stop", () => console.app("stop", name), "app_stopped");
}

/** @param doneError error code that also counts as success, since nothing is left to do */
async function inTime(what: string, ask: () => Promise<HttpAnswer>, doneError?: string): Promise<void> {
  let answered = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { status, body } = await ask();
    if (status === 200 || (doneError !== undefined && body.error === doneError)) return;
    answered = `${status} ${JSON.stringify(body)}`;
    if (status !== 503) break;
    await pause(1000 * body.retry_after_s);
  }
  throw new Error(`The ${what} was answered ${answered}`);
}

/** A TCP server for apps. */
export interface AppServer {
  readonly port: number;
  /** Connections opened so far. */
  readonly connections: number;
  close(): void;
}

/** @param isEchoing true: the server sends received bytes back; false: it sends nothing */
export async function startAppServer(isEchoing: boolean): Promise<AppServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    if (isEchoing) socket.pipe(socket);
    else socket.resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return sockets.length;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
