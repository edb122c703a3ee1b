import { expect, test } from "vitest";
import { runGuest } from "./guest-under-test.js";

test("the result of main is the app's exit code", async () => {
  const { exit } = await runGuest({ module: `(func (export "main") (result i32) (i32.const 42))` });
  expect(exit).toEqual({ reason: "exit", code: 42 });
});

test("a main without a result exits with 0", async () => {
  const { exit } = await runGuest({ module: `(func (export "main"))` });
  expect(exit).toEqual({ reason: "exit", code: 0 });
});

test("a main with argc and argv gets zeros", async () => {
  const { exit } = await runGuest({
    module: `(func (export "main") (param i32 i32) (result i32)
      (i32.add (i32.add (local.get 0) (local.get 1)) (i32.const 7)))`,
  });
  expect(exit).toEqual({ reason: "exit", code: 7 });
});

test("exit() ends the app from any depth", async () => {
  const { exit } = await runGuest({
    module: `(import "svc" "exit" (func $exit (param i32)))
      (func $deep (param i32)
        (if (local.get 0)
          (then (call $deep (i32.sub (local.get 0) (i32.const 1))))
          (else (call $exit (i32.const -3)))))
      (func (export "main") (call $deep (i32.const 20)))`,
  });
  expect(exit).toEqual({ reason: "exit", code: -3 });
});

test("the start function runs before main", async () => {
  const { exit } = await runGuest({
    module: `(global $x (mut i32) (i32.const 1))
      (func $start (global.set $x (i32.const 9)))
      (start $start)
      (func (export "main") (result i32) (global.get $x))`,
  });
  expect(exit).toEqual({ reason: "exit", code: 9 });
});

const TRAPS = [
  { body: "unreachable", message: "unreachable executed" },
  { body: "(drop (i32.div_s (i32.const 1) (i32.const 0)))", message: "integer divide by zero" },
  { body: "(drop (i32.load (i32.const 65533)))", message: "out of bounds memory access" },
  { body: "(call_indirect (i32.const 5))", message: "undefined element" },
];
for (const { body, message } of TRAPS)
  test(`a trap is reported as "${message}" with the functions on its stack`, async () => {
    const { exit } = await runGuest({
      module: `(memory 1) (table 2 funcref)
        (func $inner ${body}) (func $outer (call $inner)) (func (export "main") (call $outer))`,
    });
    expect(exit).toEqual({ reason: "trap", message, stack: ["inner", "outer", "#2"] });
  });

test("endless recursion traps with up to 32 functions of its stack", async () => {
  const { exit } = await runGuest({ module: `(func $again (export "main") (call $again))` });
  expect(exit.reason).toBe("trap");
  expect(exit.message).toBe("stack overflow");
  expect(exit.stack).toEqual(Array(exit.stack?.length).fill("again"));
  expect(exit.stack?.length).toBeGreaterThan(20);
  expect(exit.stack?.length).toBeLessThanOrEqual(32);
});

test("stop() ends an app in an endless loop", async () => {
  const { exit } = await runGuest({
    module: `(func (export "main") (loop (br 0)))`,
    after: "timer.set(() => guest.stop(), 20);",
  });
  expect(exit).toEqual({ reason: "stopped" });
});

test("log lines arrive in order, with their levels", async () => {
  const run = await runGuest({
    module: `(import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
      (memory 1) (data (i32.const 8) "hello")
      (func (export "main") (result i32)
        (drop (call $log (i32.const 1) (i32.const 8) (i32.const 5)))
        (call $log (i32.const 3) (i32.const 8) (i32.const 4)))`,
  });
  expect(run.exit).toEqual({ reason: "exit", code: 0 });
  expect(run.logs()).toEqual([
    { level: 1, text: "hello", lost: 0 },
    { level: 3, text: "hell", lost: 0 },
  ]);
});
