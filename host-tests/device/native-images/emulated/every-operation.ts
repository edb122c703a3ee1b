/**
 * A module that applies each numeric operation of WebAssembly to pairs of numbers that a compiler cannot know, and logs a digest
 * of the results for each: to be the same wherever it runs (docs/spec/aot.md#same).
 */
import { instantiate, invoke } from "../../../unit/wasm/v8.js";
import type { NumberType } from "../../guest/v8-answers.js";
import { LOG } from "./log.js";

interface Operation {
  readonly name: string;
  readonly of: NumberType;
  readonly to: NumberType;
  readonly isBinary: boolean;
}

const INTEGERS = ["i32", "i64"] as const;
const FLOATS = ["f32", "f64"] as const;

const unary = (of: NumberType, names: string): Operation[] =>
  names.split(" ").map((name) => ({ name: `${of}.${name}`, of, to: of, isBinary: false }));
const binary = (of: NumberType, names: string, to: NumberType = of): Operation[] =>
  names.split(" ").map((name) => ({ name: `${of}.${name}`, of, to, isBinary: true }));
const conversion = (of: NumberType, to: NumberType, names: string): Operation[] =>
  names.split(" ").map((name) => ({ name: `${to}.${name}`, of, to, isBinary: false }));

const OF_INTEGERS: readonly Operation[] = [
  ...INTEGERS.flatMap((type) => [
    ...unary(type, "clz ctz popcnt extend8_s extend16_s"),
    ...conversion(type, "i32", "eqz").map((operation) => ({ ...operation, name: `${type}.eqz` })),
    ...binary(type, "add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr"),
    ...binary(type, "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u", "i32"),
  ]),
  ...unary("i64", "extend32_s"),
  ...conversion("i64", "i32", "wrap_i64"),
  ...conversion("i32", "i64", "extend_i32_s extend_i32_u"),
];

const OF_FLOATS: readonly Operation[] = [
  ...FLOATS.flatMap((type) => [
    ...unary(type, "abs neg ceil floor trunc nearest sqrt"),
    ...binary(type, "add sub mul div min max copysign"),
    ...binary(type, "eq ne lt gt le ge", "i32"),
    ...INTEGERS.flatMap((from) => conversion(from, type, `convert_${from}_s convert_${from}_u`)),
    ...INTEGERS.flatMap((to) =>
      conversion(type, to, `trunc_${type}_s trunc_${type}_u trunc_sat_${type}_s trunc_sat_${type}_u`),
    ),
  ]),
  ...conversion("f64", "f32", "demote_f64"),
  ...conversion("f32", "f64", "promote_f32"),
  ...conversion("f32", "i32", "reinterpret_f32"),
  ...conversion("f64", "i64", "reinterpret_f64"),
  ...conversion("i32", "f32", "reinterpret_i32"),
  ...conversion("i64", "f64", "reinterpret_i64"),
];

/** Ends, halves, subnormal ones, and pairs whose sums gcc's library for Arm rounds wrongly. */
const NUMBERS: readonly number[] = [
  ...[0, 1, 0.5, 1.5, 2.5, 3.499999, 0.1, 1 / 3, 1e-310, 5e-324, 2 ** -1022, Number.MAX_VALUE, 1e300, 1e-300],
  ...[
    2 ** -149,
    2 ** -126,
    2 ** 127 * (2 - 2 ** -23),
    2 ** 24 + 1,
    2 ** 31,
    2 ** 31 - 1,
    2 ** 32,
    2 ** 32 - 1,
  ],
  ...[2 ** 53 + 2, 2 ** 63, 2 ** 64, 2 ** 63 - 1024, 1 + 2 ** -52, 1 - 2 ** -53, 4_503_599_627_370_495.5],
  ...[Number.POSITIVE_INFINITY, Number.NaN, (2 - 2 ** -50) * 2 ** 32, (1 + 2 ** -52) * 2 ** 0, 8_388_607.5],
].flatMap((value) => [value, -value]);

const WHOLE: readonly bigint[] = [
  ...[0n, 1n, -1n, 3n, -7n, 10n, 0x80n, 0x8000n, -256n, 65_535n, 2n ** 24n + 1n, 2n ** 53n + 1n, 31n, 64n],
  ...[2n ** 31n, 2n ** 31n - 1n, -(2n ** 31n), 2n ** 32n, 2n ** 32n - 1n, 2n ** 63n - 1n, -(2n ** 63n)],
  ...[0x7fff_ff80_0000_0001n, 0x0123_4567_89ab_cdefn, -0x7fff_ffff_ffff_fc00n, 0x7fff_fc00_0000_0001n],
];

const BYTES = 8;
const FIRST_FLOAT = 1024;
const FIRST_WHOLE = FIRST_FLOAT + BYTES * NUMBERS.length;
const DIGITS_AT = 64;

