import { expect, test } from "vitest";
import { isNative, runGuest } from "./guest-under-test.js";
import { assemble } from "./wat.js";

test("sleep_ms waits for the given time", async () => {
  const { exit } = await runGuest({
    module: `(import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
      (import "svc" "uptime_ms" (func $uptime (result i64)))
      (func (export "main") (result i32) (local $began i64)
        (local.set $began (call $uptime))
        (if (call $sleep (i32.const 150)) (then unreachable))
        (i32.wrap_i64 (i64.sub (call $uptime) (local.get $began))))`,
  });
  expect(exit.code).toBeGreaterThanOrEqual(149);
  expect(exit.code).toBeLessThan(1000);
});

test("sleep_ms returns -22 for a negative time, and 0 for 0", async () => {
  const { exit } = await runGuest({
    module: `(import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
      (func (export "main") (result i32)
        (i32.add (call $sleep (i32.const -1)) (call $sleep (i32.const 0))))`,
  });
  expect(exit.code).toBe(-22);
});

test("uptime_ms returns the console's uptime", async () => {
  const { exit, said } = await runGuest({
    module: `(import "svc" "uptime_ms" (func $uptime (result i64)))
      (func (export "main") (result i32) (i32.wrap_i64 (call $uptime)))`,
    after: "say(system.uptimeMs());",
  });
  expect(Math.abs((exit.code ?? 0) - Number(said[0]))).toBeLessThan(500);
});

test("random fills exactly the given range", async () => {
  const { exit } = await runGuest({
    module: `(import "svc" "random" (func $random (param i32 i32) (result i32)))
      (memory 1)
      (func (export "main") (result i32)
        (if (call $random (i32.const 8) (i32.const 16)) (then unreachable))
        (if (i64.ne (i64.load (i32.const 0)) (i64.const 0)) (then unreachable))
        (if (i64.ne (i64.load (i32.const 24)) (i64.const 0)) (then unreachable))
        (i32.and
          (i64.ne (i64.load (i32.const 8)) (i64.const 0))
          (i64.ne (i64.load (i32.const 8)) (i64.load (i32.const 16)))))`,
  });
  expect(exit.code).toBe(1);
});

/** Calls itself until `stack_left` is below 1024, in frames of few or of many locals. */
const recursing = (locals: number) => `(import "svc" "stack_left" (func $left (result i32)))
  (func $recurse (param $depth i32) (result i32) (local ${"i64 ".repeat(locals)})
    (if (i32.lt_s (call $left) (i32.const 1024)) (then (return (local.get $depth))))
    (i32.add (call $recurse (i32.add (local.get $depth) (i32.const 1))) (i32.const 0)))
  (func (export "main") (result i32) (call $recurse (i32.const 0)))`;

for (const { frames, locals } of [
  { frames: "small ones, which use up the native stack", locals: 0 },
  { frames: "large ones, which use up the engine's", locals: 200 },
])
  test(`stack_left lets an app end its recursion before a trap, with frames that are ${frames}`, async () => {
    const { exit } = await runGuest({ module: recursing(locals), stackBytes: 8192 });
    expect(exit).toEqual({ reason: "exit", code: expect.any(Number) });
    expect(exit.code).toBeGreaterThan(10);
    const larger = await runGuest({ module: recursing(locals), stackBytes: 32_768 });
    expect(larger.exit.code).toBeGreaterThan(3 * (exit.code ?? 0));
  });

test.skipIf(isNative)("stack_left is the size of the stack at first, but for the frame of main", async () => {
  const { exit } = await runGuest({
    module: `(import "svc" "stack_left" (func $left (result i32)))
      (func (export "main") (result i32) (call $left))`,
    stackBytes: 8192,
  });
  expect(exit.code).toBeLessThanOrEqual(8192);
  expect(exit.code).toBeGreaterThan(6000);
});

const SCRIPT = "print('hello')\n";

/** A module that carries the script, and where it lies in it. */
function scripted(main: string) {
  const bytes = Buffer.from(
    assemble(`(module
      (import "svc" "script_size" (func $size (result i32)))
      (import "svc" "script_read" (func $read (param i32 i32 i32) (result i32)))
      (memory 1) (data (i32.const 512) "${SCRIPT.replace("\n", "\\0a")}")
      (func (export "main") (result i32) ${main})
      (global $interrupt (mut i32) (i32.const 0)))`),
  );
  return { module: bytes, script: { offset: bytes.lastIndexOf(SCRIPT), byteLength: SCRIPT.length } };
}

const READS = [
  { name: "script_size returns the length of the script", main: "(call $size)", code: SCRIPT.length },
  {
    name: "script_read copies from an offset",
    main: "(drop (call $read (i32.const 0) (i32.const 5) (i32.const 4))) (i32.load (i32.const 0))",
    code: Buffer.from(SCRIPT.slice(5, 9)).readInt32LE(),
  },
  {
    name: "script_read returns fewer bytes at the end",
    main: "(call $read (i32.const 0) (i32.const 10) (i32.const 1000))",
    code: SCRIPT.length - 10,
  },
  {
    name: "script_read returns 0 past the end",
    main: "(call $read (i32.const 0) (i32.const 0x7fffffff) (i32.const 10))",
    code: 0,
  },
  {
    name: "script_read returns -22 for a negative offset",
    main: "(call $read (i32.const 0) (i32.const -1) (i32.const 10))",
    code: -22,
  },
];
for (const { name, main, code } of READS)
  test(name, async () => {
    const { exit } = await runGuest(scripted(main));
    expect(exit).toEqual({ reason: "exit", code });
  });

test("script_size and script_read return -2 without a script", async () => {
  const { module } = scripted(
    "(i32.add (call $size) (call $read (i32.const 0) (i32.const 0) (i32.const 1)))",
  );
  const { exit } = await runGuest({ module });
  expect(exit.code).toBe(-4);
});
