/** Apps that do their worst at the same time, on a console that everybody watches (docs/spec/apps.md#own-thread). */
import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { AppConsole } from "../../hosts/app-console.js";
import { getJson } from "../../hosts/http-client.js";
import { heapVariants } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import {
  LARGEST_QUOTA_BYTES,
  mustInstall,
  startHostileConsole,
  stopApp,
  stopCleanly,
  whileProbed,
} from "./hostile-apps.js";

const DRAWING = `(import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32)))
  (import "svc" "display_flush" (func $flush)) (memory 64)
  (func (export "main") (loop $again
    (call $fill (i32.const 0) (i32.const 0) (i32.const 240) (i32.const 320) (i32.const 0x1234))
    (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x400000)) (call $flush) (br $again)))`;

const FOUR = [
  { name: "draws", module: DRAWING, memory_quota: LARGEST_QUOTA_BYTES },
  {
    name: "logs",
    module: `(import "svc" "log" (func $log (param i32 i32 i32))) (memory 1)
      (func $fill (memory.fill (i32.const 0) (i32.const 27) (i32.const 200))) (start $fill)
      (func (export "main") (loop $again (call $log (i32.const 3) (i32.const 0) (i32.const 256)) (br $again)))`,
  },
  {
    name: "stores",
    module: `(import "svc" "storage_write" (func $write (param i32 i32 i32 i32) (result i32))) (memory 1)
      (data (i32.const 0) "key")
      (func (export "main") (loop $again
        (br_if $again (i32.eqz (call $write (i32.const 0) (i32.const 3) (i32.const 0) (i32.const 0x10000))))))`,
  },
  {
    name: "starts",
    module: `(import "svc" "app_start" (func $start (param i32 i32) (result i32)))
      (import "svc" "app_list" (func $list (param i32 i32) (result i32))) (memory 1) (data (i32.const 0) "large")
      (func (export "main") (loop $again
        (drop (call $start (i32.const 0) (i32.const 5)))
        (drop (call $list (i32.const 16) (i32.const 60000))) (br $again)))`,
  },
];

/** Takes whatever comes and sends it back. */
async function startEcho(): Promise<net.Server> {
  const echo = net.createServer((peer) => peer.on("error", () => {}).pipe(peer)).listen(0, "127.0.0.1");
  await once(echo, "listening");
  return echo;
}

/** Opens connections until there are no more, then sends, receives and logs on each in turns. */
function echoing(echo: net.Server): string {
  const { port } = echo.address() as net.AddressInfo;
  return `(import "svc" "net_connect" (func $connect (param i32 i32 i32) (result i32)))
    (import "svc" "net_send" (func $send (param i32 i32 i32) (result i32)))
    (import "svc" "net_receive" (func $receive (param i32 i32 i32 i32) (result i32)))
    (import "svc" "log" (func $log (param i32 i32 i32)))
    (memory 1) (data (i32.const 0) "127.0.0.1")
    (func (export "main") (local $handle i32)
      (loop $more
        (br_if $more (i32.gt_s (call $connect (i32.const 0) (i32.const 9) (i32.const ${port})) (i32.const 0))))
      (loop $again
        (local.set $handle (i32.add (i32.const 1) (i32.and (local.get $handle) (i32.const 3))))
        (if (i32.le_s (call $send (local.get $handle) (i32.const 0) (i32.const 0x10000)) (i32.const 0))
          (then unreachable))
        (drop (call $receive (local.get $handle) (i32.const 0) (i32.const 0x10000) (i32.const 1)))
        (call $log (i32.const 3) (i32.const 0) (i32.const 256)) (br $again)))`;
}

describe.each(heapVariants)("on a console built for %s", (variant) => {
  let console: AppConsole;
  beforeAll(async () => {
    console = await startHostileConsole({ variant });
  });
  afterAll(() => stopCleanly(console));

  test("log and screen clients over HTTP, WebSocket and USB are served while four apps load every service", async () => {
    for (const app of FOUR) await mustInstall(console, app);
    const usb = await UsbClient.open(console.usb);
    const socket = new WebSocket(console.ws);
    let frames = 0;
    socket.on("message", () => frames++);
    await once(socket, "open");
    await usb.request("GET", "/api/status");
    try {
      await whileProbed(console, async (prober) => {
        for (const { name } of FOUR) expect((await console.app("start", name)).status).toBe(200);
        await prober.answers(100);
        for (let looks = 0; looks < 3; looks++) {
          const screen = await fetch(`${console.http}/api/screen`);
          expect((await screen.arrayBuffer()).byteLength).toBeGreaterThan(100);
          expect((await getJson(`${console.http}/api/logs`)).lines.length).toBeGreaterThan(0);
          expect((await usb.request("GET", "/api/apps/list")).body.length).toBe(FOUR.length);
        }
        for (const { name } of FOUR)
          expect((await stopApp(console, name)).last_exit).toMatchObject({ reason: "stopped" });
      });
      expect(frames).toBeGreaterThan(0);
      expect(usb.events.some(({ event }) => event === "log")).toBe(true);
    } finally {
      socket.terminate();
      await usb.close();
      for (const { name } of FOUR) await console.app("uninstall", name);
    }
  });

  test("four apps that use all their connections can be stopped, and other requests are answered meanwhile", async () => {
    const echo = await startEcho();
    const names = ["one", "two", "three", "four"];
    try {
      for (const name of names) await mustInstall(console, { name, module: echoing(echo) });
      await whileProbed(console, async (prober) => {
        for (const name of names) expect((await console.app("start", name)).status).toBe(200);
        await prober.answers(80);
        for (const name of names)
          expect((await stopApp(console, name)).last_exit).toMatchObject({ reason: "stopped" });
      });
    } finally {
      for (const name of names) await console.app("uninstall", name);
      echo.close();
    }
  });

  test("other requests are answered while a module of almost 1 MiB is started and stopped repeatedly", async () => {
    const half = "\\01\\02\\03\\04\\05\\06\\07\\08".repeat(61_000);
    await mustInstall(console, {
      name: "large",
      memory_quota: LARGEST_QUOTA_BYTES,
      module: `(memory 16) (data (i32.const 0) "${half}") (data (i32.const 500000) "${half}")
      (func (export "main") (loop $again (br $again)))`,
    });
    await mustInstall(console, {
      module: `(import "svc" "app_start" (func $start (param i32 i32) (result i32)))
      (import "svc" "app_stop" (func $stop (param i32 i32) (result i32))) (memory 1) (data (i32.const 0) "large")
      (func (export "main") (loop $again
        (br_if $again (i32.eqz (i32.or
          (call $start (i32.const 0) (i32.const 5)) (call $stop (i32.const 0) (i32.const 5)))))))`,
    });
    await whileProbed(console, async (prober) => {
      expect((await console.app("start", "hostile")).status).toBe(200);
      await prober.answers(60);
      expect((await stopApp(console)).last_exit).toMatchObject({ reason: "stopped" });
    });
    await console.app("stop", "large"); // it may have been started last
  });
});
