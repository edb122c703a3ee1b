/**
 * Images for Arm: Thumb code, whose frames are told by tables (sdk/native/frames-arm.c), and whose numbers of floating point
 * are passed as integers are.
 */
import { afterAll, describe, expect, test } from "vitest";
import { readNativeHead } from "../../../protocol/native-image.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { ARM } from "./emulated/arm/emulation.js";
import { EmulatedApps, testImages } from "./emulated/same-as-everywhere.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const OUT_OF_BOUNDS = 0;

describe.skipIf(isMissing("arm"))("An image for Arm", { timeout: 120_000 }, () => {
  const apps = new EmulatedApps("arm", ARM, temporary.path);

  test("is for the machine, and begins in Thumb code", async () => {
    const container = await apps.image('(func $main (export "main"))');
    const { machine, layout } = readNativeHead(container, container.length);
    expect([machine, layout.entryOffset % 2]).toEqual(["thumbv7m", 1]);
  });

  testImages(apps, { hasFloats: true });

  const NUMBERS: readonly (readonly [what: string, expression: string, value: number])[] = [
    [
      "adds and multiplies numbers",
      "(i32.trunc_f64_s (f64.mul (f64.add (f64.const 0.5) (f64.const 1.25)) (f64.const 8)))",
      14,
    ],
    ["divides single ones", "(i32.reinterpret_f32 (f32.div (f32.const 1) (f32.const 3)))", 0x3eaa_aaab],
    ["rounds to even", "(i32.trunc_f64_s (f64.nearest (f64.const -2.5)))", -2],
    ["rounds single ones up", "(i32.trunc_f32_s (f32.ceil (f32.const 7.25)))", 8],
    ["takes roots", "(i32.trunc_f64_s (f64.mul (f64.sqrt (f64.const 2)) (f64.const 100000)))", 141_421],
    ["takes roots of single ones", "(i32.reinterpret_f32 (f32.sqrt (f32.const 2)))", 0x3fb5_04f3],
    ["compares what is no number", "(f64.lt (f64.const nan) (f64.const 1))", 0],
  ];
  for (const [what, expression, value] of NUMBERS)
    test(what, async () => expect(await apps.endOf(expression)).toBe(`returned ${value}`));

  /** A function of so many values that are all needed after a call, so that its frame is large. */
  const wide = (values: number) => `(func $wide (param i32) (result i32) ${"(local i64)".repeat(values)}
    ${Array.from({ length: values }, (_, at) => `(local.set ${at + 1} (i64.load (i32.add (local.get 0) (i32.const ${8 * at}))))`).join("\n")}
    (drop (call $inner (local.get 0)))
    (i32.wrap_i64 ${Array.from({ length: values }, (_, at) => `(local.get ${at + 1})`).reduce((sum, one) => `(i64.add ${sum} ${one})`)}))`;
  for (const values of [1, 20, 200])
    test(`traps with the names on its stack, below a frame of ${values} values`, async () => {
      const lines = await apps.run(`(memory 1)
        (func $inner (param i32) (result i32) (i32.load (i32.sub (local.get 0) (i32.const 1))))
        ${wide(values)}
        (func $main (export "main") (result i32) (call $wide (i32.const 0)))`);
      expect(lines).toEqual([`trap ${OUT_OF_BOUNDS}`, "inner", "wide", "main"]);
    });

  test("names functions that never return, and what called them through a table", async () => {
    const lines = await apps.run(`(memory 1) (table funcref (elem $ends))
      (func $inner (param i64 i64 i64 f64) (drop (f64.add (local.get 3) (f64.const 1))) unreachable)
      (func $ends (param i32) (result i32) (call $inner (i64.const 1) (i64.const 2) (i64.const 3) (f64.const 4)) unreachable)
      (func $main (export "main") (result i32) (call_indirect (param i32) (result i32) (i32.const 1) (i32.const 0)))`);
    expect(lines).toEqual(["trap 4", "inner", "ends", "main"]);
  });
});
