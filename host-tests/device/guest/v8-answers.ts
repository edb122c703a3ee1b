/** What random functions (block-programs.ts) are called with, and what V8 returns for that, in the words of the runners. */
import { PARAMETERS } from "../../unit/wasm/engine-hazards.js";
import { F32, F64, I32, I64 } from "../../unit/wasm/module-builder.js";
import { instantiate, invoke } from "../../unit/wasm/v8.js";

export type NumberType = "i32" | "i64" | "f32" | "f64";

const NAMES: Readonly<Record<number, NumberType>> = {
  [I32]: "i32",
  [I64]: "i64",
  [F32]: "f32",
  [F64]: "f64",
};
const VALUES = [1, 0x1234_5678_0000_0002n, 3, 4.1, 5, 0x8765_4321_0000_0006n, 7, 8.1] as const;

/** One for each of `PARAMETERS`. */
export const ARGUMENTS = Object.freeze(
  VALUES.map((value, at) => {
    const type = NAMES[PARAMETERS[at] as number] as NumberType;
    return { type, bits: bitsOf(value, type) };
  }),
);

function bitsOf(value: number | bigint, type: string): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (type === "i64") view.setBigInt64(0, BigInt(value));
  else if (type === "i32") view.setUint32(4, Number(value));
  else if (type === "f32") view.setFloat32(4, Number(value));
  else view.setFloat64(0, Number(value));
  return view.getBigUint64(0);
}

/** @param answer of an engine, `ok i32:1 f64:0`, whose types are taken over: V8 does not tell them */
export function onV8(module: Uint8Array<ArrayBuffer>, name: string, answer: string): string {
  const types = answer
    .split(" ")
    .slice(1)
    .map((value) => value.split(":")[0] ?? "");
  const result: unknown = invoke(instantiate(module), name, VALUES);
  const values = types.length === 0 ? [] : ((types.length === 1 ? [result] : result) as (number | bigint)[]);
  return [
    "ok",
    ...values.map((value, at) => `${types[at]}:${bitsOf(value, types[at] ?? "").toString(16)}`),
  ].join(" ");
}
