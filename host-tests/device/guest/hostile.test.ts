import { describe, expect, test } from "vitest";
import { runGuest } from "./guest-under-test.js";
import { assemble } from "./wat.js";

const MIB = 1024 * 1024;

/** Stops the app after a while; `npm run bench -- hostile` measures how long that takes. */
const STOP = `timer.set(() => guest.stop(), 100);`;

describe("recursion", () => {
  const DEEP = [
    { name: "of one function", module: `(func $f (export "main") (call $f))` },
    { name: "of two functions", module: `(func $f (export "main") (call $g)) (func $g (call $f))` },
    {
      name: "through a table",
      module: `(table funcref (elem $f)) (func $f (export "main") (call_indirect (i32.const 0)))`,
    },
    { name: "in the start function", module: `(func $f (call $f)) (start $f) (func (export "main"))` },
    {
      name: "with many parameters",
      module: `(func $f (param ${"i64 ".repeat(100)}) (call $f ${"(i64.const 1) ".repeat(100)}))
        (func (export "main") (call $f ${"(i64.const 1) ".repeat(100)}))`,
    },
    {
      name: "with many locals",
      module: `(func $f (export "main") (local ${"i64 ".repeat(900)}) (call $f))`,
    },
    {
      name: "with many results",
      module: `(func $f (result ${"i64 ".repeat(100)}) (call $f)) (func (export "main") (call $f) ${"drop ".repeat(100)})`,
    },
    {
      name: "out of loops",
      module: `(func $f (export "main") (loop (loop (loop (loop (call $f))))))`,
    },
    {
      name: "that calls the console at every depth",
      module: `(import "svc" "uptime_ms" (func $uptime)) (func $f (export "main") (call $uptime) (call $f))`,
    },
  ];
  for (const { name, module } of DEEP)
    test(`endless ${name} traps with a stack overflow`, async () => {
      const { exit } = await runGuest({ module });
      expect(exit).toMatchObject({ reason: "trap", message: "stack overflow" });
    });

  test("goes as deep as the native stack allows, and about twice as deep on twice the stack", async () => {
    const depthOn = async (stackBytes: number) => {
      const run = await runGuest({
        stackBytes,
        module: `(import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
          (memory 1)
          (func $f (param i32)
            (i32.store8 (i32.const 0) (i32.add (i32.const 48) (i32.rem_u (local.get 0) (i32.const 10))))
            (global.set $depth (local.get 0))
            (if (i32.eqz (i32.rem_u (local.get 0) (i32.const 10)))
              (then (drop (call $log (i32.const 0) (i32.const 0) (i32.const 1)))))
            (call $f (i32.add (local.get 0) (i32.const 1))))
          (global $depth (mut i32) (i32.const 0))
          (func (export "main") (call $f (i32.const 0)))`,
      });
      return run.logs().reduce((count, { lost }) => count + 1 + lost, 0) * 10;
    };
    const [once, twice] = [await depthOn(8192), await depthOn(16_384)];
    expect(once).toBeGreaterThanOrEqual(50);
    expect(twice).toBeGreaterThan(1.7 * once);
  });
});

describe("native stack use without calls", () => {
  test("a hundred thousand consecutive loops trap with a stack overflow", async () => {
    const { exit } = await runGuest({
      module: `(func (export "main") ${"(loop) ".repeat(100_000)})`,
    });
    expect(exit).toMatchObject({ reason: "trap", message: "stack overflow" });
  });

  test("2,000 nested loops trap with a stack overflow", async () => {
    const { exit } = await runGuest({ module: moduleWithBody(nested(LOOP, 2000)) });
    expect(exit).toMatchObject({ reason: "trap", message: "stack overflow" });
  });

  test("20,000 nested blocks trap with a stack overflow in the compiler", async () => {
    const { exit } = await runGuest({ module: moduleWithBody(nested(BLOCK, 20_000)) });
    expect(exit).toMatchObject({ reason: "trap", message: "stack overflow" });
  });

  test("60 nested blocks do not trap in recursion of depth 40", async () => {
    // main(argc, argv) calls itself until its counter, a global that is there, has come to 40.
    const { exit } = await runGuest({
      module: `(global $depth (mut i32) (i32.const 40)) (table funcref (elem $leaf))
        (func $leaf ${"(block ".repeat(60)} ${")".repeat(60)})
        (func $f (export "main")
          (global.set $depth (i32.sub (global.get $depth) (i32.const 1)))
          (if (global.get $depth) (then (call $f)) (else (call $leaf))))`,
    });
    expect(exit).toEqual({ reason: "exit", code: 0 });
  });

  test("no instruction leaves anything on the native stack", async () => {
    const drops = (body: string) => body.repeat(20_000);
    const { exit } = await runGuest({
      module: `(memory 1) (global $g (mut i64) (i64.const 0))
        (func (export "main") (local $i i32) (local $l i64) (local $f f32) (local $d f64)
          ${drops("(i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))")}
          ${drops("(i64.store (i32.const 8) (i64.mul (i64.load (i32.const 8)) (local.get $l)))")}
          ${drops("(f32.store (i32.const 8) (f32.sqrt (f32.load (i32.const 8))))")}
          ${drops("(f64.store (i32.const 8) (f64.floor (f64.load (i32.const 8))))")}
          ${drops("(memory.fill (i32.const 8) (i32.const 0) (i32.const 8))")}
          ${drops("(memory.copy (i32.const 8) (i32.const 0) (i32.const 8))")}
          ${drops("(drop (memory.grow (i32.const 0)))")}
          ${drops("(global.set $g (i64.extend_i32_u (memory.size)))")}
          ${drops("(if (local.get $i) (then (local.set $i (i32.trunc_sat_f64_s (local.get $d)))))")}
          ${drops("(drop (select (local.get $f) (f32.convert_i64_u (local.get $l)) (local.get $i)))")})`,
      stackBytes: 2048,
    });
    expect(exit).toEqual({ reason: "exit", code: 0 });
  });
});

