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
    expect(exit).toMatchObject({ reason: "trap", message });
    expect(functionsOn(exit.stack)).toEqual(["inner", "outer", "#2"]);
  });

/** Without what trap-offsets.test.ts is about. */
function functionsOn(stack: readonly string[] = []): readonly string[] {
  return stack.map((frame) => frame.replace(/@[0-9a-f]+$/, ""));
}

test("endless recursion traps with up to 32 functions of its stack", async () => {
  const { exit } = await runGuest({ module: `(func $again (export "main") (call $again))` });
  expect(exit.reason).toBe("trap");
  expect(exit.message).toBe("stack overflow");
  expect(functionsOn(exit.stack)).toEqual(Array(exit.stack?.length).fill("again"));
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

/** What an app does between two requests; it is suspended during the first one. The result is its exit code. */
const WHILE_SUSPENDED = [
  {
    what: "at its next loop",
    body: `(local $turns i32) (call $ask)
      (loop $again
        (local.set $turns (i32.add (local.get $turns) (i32.const 1)))
        (br_if $again (i32.lt_u (local.get $turns) (i32.const 500))))
      (call $ask) (local.get $turns)`,
    code: 500,
  },
  {
    what: "at its next call, with what it has computed",
    body: "(call $ask) (call $sum (i32.const 40) (i32.const 2)) (call $ask)",
    code: 42,
  },
  {
    what: "at its next function of the console",
    body: "(call $ask) (drop (call $random (i32.const 0) (i32.const 4))) (call $ask) (i32.const 7)",
    code: 7,
  },
  {
    what: "before it fills a long stretch of its memory, which is filled afterwards",
    body: `(call $ask) (memory.fill (i32.const 0) (i32.const 9) (i32.const 40000))
      (call $ask) (i32.load8_u (i32.const 39999))`,
    code: 9,
  },
];
for (const { what, body, code } of WHILE_SUSPENDED)
  test(`a suspended app waits ${what}, and goes on when it is resumed`, async () => {
    const { exit, said } = await runGuest({
      module: `(import "svc" "storage_delete" (func $delete (param i32 i32) (result i32)))
        (import "svc" "random" (func $random (param i32 i32) (result i32)))
        (memory 1)
        (func $ask (drop (call $delete (i32.const 0) (i32.const 1))))
        (func $sum (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
        (func (export "main") (result i32) ${body})`,
      capabilities: 0xff,
      onRequest: `
        if (guest.hasAsked) say("second");
        else {
          guest.suspend();
          timer.set(() => { say("resumed"); guest.resume(); }, 200);
        }
        guest.hasAsked = true;
        guest.answer(0);`,
    });
    expect(said).toEqual(["resumed", "second"]);
    expect(exit).toEqual({ reason: "exit", code });
  });

test("an app that is suspended before its start runs once it is resumed", async () => {
  const { exit, said } = await runGuest({
    module: `(import "svc" "log" (func $log (param i32 i32 i32) (result i32))) (memory 1)
      (func (export "main") (result i32) (call $log (i32.const 1) (i32.const 0) (i32.const 0)))`,
    before: `guest.suspend(); timer.set(() => { say("resumed"); guest.resume(); }, 200);`,
  });
  expect(said[0]).toBe("resumed");
  expect(exit).toEqual({ reason: "exit", code: 0 });
});

test("stop() ends a suspended app", async () => {
  const { exit } = await runGuest({
    module: `(func (export "main") (loop (br 0)))`,
    after: "timer.set(() => { guest.suspend(); timer.set(() => guest.stop(), 50); }, 20);",
  });
  expect(exit).toEqual({ reason: "stopped" });
});

test("a resumed app still traps where its stack ends", async () => {
  const { exit } = await runGuest({
    module: `(func $again (export "main") (call $again))`,
    after: "guest.suspend(); guest.resume();",
  });
  expect(exit).toMatchObject({ reason: "trap", message: "stack overflow" });
});
