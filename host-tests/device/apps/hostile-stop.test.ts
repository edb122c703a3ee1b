/**
 * Apps that run endlessly: none blocks other clients, and each can be stopped (docs/spec/apps.md#stop-time).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AppConsole } from "../../hosts/app-console.js";
import {
  type HostileApp,
  LARGEST_QUOTA_BYTES,
  mustInstall,
  startHostileConsole,
  stopApp,
  stopCleanly,
  whileProbed,
} from "./hostile-apps.js";

let console: AppConsole;
beforeAll(async () => {
  console = await startHostileConsole();
});
afterAll(() => stopCleanly(console));

/** Status requests answered while an app runs, some 5 ms each. */
const ANSWERS = 40;

const svc = (name: string, parameters: number, result = "i32") =>
  `(import "svc" "${name}" (func $${name} ${parameters ? `(param ${"i32 ".repeat(parameters)})` : ""} (result ${result})))`;
const forever = (body: string) => `(func $main (export "main") (loop $again ${body} (br $again)))`;
const call = (name: string, ...parameters: (number | string)[]) =>
  `(drop (call $${name} ${parameters.map((value) => (typeof value === "number" ? `(i32.const ${value})` : value)).join(" ")}))`;

/** A call that must return `result`; any other result traps, and so ends the app early. */
const expecting = (result: number, name: string, ...parameters: number[]) =>
  `(if (i32.ne (call $${name} ${parameters.map((value) => `(i32.const ${value})`).join(" ")}) (i32.const ${result})) (then unreachable))`;

const MEMORY_64 = `(memory 64)`;
const KEY = `(data (i32.const 0) "key/victim/fallen")`;

interface Case extends Pick<HostileApp, "module"> {
  readonly name: string;
  readonly memory_quota?: number;
}

