/** What images do on any processor (docs/spec/aot.md#same): values, traps with the names on their stack, and their end. */
import { expect, test } from "vitest";
import type { VariantArchitecture } from "../../../../protocol/file-kind.js";
import { buildNativeImage } from "../../../../sdk/builder/native/build-image.js";
import { moduleOf } from "../../../hosts/app-files.js";
import { type Emulation, runEmulated } from "./emulation.js";
import { everyOperation, loggedInV8 } from "./every-operation.js";
import { LOG } from "./log.js";

/** Jumps by what memory has at 4: to 105 by a 5. */
export const JUMP_TABLE = Array.from({ length: 8 }, (_, at) => at).reduce(
  (inner, at) => `(block $b${at} ${inner}) (return (i32.const ${100 + at}))`,
  "(br_table $b0 $b1 $b2 $b3 $b4 $b5 $b6 $b7 $b0 (i32.load (i32.const 4)))",
);
export class EmulatedApps {
  readonly #architecture: VariantArchitecture;
  readonly #emulation: Emulation;
  readonly #directory: string;

  /** @param directory for what is compiled */
  constructor(architecture: VariantArchitecture, emulation: Emulation, directory: string) {
    this.#architecture = architecture;
    this.#emulation = emulation;
    this.#directory = directory;
  }