describe("memory", () => {
  const GROW = `(memory 1)
    (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))`;

  test("grows to the quota and not past it", async () => {
    const { exit } = await runGuest({
      memoryQuotaBytes: 4 * 65_536,
      module: `(memory 1)
        (func (export "main") (result i32) (local $sum i32)
          (if (i32.ne (memory.grow (i32.const 3)) (i32.const 1)) (then unreachable))
          (i32.store (i32.const 262140) (i32.const 7))
          (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))
          (if (i32.ne (memory.size) (i32.const 4)) (then unreachable))
          (i32.load (i32.const 262140)))`,
    });
    expect(exit).toEqual({ reason: "exit", code: 7 });
  });

  test("grows to the module's own maximum only", async () => {
    const { exit } = await runGuest({
      memoryQuotaBytes: 4 * 65_536,
      module: `(memory 1 2) (func (export "main") (result i32)
        (drop (memory.grow (i32.const 1))) (memory.grow (i32.const 1)))`,
    });
    expect(exit).toEqual({ reason: "exit", code: -1 });
  });

  test("does not shrink when an app requests a growth of -1 pages", async () => {
    const { exit } = await runGuest({
      memoryQuotaBytes: 4 * 65_536,
      module: `(memory 2) (func (export "main") (result i32)
        (if (i32.ne (memory.grow (i32.const -1)) (i32.const -1)) (then unreachable))
        (memory.size))`,
    });
    expect(exit).toEqual({ reason: "exit", code: 2 });
  });

  test("that is initially over the quota prevents the start", async () => {
    const { exit } = await runGuest({ module: `(memory 2) (func (export "main"))` });
    expect(exit).toEqual({ reason: "quota", message: "memory at the start is over the quota" });
  });

  test("that grew in another function is accessible to its end", async () => {
    const { exit } = await runGuest({
      memoryQuotaBytes: MIB,
      module: `${GROW} (func $grow (drop (memory.grow (i32.const 15))))
        (func (export "main") (result i32)
          (call $grow) (i32.store (i32.const 1048572) (i32.const 3)) (i32.load (i32.const 1048572)))`,
    });
    expect(exit).toEqual({ reason: "exit", code: 3 });
  });

  test("traps before the app runs if data lies outside it", async () => {
    const { exit } = await runGuest({
      module: `(memory 1) (data (i32.const 65535) "ab") (func (export "main"))`,
    });
    expect(exit).toEqual({ reason: "trap", message: "data segment out of bounds" });
  });
});