/** All as numbers of 64 bits: shorter ones are made of them before the operation. */
function data(): string {
  const bytes = Buffer.alloc(BYTES * (NUMBERS.length + WHOLE.length));
  for (const [at, value] of NUMBERS.entries()) bytes.writeDoubleLE(value, BYTES * at);
  for (const [at, value] of WHOLE.entries()) bytes.writeBigInt64LE(value, BYTES * (NUMBERS.length + at));
  const text = [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  return `(data (i32.const ${FIRST_FLOAT}) "${text}")`;
}

const isFloat = (type: NumberType) => type.startsWith("f");

/** The number at an index, a local. */
function operand(type: NumberType, index: string): string {
  const from = isFloat(type) ? FIRST_FLOAT : FIRST_WHOLE;
  const address = `(i32.add (i32.const ${from}) (i32.mul (local.get ${index}) (i32.const ${BYTES})))`;
  if (type === "f32") return `(f32.demote_f64 (f64.load ${address}))`;
  return type === "i32" ? `(i32.load ${address})` : `(${type}.load ${address})`;
}

/** As 64 bits; what is no number is always the same one. */
function digestible(type: NumberType, value: string): string {
  if (type === "i64") return value;
  return type === "i32" ? `(i64.extend_i32_u ${value})` : `(call $bits_of_${type} ${value})`;
}

/** What an operation does without a trap; 7 in place of one. */
function guarded({ name, of }: Operation, value: string): string {
  const either = (isRight: string) => `(if (result i64) ${isRight} (then ${value}) (else (i64.const 7)))`;
  if (/\.(div|rem)_/.test(name))
    return either(
      `(i32.and (${of}.ne (local.get $b) (${of}.const 0)) (${of}.ne (local.get $b) (${of}.const -1)))`,
    );
  if (/\.trunc_f\d\d_/.test(name))
    return either(
      `(i32.and (${of}.ge (local.get $a) (${of}.const 0)) (${of}.lt (local.get $a) (${of}.const 2147483520)))`,
    );
  return value;
}

function operationFunction(operation: Operation, at: number): string {
  const { name, of, to, isBinary } = operation;
  const count = isFloat(of) ? NUMBERS.length : WHOLE.length;
  const applied = isBinary ? `(${name} (local.get $a) (local.get $b))` : `(${name} (local.get $a))`;
  return `(func $operation${at} (local $i i32) (local $j i32) (local $a ${of}) (local $b ${of}) (local $digest i64)
    (loop $each (local.set $a ${operand(of, "$i")}) (local.set $j (i32.const 0))
      (loop $other (local.set $b ${operand(of, "$j")})
        (local.set $digest (i64.mul (i64.xor (local.get $digest) ${guarded(operation, digestible(to, applied))}) (i64.const 0x100000001b3)))
        (local.set $digest (i64.xor (local.get $digest) (i64.shr_u (local.get $digest) (i64.const 29))))
        (br_if $other (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (i32.const ${isBinary ? count : 1}))))
      (br_if $each (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const ${count}))))
    (call $say (local.get $digest)))`;
}

const BITS_OF_FLOATS = `
  (func $bits_of_f64 (param f64) (result i64)
    (select (i64.const 0x7ff8000000000000) (i64.reinterpret_f64 (local.get 0)) (f64.ne (local.get 0) (local.get 0))))
  (func $bits_of_f32 (param f32) (result i64)
    (select (i64.const 0x7fc00000) (i64.extend_i32_u (i32.reinterpret_f32 (local.get 0))) (f32.ne (local.get 0) (local.get 0))))`;

/** Logs a number as letters, the lowest four bits first. */
const SAY = `(func $say (param i64) (local $at i32)
  (loop $each
    (i32.store8 (i32.add (i32.const ${DIGITS_AT}) (local.get $at)) (i32.add (i32.const 97) (i32.and (i32.wrap_i64 (local.get 0)) (i32.const 15))))
    (local.set 0 (i64.shr_u (local.get 0) (i64.const 4)))
    (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 16))))
  (drop (call $log (i32.const 1) (i32.const ${DIGITS_AT}) (i32.const 16))))`;

export interface EveryOperation {
  /** The fields of the module. */
  readonly text: string;
  /** Of the operations, in the order of what it logs. */
  readonly names: readonly string[];
}

/** @param hasFloats whether operations of floating point are among them */
export function everyOperation({ hasFloats }: { readonly hasFloats: boolean }): EveryOperation {
  const operations = hasFloats ? [...OF_INTEGERS, ...OF_FLOATS] : OF_INTEGERS;
  const calls = operations.map((_, at) => `(call $operation${at})`).join(" ");
  const functions = [...(hasFloats ? [BITS_OF_FLOATS] : []), SAY, ...operations.map(operationFunction)];
  return {
    text: `${LOG} (memory (export "memory") 1) ${data()} ${functions.join("\n")} (func (export "main") ${calls})`,
    names: operations.map(({ name }) => name),
  };
}

/** What the module logs in V8. @param module of {@link everyOperation} */
export function loggedInV8(module: Uint8Array): string[] {
  const lines: string[] = [];
  const log = (_level: number, at: number, byteLength: number) => {
    const { buffer } = instance.exports["memory"] as { readonly buffer: ArrayBuffer };
    lines.push(Buffer.from(buffer, at, byteLength).toString());
  };
  const instance = instantiate(Uint8Array.from(module), { svc: { log } });
  invoke(instance, "main");
  return lines;
}
