/** The scripts of the WebAssembly core test suite, as `wast2json` writes them, and how a value is judged. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const SUITE = path.join(import.meta.dirname, "../../../../shared/testdata/wasm-core-testsuite/core");

export const isTestsuiteThere = existsSync(SUITE);

export interface Value {
  readonly type: string;
  readonly value: string;
}

export interface Action {
  readonly type: "invoke" | "get";
  readonly field: string;
  readonly module?: string;
  readonly args?: readonly Value[];
}

export interface Command {
  readonly type: string;
  readonly line: number;
  readonly name?: string;
  readonly filename?: string;
  readonly action?: Action;
  readonly expected?: readonly Value[];
  readonly text?: string;
}

export interface Script {
  /** Path below the suite, without its ending. */
  readonly name: string;
  readonly commands: readonly Command[];
}

export function scripts(): Script[] {
  const names = readdirSync(SUITE, { recursive: true, encoding: "utf8" }).sort();
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({
      name: name.slice(0, -".json".length),
      commands: JSON.parse(readFileSync(path.join(SUITE, name), "utf8")).commands,
    }));
}

/** A module's file stands beside the script that names it. */
export function moduleFile(script: Script, filename: string): string {
  return path.join(SUITE, path.dirname(script.name), filename);
}

/** Types that an app can exchange with the engine; the suite has more. */
export function isNumber({ type, value }: Value): boolean {
  return /^[if](32|64)$/.test(type) && typeof value === "string";
}

export function bitsOf({ value }: Value): bigint {
  return BigInt.asUintN(64, BigInt(value));
}

/** Whether `actual`, as `f32:7fc00000`, is what the suite wants, which for a NaN may be one of many. */
export function matches(actual: string | undefined, { type, value }: Value): boolean {
  const [actualType, digits = "0"] = actual?.split(":") ?? [];
  if (actualType !== type) return false;
  const bits = BigInt(`0x${digits}`);
  if (!value.startsWith("nan")) return bits === BigInt.asUintN(type.endsWith("32") ? 32 : 64, BigInt(value));
  const quiet = type === "f32" ? 0x7fc00000n : 0x7ff8000000000000n;
  const sign = type === "f32" ? 0x80000000n : 0x8000000000000000n;
  return value === "nan:canonical" ? (bits & ~sign) === quiet : (bits & quiet) === quiet;
}

const F32_QUIET = 0x0040_0000n;

/**
 * Whether `actual` is a quiet NaN where the suite wants a signalling one. wasm3 keeps an `f32` in a register
 * of 64 bits, and every conversion makes NaNs quiet; that one bit is all that an app can see of it.
 */
export function matchesQuieted(actual: string | undefined, { type, value }: Value): boolean {
  if (!/^[if]32$/.test(type) || !/^-?\d+$/.test(value)) return false;
  const bits = BigInt.asUintN(32, BigInt(value));
  const isSignalling = (bits & 0x7fc0_0000n) === 0x7f80_0000n && (bits & 0x003f_ffffn) !== 0n;
  return isSignalling && matches(actual, { type, value: (bits | F32_QUIET).toString() });
}