describe("stop ends", () => {
  const STATES = [
    { name: "an endless loop", module: `(func (export "main") (loop (br 0)))` },
    {
      name: "an endless loop of calls",
      module: `(func $f) (func (export "main") (loop (call $f) (br 0)))`,
    },
    {
      name: "a start function that never returns",
      module: `(func $s (loop (br 0))) (start $s) (func (export "main"))`,
    },
    {
      name: "recursion that returns and starts again",
      module: `(func $f (param i32) (if (local.get 0) (then
          (call $f (i32.sub (local.get 0) (i32.const 1))) (call $f (i32.sub (local.get 0) (i32.const 1))))))
        (func (export "main") (call $f (i32.const 40)))`,
    },
    {
      name: "a long sleep",
      module: `(import "svc" "sleep_ms" (func $sleep (param i32)))
        (func (export "main") (call $sleep (i32.const 0x7fffffff)))`,
    },
    {
      name: "endless short sleeps",
      module: `(import "svc" "sleep_ms" (func $sleep (param i32)))
        (func (export "main") (loop (call $sleep (i32.const 1)) (br 0)))`,
    },
    {
      name: "a wait for a service that does not answer",
      module: `(import "svc" "ble_stop" (func $ask)) (func (export "main") (call $ask))`,
      onRequest: "",
    },
    {
      name: "endless requests",
      module: `(import "svc" "ble_stop" (func $ask)) (func (export "main") (loop (call $ask) (br 0)))`,
    },
    {
      name: "endless log lines",
      module: `(import "svc" "log" (func $log (param i32 i32 i32))) (memory 1)
        (func (export "main") (loop (call $log (i32.const 1) (i32.const 0) (i32.const 200)) (br 0)))`,
      onLog: "while (guest.takeLog());",
    },
    {
      name: "endless log lines that nobody reads",
      module: `(import "svc" "log" (func $log (param i32 i32 i32))) (memory 1)
        (func (export "main") (loop (call $log (i32.const 1) (i32.const 0) (i32.const 200)) (br 0)))`,
      onLog: "",
    },
    {
      name: "endless random numbers",
      module: `(import "svc" "random" (func $random (param i32 i32))) (memory 1)
        (func (export "main") (loop (call $random (i32.const 0) (i32.const 65536)) (br 0)))`,
    },
    {
      name: "a hundred thousand consecutive memory fills",
      memoryQuotaBytes: 16 * MIB,
      module: `(memory 256) (func (export "main")
        ${"(memory.fill (i32.const 0) (i32.const 1) (i32.const 0x1000000)) ".repeat(100_000)})`,
    },
    {
      name: "a hundred thousand consecutive memory copies",
      memoryQuotaBytes: 16 * MIB,
      module: `(memory 256) (func (export "main")
        ${"(memory.copy (i32.const 0) (i32.const 1) (i32.const 0xffffff)) ".repeat(100_000)})`,
    },
    {
      name: "consecutive endless loops",
      module: `(func (export "main") ${"(loop (br 0)) ".repeat(100)})`,
    },
  ];
  for (const { name, ...settings } of STATES)
    test(name, async () => {
      const { exit } = await runGuest({ capabilities: 0xff, ...settings, after: STOP });
      expect(exit).toEqual({ reason: "stopped" });
    });

  test("an app whose functions are still being compiled", async () => {
    // One function that takes the compiler far longer: for each local.set it looks at every operand.
    const operands = 1500;
    const sets = 300_000;
    const body = [
      ...Array(operands).fill([0x20, 0x00]).flat(), // local.get 0
      ...Array(sets).fill([0x41, 0x00, 0x21, 0x01]).flat(), // i32.const 0, local.set 1
      ...Array(operands).fill(0x1a), // drop
    ];
    const { exit } = await runGuest({
      module: moduleWithBody(body, [0x01, 0x02, 0x7f]),
      after: STOP.replace("100", "30"),
    });
    expect(exit.reason).toBe("stopped");
  });

  test("an app before it has begun to run", async () => {
    const { exit } = await runGuest({
      module: `(func (export "main") (loop (br 0)))`,
      after: "guest.stop();",
    });
    expect(exit).toEqual({ reason: "stopped" });
  });
});

const BLOCK = 0x02;
const LOOP = 0x03;

/** Blocks without a type, one within the other. */
function nested(opcode: number, depth: number): number[] {
  return [...Array(depth).fill([opcode, 0x40]).flat(), ...Array(depth).fill(0x0b)];
}

test("the console's main thread keeps running while four apps spin", async () => {
  const { said, exits } = await runGuest({
    module: `(func (export "main") (loop (br 0)))`,
    after: `
      const others = [1, 2, 3].map(() => make("main", () => {}));
      let turns = 0;
      const ticking = timer.repeat(() => {
        if (++turns < 50) return;
        timer.clear(ticking);
        say(turns);
        for (const each of others) each.close();
        guest.stop();
      }, 10);`,
  });
  expect([...exits.values()]).toEqual([{ reason: "stopped" }]);
  expect(said[0]).toBe(50);
});

/** A module with one function, `main`, of the given body without its last `end`. */
function moduleWithBody(body: readonly number[], locals: readonly number[] = [0]): Uint8Array {
  const code = [...locals, ...body, 0x0b];
  const section = [1, ...leb(code.length), ...code];
  const before = assemble(`(module (func (export "main")) (global $interrupt (mut i32) (i32.const 0)))`);
  const at = before.lastIndexOf(0x0a, before.length - 1);
  const start = findSection(before, 10) ?? at;
  return Uint8Array.from([...before.subarray(0, start), 10, ...leb(section.length), ...section]);
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}

function findSection(module: Uint8Array, wanted: number): number | undefined {
  for (let at = 8; at < module.length; ) {
    if (module[at] === wanted) return at;
    at += 2 + (module[at + 1] ?? 0); // all of them are short
  }
  return undefined;
}