const SPINNING: readonly Case[] = [
  { name: "an empty loop", module: forever("") },
  {
    name: "a computing loop without calls",
    module: `(func (export "main") (local $x i64) (loop $again
      (local.set $x (i64.add (i64.mul (local.get $x) (i64.const 6364136223846793005)) (i64.const 1))) (br $again)))`,
  },
  {
    name: "a br_table loop",
    module: `(func (export "main") (local $x i32) (loop $a (loop $b
      (local.set $x (i32.add (local.get $x) (i32.const 1)))
      (br_table $a $b $a (i32.and (local.get $x) (i32.const 3))))))`,
  },
  {
    name: "loops nested to the limit",
    module: `(func (export "main") ${"(loop ".repeat(31)} (br 0) ${")".repeat(31)})`,
  },
  { name: "a loop of calls", module: `(func $f) ${forever("(call $f)")}` },
  {
    name: "recursion that returns and starts again",
    module: `(func $f (param $n i32) (if (local.get $n) (then
        (call $f (i32.sub (local.get $n) (i32.const 1))) (call $f (i32.sub (local.get $n) (i32.const 1))))))
      (func (export "main") (call $f (i32.const 40)))`,
  },
  {
    name: "two functions that call each other endlessly",
    module: `(func $ping (param $n i32) (if (local.get $n) (then
        (call $pong (i32.sub (local.get $n) (i32.const 1))) (call $pong (i32.sub (local.get $n) (i32.const 1))))))
      (func $pong (param $n i32) (call $ping (local.get $n)) (call $ping (local.get $n)))
      (func (export "main") (call $ping (i32.const 15)))`,
  },
  {
    name: "recursion through a table",
    module: `(type $t (func (param i32))) (table funcref (elem $f))
      (func $f (param $n i32) (if (local.get $n) (then
        (call_indirect (type $t) (i32.sub (local.get $n) (i32.const 1)) (i32.const 0))
        (call_indirect (type $t) (i32.sub (local.get $n) (i32.const 1)) (i32.const 0)))))
      (func (export "main") (call $f (i32.const 40)))`,
  },
  {
    name: "a start function that never returns",
    module: `(func $start (loop $again (br $again))) (start $start) (func (export "main"))`,
  },
  {
    name: "a sleep of 24 days",
    module: `${svc("sleep_ms", 1)} (func (export "main") ${call("sleep_ms", 0x7fff_ffff)})`,
  },
  { name: "endless sleeps of 0 ms", module: `${svc("sleep_ms", 1)} ${forever(call("sleep_ms", 0))}` },
  {
    name: "endless log lines",
    module: `${svc("log", 3)} (memory 1) ${forever(call("log", 3, 0, 65536))}`,
  },
  {
    name: "endless log lines of control characters",
    module: `${svc("log", 3)} (memory 1) (func $fill (memory.fill (i32.const 0) (i32.const 1) (i32.const 256)))
      (start $fill) ${forever(expecting(0, "log", 3, 0, 256))}`,
  },
  {
    name: "endless log lines below the level",
    module: `${svc("log", 3)} (memory 1) ${forever(call("log", 0, 0, 10))}`,
  },
  {
    name: "endless fills of all memory",
    memory_quota: LARGEST_QUOTA_BYTES,
    module: `${MEMORY_64} ${forever("(memory.fill (i32.const 0) (i32.const 1) (i32.const 0x400000))")}`,
  },
  {
    name: "endless requests for memory past the quota",
    module: `(memory 1) ${forever("(drop (memory.grow (i32.const 1)))")}`,
  },
  {
    name: "endless random fills of all memory",
    memory_quota: LARGEST_QUOTA_BYTES,
    module: `${svc("random", 2)} ${MEMORY_64} ${forever(call("random", 0, 0x40_0000))}`,
  },
  {
    name: "endless rectangles with extreme coordinates",
    module: `${svc("display_fill", 5)} ${svc("display_flush", 0)} ${forever(
      [
        call("display_fill", -0x8000_0000, -0x8000_0000, 0x7fff_ffff, 0x7fff_ffff, -1),
        call("display_fill", 0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff, 1),
        call("display_fill", -0x4000_0000, -0x4000_0000, 0x7fff_ffff, 0x7fff_ffff, 1),
        call("display_fill", 0, 0, -0x8000_0000, -1, 1),
        call("display_flush"),
      ].join(" "),
    )}`,
  },
  {
    name: "endless blits with extreme coordinates",
    memory_quota: LARGEST_QUOTA_BYTES,
    module: `${svc("display_blit", 5)} ${MEMORY_64} ${forever(
      [
        call("display_blit", -0x8000_0000, 0x7fff_ffff, 0x7fff_ffff, 0, 0),
        call("display_blit", -100_000, 0, 0x10_0000, 2, 0),
        call("display_blit", 0, -0x1f_ff00, 1, 0x20_0000, 0),
        call("display_blit", 239, 319, 1448, 1448, 0),
      ].join(" "),
    )}`,
  },
  {
    name: "endless texts as long as memory",
    memory_quota: LARGEST_QUOTA_BYTES,
    module: `${svc("display_text", 5)} ${MEMORY_64}
      ${forever(call("display_text", -0x8000_0000, 0, 0xffff, 0, 0x40_0000))}`,
  },
  {
    name: "endless large texts as long as memory",
    memory_quota: LARGEST_QUOTA_BYTES,
    module: `${svc("display_large_text", 6)} ${MEMORY_64}
      ${forever(call("display_large_text", -0x8000_0000, 0, 4, 0xffff, 0, 0x40_0000))}`,
  },
  {
    name: "endless sprites with extreme numbers",
    memory_quota: LARGEST_QUOTA_BYTES,
    module: `${svc("display_sprite", 10)} ${MEMORY_64} ${forever(
      [
        call("display_sprite", -0x8000_0000, 0x7fff_ffff, 0, 1448, 1448, 1448, 1448, 0, -1, 3),
        call("display_sprite", -1000, -1000, 0, 1448, 1448, 1448, 1448, 0, 0, 3),
        call("display_sprite", 0, 0, 0, 1448, 1448, 1, 1, 2_096_703, 0, 0),
        call("display_sprite", 0, 0, 0, 1448, 1448, -1, -1, 0x7fff_ffff, 0, 0),
        call("display_sprite", 0, 0, 0, 0x20_0000, 1, 0x20_0000, 1, 0, -1, 1),
        call("display_sprite", 0, 0, 0x40_0000, 0, 0x7fff_ffff, 1, 1, 0, -1, 0),
      ].join(" "),
    )}`,
  },
  {
    name: "endless lines, circles and triangles with extreme coordinates",
    module: `${svc("display_line", 5)} ${svc("display_circle", 5)} ${svc("display_triangle", 7)} ${forever(
      [
        call("display_line", -32_767, -32_767, 32_767, 32_767, 1),
        call("display_line", -0x8000_0000, 0x7fff_ffff, 0x7fff_ffff, -0x8000_0000, 1),
        call("display_circle", 32_767, 32_767, 32_767, 1, 1),
        call("display_circle", 120, 160, 0x7fff_ffff, 1, 0),
        call("display_triangle", -32_767, -32_767, 32_767, -32_767, 0, 32_767, 1),
        call("display_triangle", -0x8000_0000, 0, 0x7fff_ffff, 0, 0, 0x7fff_ffff, 1),
      ].join(" "),
    )}`,
  },
  {
    name: "an endlessly moved picture with extreme clips",
    module: `${svc("display_clip", 4)} ${svc("display_scroll", 2)} ${forever(
      [
        call("display_clip", -0x8000_0000, -0x8000_0000, 0x7fff_ffff, 0x7fff_ffff),
        call("display_scroll", 1, 1),
        call("display_clip", -1, -1, 0x7fff_ffff, 0x7fff_ffff),
        call("display_scroll", -0x8000_0000, 0x7fff_ffff),
        call("display_scroll", 1, -1),
      ].join(" "),
    )}`,
  },
  {
    name: "endless writes of a small value",
    module: `${svc("storage_write", 4)} (memory 1) ${KEY} ${forever(expecting(0, "storage_write", 0, 3, 0, 8))}`,
  },
  {
    name: "endless writes of 64 KiB",
    module: `${svc("storage_write", 4)} (memory 1) ${KEY} ${forever(expecting(0, "storage_write", 0, 3, 0, 0x1_0000))}`,
  },
  {
    name: "endless reads of 64 KiB",
    module: `${svc("storage_write", 4)} ${svc("storage_read", 5)} (memory 1) ${KEY}
      (func $store ${expecting(0, "storage_write", 0, 3, 0, 0x1_0000)}) (start $store)
      ${forever(expecting(0x1_0000, "storage_read", 0, 3, 0, 0, 0x1_0000))}`,
  },
  {
    name: "an endless sequence of writes and deletes",
    module: `${svc("storage_write", 4)} ${svc("storage_delete", 2)} (memory 1) ${KEY}
      ${forever(`${expecting(0, "storage_write", 0, 3, 0, 8)} ${expecting(0, "storage_delete", 0, 3)}`)}`,
  },
  {
    name: "endless calls of app_list",
    module: `${svc("app_list", 2)} (memory 1) ${forever(call("app_list", 0, 0x1_0000))}`,
  },
  {
    name: "endless starts and stops of another app",
    module: `${svc("app_start", 2)} ${svc("app_stop", 2)} (memory 1) ${KEY}
      ${forever(`${expecting(0, "app_start", 4, 6)} ${expecting(0, "app_stop", 4, 6)}`)}`,
  },
  {
    name: "endless starts of an app that traps",
    module: `${svc("app_start", 2)} (memory 1) ${KEY} ${forever(call("app_start", 11, 6))}`,
  },
  {
    name: "endless starts and stops of an unknown app",
    module: `${svc("app_start", 2)} ${svc("app_stop", 2)} (memory 1) ${KEY}
      ${forever(`${expecting(-2, "app_start", 0, 3)} ${expecting(-2, "app_stop", 0, 3)}`)}`,
  },
  {
    name: "endless connections to a closed port",
    module: `${svc("net_connect", 3)} ${svc("net_close", 1)} (memory 1) (data (i32.const 0) "127.0.0.1")
      ${forever(call("net_close", "(call $net_connect (i32.const 0) (i32.const 9) (i32.const 1))"))}`,
  },
  {
    name: "endless connections to invalid names",
    module: `${svc("net_connect", 3)} (memory 1) (data (i32.const 0) "..a b..")
      ${forever(expecting(-2, "net_connect", 0, 7, 80))}`,
  },
  {
    name: "endless tones on every voice, and samples",
    module: `${svc("sound_tone", 6)} ${svc("sound_play", 2)} (memory 1) ${forever(
      [0, 1, 2, 3].map((voice) => call("sound_tone", voice, 20, 8000, 60_000, 100, voice)).join("") +
        call("sound_play", 0, 32_768),
    )}`,
  },
  {
    name: "endless HTTP requests that are closed at once",
    module: `${svc("http_request", 2)} ${svc("http_close", 1)} (memory 1)
      (data (i32.const 0) "GET http://localhost:9/")
      ${forever("(drop (call $http_close (call $http_request (i32.const 0) (i32.const 23))))")}`,
  },
  {
    name: "endless questions for the answers of requests that fail, and for the time",
    module: `${svc("http_request", 2)} ${svc("http_status", 2)} ${svc("http_read", 4)} ${svc("clock_offset", 0)}
      (memory 1) (data (i32.const 0) "GET http://127.0.0.1:9/")
      ${forever(
        call("http_request", 0, 23) +
          call("http_status", 1, 10) +
          call("http_read", 2, 64, 1000, 10) +
          call("clock_offset"),
      )}`,
  },
  {
    name: "endless bytes appended to a value, past the limit, and lists of the keys",
    module: `${svc("storage_write_at", 5)} ${svc("storage_list", 2)} (memory 1) ${KEY} ${forever(
      [
        call("storage_write_at", 0, 3, -1, 0, 0x4000),
        call("storage_write_at", 0, 3, 0x7fff_ffff, 0, 1),
        call("storage_list", 0x100, 0xff00),
      ].join(" "),
    )}`,
  },
  {
    name: "endless calls that stop what it does not advertise",
    module: `${svc("ble_stop", 0)} ${forever(expecting(-2, "ble_stop"))}`,
  },
  {
    name: "endless pulses on every pin, voltages, and transfers to every address",
    module: `${svc("pwm_write", 3)} ${svc("adc_read", 1)} ${svc("i2c_read", 4)} ${svc("i2c_write", 3)} (memory 1)
      (global $at (mut i32) (i32.const 0))
      ${forever(`(global.set $at (i32.rem_u (i32.add (global.get $at) (i32.const 1)) (i32.const 0x80)))
      ${call("pwm_write", "(global.get $at)", 40_000, 65_535)} ${call("adc_read", "(global.get $at)")}
      ${call("i2c_read", "(global.get $at)", 255, 0, 256)} ${call("i2c_write", "(global.get $at)", 0, 256)}`)}`,
  },
  {
    name: "endless calls for pins of every number",
    module: `${svc("gpio_mode", 2)} ${svc("gpio_write", 2)} ${svc("gpio_read", 1)} (global $pin (mut i32) (i32.const 0))
      ${forever(`(global.set $pin (i32.add (global.get $pin) (i32.const 0x1234567)))
      ${["gpio_mode", "gpio_write"].map((name) => call(name, "(global.get $pin)", 3)).join(" ")}
      ${call("gpio_read", "(global.get $pin)")}`)}`,
  },
];

