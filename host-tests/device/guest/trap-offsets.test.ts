/**
 * Where in the module a trap and the calls that led to it were (docs/spec/apps.md#trap-offsets): for random programs it is
 * what V8 says of the same bytes, whatever order functions are compiled in and however their code is spread over pages.
 */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../hosts/seeded-random.js";
import { inTier } from "../../tier.js";
import { instantiate } from "../../unit/wasm/v8.js";
import { isNative, runGuest } from "./guest-under-test.js";
import { wasmOf } from "./wat.js";

const PROGRAMS = inTier({ quick: 6, sample: 30, nightly: 300 });
const TIMEOUT_MS = 600_000;
/** Fewer than a backtrace has. */
const DEPTH = 12;

type Random = (limit: number) => number;

const TRAPS = [
  "(unreachable)",
  "(drop (i32.div_s (local.get 0) (i32.const 0)))",
  "(drop (i32.load offset=65536 (local.get 0)))",
  "(i64.store8 (i32.const -1) (i64.const 1))",
  "(call_indirect (type $none) (i32.const 7))",
  "(call_indirect (type $none) (i32.const 0))",
  "(drop (i32.trunc_f64_s (f64.const nan)))",
];

/** Statements that end, nested in each other; `depth` levels of them have `innermost` somewhere. */
function statements(random: Random, depth: number, innermost: string): string {
  const before = Array.from({ length: random(6) }, () => plain(random)).join(" ");
  const after = Array.from({ length: random(6) }, () => plain(random)).join(" ");
  if (depth === 0) return `${before} ${innermost} ${after}`;
  const inner = statements(random, depth - 1, innermost);
  const other = statements(random, 0, plain(random));
  const forms = [
    `(block ${inner})`,
    `(if (i32.const 1) (then ${inner}) (else ${other}))`,
    `(if (i32.const 0) (then ${other}) (else ${inner}))`,
    `(loop $turn (local.set 1 (i32.add (local.get 1) (i32.const 1)))
      (br_if $turn (i32.lt_u (local.get 1) (i32.const 3))) ${inner})`,
    `(block $out (br_if $out (i32.const 0)) ${inner})`,
    `(block $a (block $b (br_table $b $a (i32.const 0))) ${inner})`,
  ];
  return `${before} ${forms[random(forms.length)]} ${after}`;
}

function plain(random: Random): string {
  const number = random(100_000);
  const forms = [
    `(local.set 0 (i32.add (i32.mul (local.get 0) (i32.const ${number})) (i32.const 7)))`,
    `(local.set 2 (f64.add (local.get 2) (f64.const ${number})))`,
    `(i32.store (i32.const ${number % 1000}) (i32.xor (local.get 0) (local.get 1)))`,
    `(local.set 0 (select (local.get 0) (i32.const ${number}) (i32.const 1)))`,
    "(drop (call $helper (local.get 0)))",
    `(global.set $state (i32.const ${number}))`,
  ];
  return forms[random(forms.length)] as string;
}

/** A chain of calls that ends in a trap, beside functions that are called on the way and return. */
function program(random: Random): string {
  const chain = Array.from({ length: DEPTH }, (_, at) => {
    const next =
      at === DEPTH - 1
        ? TRAPS[random(TRAPS.length)]
        : random(3) === 0
          ? `(call_indirect (type $step) (local.get 0) (i32.const ${at + 2}))`
          : `(call $f${at + 1} (local.get 0))`;
    const body = [
      statements(random, random(4), `(call $side${random(DEPTH)})`),
      ...Array.from({ length: random(40) }, () => statements(random, random(3), plain(random))),
      statements(random, random(6), next as string),
    ];
    return `(func $f${at} (type $step) (local i32 f64) ${body.join("\n")})`;
  });
  const sides = Array.from({ length: DEPTH }, (_, at) => {
    const body = Array.from({ length: 1 + random(60) }, () => statements(random, random(4), plain(random)));
    return `(func $side${at} (local i32 i32 f64) ${body.join("\n")})`;
  });
  const functions = [...chain, ...sides];
  for (let at = functions.length - 1; at > 0; at--) {
    const other = random(at + 1);
    [functions[at], functions[other]] = [functions[other] as string, functions[at] as string];
  }
  return `(type $none (func)) (type $step (func (param i32))) (memory 1)
    (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
    (global $state (mut i32) (i32.const 5))
    (table 20 funcref) (elem (i32.const 1) ${chain.map((_, at) => `$f${at}`).join(" ")})
    (func $helper (param i32) (result i32) (i32.add (call $sleep (i32.const 0)) (local.get 0)))
    ${functions.join("\n")}
    (func $start (export "main") (call $f0 (i32.const 3)))`.replace(
    /\(memory 1\)\s+(\(import[^\n]*\))/,
    "$1 (memory 1)",
  );
}

/** `name@offset` of each function, innermost first, as V8 says. */
function onV8(module: Uint8Array): readonly string[] {
  Error.stackTraceLimit = 100;
  try {
    const { exports } = instantiate(Uint8Array.from(module), { svc: { sleep_ms: () => 0 } });
    (exports["main"] as () => void)();
  } catch (error) {
    const frames = (error as Error).stack?.matchAll(/at (?:\S+\.)?(\S+) \(wasm:.*:0x([0-9a-f]+)\)$/gm) ?? [];
    return [...frames].map(([, name, offset]) => `${name}@${offset}`);
  } finally {
    Error.stackTraceLimit = 10;
  }
  throw new Error("The program did not trap");
}

// An image's code has no offsets into the module it was made of.
describe.skipIf(isNative)("The offsets of a trap", () => {
  test(`are those of V8 for ${PROGRAMS} programs`, { timeout: TIMEOUT_MS }, async () => {
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      const module = wasmOf(program(seededRandom(seed)));
      const expected = onV8(module);
      expect(expected.length).toBe(DEPTH + 1);
      const { exit } = await runGuest({ module });
      expect([seed, exit.stack]).toEqual([seed, expected]);
    }
  });

  test("are there for a start function, and for the initial value of a global before", async () => {
    const module = wasmOf(`(global i64 (i64.const 7)) (global (mut f64) (f64.const 1)) (memory 1)
      (data (i32.const 5) "x") (func $inner unreachable) (func $begin (call $inner)) (start $begin)
      (func (export "main"))`);
    const { exit } = await runGuest({ module });
    expect(exit.stack).toEqual([expect.stringMatching(/^inner@/), expect.stringMatching(/^begin@/)]);
    const offsets = (exit.stack ?? []).map((frame) => Number.parseInt(frame.split("@")[1] ?? "", 16));
    expect(offsets.map((offset) => module[offset])).toEqual([0x00, 0x10]); // unreachable, call
  });

  test("of a stack overflow are those of the calls", async () => {
    const module = wasmOf(`(func $again (export "main") (nop) (call $again))`);
    const { exit } = await runGuest({ module });
    const offset = Number.parseInt(exit.stack?.[0]?.split("@")[1] ?? "", 16);
    expect(module[offset]).toBe(0x10);
  });
});
