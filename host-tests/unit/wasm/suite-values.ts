/** Values of the test suite's scripts as JavaScript has them. Payloads of NaN do not survive there. */
import type { ScriptValue } from "./corpus.js";

function floatOf(bits: string, byteLength: 4 | 8): number {
  const view = new DataView(new ArrayBuffer(8));
  if (byteLength === 4) view.setUint32(0, Number(bits));
  else view.setBigUint64(0, BigInt(bits));
  return byteLength === 4 ? view.getFloat32(0) : view.getFloat64(0);
}

/** `undefined` for a type that no app has. */
export function fromScript({ type, value }: ScriptValue): number | bigint | undefined {
  if (value === undefined) return undefined;
  if (value.startsWith("nan")) return Number.NaN;
  if (type === "i32") return Number(BigInt.asIntN(32, BigInt(value)));
  if (type === "i64") return BigInt.asIntN(64, BigInt(value));
  if (type === "f32") return floatOf(value, 4);
  return type === "f64" ? floatOf(value, 8) : undefined;
}

/** Whether JavaScript hands the value on with all its bits. */
export function isExact(value: ScriptValue): boolean {
  const number = fromScript(value);
  return typeof number !== "number" || !Number.isNaN(number);
}

export function isSame(actual: unknown, expected: readonly ScriptValue[]): boolean {
  const actuals = expected.length === 0 ? [] : expected.length === 1 ? [actual] : (actual as unknown[]);
  return expected.every((value, index) => Object.is(actuals[index], fromScript(value)));
}