beforeAll(async () => {
  await mustInstall(console, { name: "victim", module: forever("") });
  await mustInstall(console, { name: "fallen", module: `(func $main (export "main") unreachable)` });
});

for (const { name, ...app } of SPINNING)
  test(`An app with ${name} can be stopped, and other requests are answered meanwhile`, async () => {
    await mustInstall(console, app);
    const entry = await whileProbed(console, async (prober) => {
      expect((await console.app("start", "hostile")).status).toBe(200);
      await prober.answers(ANSWERS);
      return stopApp(console);
    });
    expect(entry.last_exit).toMatchObject({ reason: "stopped" });
    await console.app("stop", "victim");
  });

test("Stopping an app ends its receive with a timeout of 24 days and closes the connection", async () => {
  const silent = net.createServer((connection) => connection.resume()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as net.AddressInfo;
  const accepted = once(silent, "connection");
  try {
    await mustInstall(console, {
      module: `${svc("net_connect", 3)} ${svc("net_receive", 4)} (memory 1) (data (i32.const 0) "127.0.0.1")
        (func (export "main") (drop (call $net_receive
          (call $net_connect (i32.const 0) (i32.const 9) (i32.const ${port}))
          (i32.const 0) (i32.const 100) (i32.const 0x7fffffff))))`,
    });
    const entry = await whileProbed(console, async (prober) => {
      await console.app("start", "hostile");
      await accepted;
      await prober.answers(ANSWERS);
      return stopApp(console);
    });
    expect(entry.last_exit).toMatchObject({ reason: "stopped" });
    const [connection] = (await accepted) as [net.Socket];
    if (!connection.closed) await once(connection, "close");
  } finally {
    silent.close();
  }
});

/** A listener that never accepts: once its queue is full, new connections get no answer. */
const UNANSWERING = `
  const net = require("node:net");
  const server = net.createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    require("node:fs").writeSync(1, server.address().port + "\\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

test("Stopping an app ends its unanswered connection attempt", async () => {
  const child = spawn(process.execPath, ["-e", UNANSWERING], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const port = Number(String(line));
  const queued = Array.from({ length: 4 }, () => net.connect(port, "127.0.0.1").on("error", () => {}));
  try {
    await Promise.all(queued.slice(0, 2).map((socket) => once(socket, "connect")));
    await mustInstall(console, {
      module: `${svc("net_connect", 3)} (memory 1) (data (i32.const 0) "127.0.0.1")
        (func (export "main") (drop (call $net_connect (i32.const 0) (i32.const 9) (i32.const ${port}))))`,
    });
    const entry = await whileProbed(console, async (prober) => {
      await console.app("start", "hostile");
      await prober.answers(ANSWERS);
      return stopApp(console);
    });
    expect(entry.last_exit).toMatchObject({ reason: "stopped" });
  } finally {
    for (const socket of queued) socket.destroy();
    child.kill("SIGKILL");
  }
});

test("Stopping an app ends the compilation of a function that takes long to compile", async () => {
  // For each local.set the compiler looks at every operand that waits on the stack.
  const operands = 250;
  const sets = 60_000;
  await mustInstall(console, {
    module: `(func (export "main") (local i32)
      ${"(local.get 0) ".repeat(operands)} ${"(local.set 0 (i32.const 7)) ".repeat(sets)} ${"(drop) ".repeat(operands)}
      (loop $again (br $again)))`,
  });
  const entry = await whileProbed(console, async () => {
    await console.app("start", "hostile");
    return stopApp(console);
  });
  expect(entry.last_exit).toMatchObject({ reason: "stopped" });
});

const FOURS: readonly Case[] = [
  { name: "spin", module: forever("") },
  {
    name: "fill all of their memory",
    memory_quota: LARGEST_QUOTA_BYTES,
    module: `${MEMORY_64} ${forever("(memory.fill (i32.const 0) (i32.const 1) (i32.const 0x400000))")}`,
  },
  {
    name: "flood the log",
    module: `${svc("log", 3)} (memory 1) (func $fill (memory.fill (i32.const 0) (i32.const 1) (i32.const 256)))
      (start $fill) ${forever(expecting(0, "log", 3, 0, 256))}`,
  },
  {
    name: "store 64 KiB repeatedly",
    module: `${svc("storage_write", 4)} (memory 1) ${KEY} ${forever(expecting(0, "storage_write", 0, 3, 0, 0x1_0000))}`,
  },
  {
    name: "draw",
    memory_quota: LARGEST_QUOTA_BYTES,
    module: `${svc("display_fill", 5)} ${svc("display_blit", 5)} ${svc("display_flush", 0)} ${MEMORY_64} ${forever(
      `${call("display_fill", 0, 0, 240, 320, 1)} ${call("display_blit", 0, 0, 240, 320, 0)} ${call("display_flush")}`,
    )}`,
  },
];
const NAMES = ["one", "two", "three", "four"];

for (const { name, ...app } of FOURS)
  test(`Four apps that ${name} concurrently leave other requests answered, and each can be stopped`, async () => {
    for (const each of NAMES) await mustInstall(console, { ...app, name: each });
    await whileProbed(console, async (prober) => {
      for (const each of NAMES) expect((await console.app("start", each)).status).toBe(200);
      expect(await console.app("start", "victim")).toMatchObject({
        status: 503,
        body: { error: "too_many_apps" },
      });
      await prober.answers(2 * ANSWERS);
      for (const each of NAMES)
        expect((await stopApp(console, each)).last_exit).toMatchObject({ reason: "stopped" });
    });
    for (const each of NAMES) await console.app("uninstall", each);
  });