  /** @param text fields of a module */
  async image(text: string): Promise<Uint8Array> {
    const manifest = { entry: "main", memory_quota: 4 * 65_536, capabilities: [] };
    return buildNativeImage(await moduleOf(`(module ${text})`), manifest, this.#architecture);
  }

  /** What it says (`program.c`). */
  async run(text: string, options: { readonly isInterrupted?: boolean } = {}): Promise<string[]> {
    return runEmulated(this.#emulation, await this.image(text), this.#directory, options);
  }

  /** How an entry ends that returns the expression of `i32`. */
  async endOf(expression: string, before = ""): Promise<string | undefined> {
    const [line] = await this.run(
      `(memory 1) ${before} (func $main (export "main") (result i32) ${expression})`,
    );
    return line;
  }
}

const VALUES: readonly (readonly [what: string, expression: string, value: number, before?: string])[] = [
  [
    "divides numbers of 64 bits",
    "(i32.wrap_i64 (i64.div_s (i64.const -100000000000) (i64.const 7000)))",
    -14_285_714,
  ],
  ["has their rest", "(i32.wrap_i64 (i64.rem_u (i64.const 100000000007) (i64.const 1000)))", 7],
  [
    "multiplies and shifts them",
    "(i32.wrap_i64 (i64.shr_u (i64.mul (i64.const 0x123456789) (i64.const 0x10000000f)) (i64.const 32)))",
    0x2345_679a,
  ],
  ["counts bits", "(i32.popcnt (i32.const 0xf0f0))", 8],
  ["counts zeros", "(i32.add (i32.clz (i32.const 1)) (i32.ctz (i32.const 256)))", 39],
  [
    "reads and writes words at any address",
    `(i64.store (i32.const 65521) (i64.const 0x1122334455667788)) (i32.store16 (i32.const 3) (i32.load (i32.const 65523)))
       (i32.add (i32.load16_u (i32.const 3)) (i32.load8_u (i32.const 65528)))`,
    0x5566 + 0x11,
  ],
  [
    "calls through its table",
    "(call_indirect (param i32) (result i32) (i32.const 41) (i32.const 1))",
    42,
    "(table funcref (elem $main $next)) (func $next (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))",
  ],
  ["jumps by a table", `(i32.store (i32.const 4) (i32.const 5)) ${JUMP_TABLE} (i32.const 0)`, 105],
  [
    "grows its memory, up to its quota",
    `(drop (memory.grow (i32.const 3))) (i32.store (i32.const 262140) (i32.const 5))
       (i32.add (i32.load (i32.const 262140)) (memory.grow (i32.const 1)))`,
    4,
  ],
  [
    "moves and fills memory",
    `(memory.fill (i32.const 10) (i32.const 7) (i32.const 100)) (memory.copy (i32.const 11) (i32.const 10) (i32.const 100))
       (i32.add (i32.load8_u (i32.const 110)) (i32.load8_u (i32.const 111)))`,
    7,
  ],
  [
    "recurses",
    "(call $sum (i32.const 500))",
    125_250,
    `(func $sum (param i32) (result i32) (if (result i32) (local.get 0)
        (then (i32.add (local.get 0) (call $sum (i32.sub (local.get 0) (i32.const 1))))) (else (i32.const 0))))`,
  ],
];

/** Of `NativeTrap`. */
const OUT_OF_BOUNDS = 0;
const DIVISION_BY_ZERO = 2;
const UNREACHABLE = 4;
const STACK = 8;

/** @param options whether images for the processor can have numbers of floating point here */
export function testImages(apps: EmulatedApps, options: { readonly hasFloats: boolean }): void {
  test("has the results of V8 for every operation, of numbers that the compiler does not know", async () => {
    const { names, text } = everyOperation(options);
    const logged = await apps.run(text);
    const right = loggedInV8(await moduleOf(`(module ${text})`));
    expect(right.length).toBe(names.length);
    expect(names.filter((_, at) => logged[at] !== right[at])).toEqual([]);
    expect(logged.at(-1)).toBe("returned 0");
  });

  test("logs, and returns what its entry returns", async () => {
    expect(
      await apps.run(`${LOG} (memory 1) (data (i32.const 8) "a line")
        (func (export "main") (result i32) (drop (call $log (i32.const 1) (i32.const 8) (i32.const 6))) (i32.const -7))`),
    ).toEqual(["a line", "returned -7"]);
  });

  for (const [what, expression, value, before] of VALUES)
    test(what, async () => expect(await apps.endOf(expression, before)).toBe(`returned ${value}`));

  test("traps with the names of the functions on its stack, however deep", async () => {
    const [reason, ...names] = await apps.run(`(memory 1)
      (func $inner (param i32) (result i32) (i32.load (local.get 0)))
      (func $middle (param i32) (result i32) (if (result i32) (i32.eqz (local.get 0))
        (then (call $inner (i32.const -4))) (else (call $middle (i32.sub (local.get 0) (i32.const 1))))))
      (func $main (export "main") (result i32) (call $middle (i32.const 9)))`);
    expect(reason).toBe(`trap ${OUT_OF_BOUNDS}`);
    expect(names).toEqual(["inner", ...Array.from({ length: 10 }, () => "middle"), "main"]);
  });

  for (const [what, text, trap] of [
    ["divided by zero", "(i32.div_u (i32.const 1) (i32.load (i32.const 0)))", DIVISION_BY_ZERO],
    ["at what is not to be reached", "(unreachable)", UNREACHABLE],
    ["outside of its memory", "(i32.load8_u (i32.const 65536))", OUT_OF_BOUNDS],
  ] as const)
    test(`traps ${what}`, async () => {
      expect(await apps.run(`(memory 1) (func $main (export "main") (result i32) ${text})`)).toEqual([
        `trap ${trap}`,
        "main",
      ]);
    });

  test("traps when its stack is used up", async () => {
    const [reason, first] = await apps.run(
      '(memory 1) (func $again (result i32) (i32.add (call $again) (i32.const 1))) (func (export "main") (result i32) (call $again))',
    );
    expect([reason, first]).toEqual([`trap ${STACK}`, "again"]);
  });

  test("has a limit that ends its loops", async () => {
    const text = `${LOG} (memory 1) (func $main (export "main")
      (drop (call $log (i32.const 1) (i32.const 0) (i32.const 0))) (loop $on (br $on)))`;
    expect(await apps.run(text, { isInterrupted: true })).toEqual([`trap ${STACK}`, "main"]);
  });
}
