/** What a sandboxed program may not do although WebAssembly may (docs/adr/0030-the-sandbox.md). */
import { describe, expect, test } from "vitest";
import { requireSandboxed, SANDBOX_PROGRAMS } from "../../../tools/sandbox.js";

const LOOP = "\n  (func (;0;) (result i32)\n    call 1)\n  (func (;1;) (result i32)\n    call 0)";

const FORBIDDEN = [
  { name: "an import", wat: '\n  (import "env" "f" (func))', reason: "it imports something" },
  { name: "an indirect call", wat: "\n    call_indirect (type 0)", reason: "it calls indirectly" },
  { name: "a table", wat: "\n  (table (;0;) 1 funcref)", reason: "it calls indirectly" },
  { name: "a data segment", wat: '\n  (data (;0;) (i32.const 0) "x")', reason: "it has data" },
  { name: "growing memory", wat: "\n    memory.grow", reason: "it grows its memory" },
  { name: "64-bit integers", wat: "\n    i64.const 0", reason: "numbers other than i32" },
  { name: "floating-point numbers", wat: "\n    f64.const 0", reason: "numbers other than i32" },
  {
    name: "a start function that can trap",
    wat: "\n  (func (;0;)\n    i32.const 0\n    i32.load\n    global.set 0)\n  (start 0))",
    reason: "its start function does more than set variables to constants",
  },
  { name: "a call of a named function", wat: "\n  (func $f\n    call $f)", reason: "recursion is not seen" },
  { name: "a tail call", wat: "\n  (func (;0;)\n    return_call 0)", reason: "recursion is not seen" },
  {
    name: "a function that calls itself",
    wat: "\n  (func (;0;)\n    call 0)",
    reason: "function 0 can call itself",
  },
  { name: "functions that call each other", wat: LOOP, reason: "function 0 can call itself" },
];

describe("A sandboxed program", () => {
  for (const { name, wat, reason } of FORBIDDEN)
    test(`is rejected with ${name}`, () =>
      expect(() => requireSandboxed("example", `(module${wat})`)).toThrow(
        new RegExp(`Cannot sandbox the program "example": .*${reason}`),
      ));

  test("may set variables in its start function", () =>
    requireSandboxed(
      "example",
      "(module\n  (func (;0;) (type 0)\n    i32.const -1\n    global.set 0)\n  (func (;1;)\n    i32.load)\n  (start 0))",
    ));

  test("may call a function from two others", () =>
    requireSandboxed(
      "example",
      "(module\n  (func (;0;)\n    call 1\n    call 2)\n  (func (;1;)\n    call 2)\n  (func (;2;)))",
    ));
});

test("the programs are the folders of device/sandbox with a program.ts", () =>
  expect(SANDBOX_PROGRAMS).toEqual(["dns", "http-head", "inflater", "usb-line", "validator"]));
