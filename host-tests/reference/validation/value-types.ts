/** Value types as encoded in the binary format (§5.3.1), and the length of LEB128 numbers. */
import { invalid, type UnsupportedFeature, unsupported } from "./verdict.js";

export const I32 = 0x7f;
export const I64 = 0x7e;
export const F32 = 0x7d;
export const F64 = 0x7c;
/** Type of an operand in unreachable code: matches every type. */
export const ANY = 0;

const NAMES: Readonly<Record<number, string>> = Object.freeze({
  [I32]: "i32",
  [I64]: "i64",
  [F32]: "f32",
  [F64]: "f64",
  [ANY]: "any",
});

export function typeName(type: number): string {
  return NAMES[type] ?? "?";
}

/** Creates the fault for a byte that is not a value type the engine supports. */
export function refuseType(offset: number, byte: number): Error {
  const feature = featureOfType(byte);
  const hexadecimal = `0x${byte.toString(16)}`;
  return feature
    ? unsupported(offset, feature, `a value has type ${hexadecimal}`)
    : invalid(offset, `${hexadecimal} is not a value type`);
}

function featureOfType(byte: number): UnsupportedFeature | undefined {
  if (byte === 0x7b) return "SIMD";
  if (byte === 0x70 || byte === 0x6f) return "reference types";
  if (byte === 0x69 || byte === 0x68 || byte === 0x74) return "exception handling";
  if (byte >= 0x63 && byte <= 0x78) return "garbage collection";
  return undefined;
}

/** Length of `value` in LEB128 without padding, in bytes. */
export function lebLength(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}
