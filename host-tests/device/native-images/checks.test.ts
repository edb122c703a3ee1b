/** What an image checks in place of the interpreter, where that is easy to lose (docs/spec/aot.md#same). */
import { expect, test } from "vitest";
import { runGuest } from "../guest/guest-under-test.js";

/**
 * Products that are needed before a call and after it: the compiler keeps all of them meanwhile, each in a place of its own
 * on the stack.
 */
function keeping(products: number): string {
  const mixed = Array.from(
    { length: products },
    (_, index) =>
      `(local.set 1 (i64.add (i64.rotl (local.get 1) (i64.const 1)) (i64.mul (i64.add (local.get 0) (i64.const ${index})) (i64.xor (local.get 0) (i64.const ${index * 7919})))))`,
  ).join("\n");
  return `(func $f (param i64) (result i64) (local i64)
      ${mixed}
      (local.set 1 (i64.xor (local.get 1) (call $f (i64.add (local.get 0) (local.get 1)))))
      ${mixed}
      (local.get 1))
    (func (export "main") (drop (call $f (i64.const 1))))`;
}

test("recursion with large frames traps with a stack overflow", { timeout: 300_000 }, async () => {
  const { exit } = await runGuest({ engine: "aot", module: keeping(1500) });
  expect(exit).toMatchObject({ reason: "trap", message: "stack overflow" });
});

for (const engine of ["wasm3", "aot"] as const)
  test(`an imported function that is exported as the entry is that one, in ${engine}`, async () => {
    const { exit } = await runGuest({
      engine,
      capabilities: 0xffff,
      module: `(import "svc" "display_width" (func $width (result i32)))
        (import "svc" "buttons" (func $buttons (result i32)))
        (import "svc" "stack_left" (func $left (result i32)))
        (export "main" (func $width))`,
    });
    expect(exit).toEqual({ reason: "exit", code: 240 });
  });
