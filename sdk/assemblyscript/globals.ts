/**
 * Functions that AssemblyScript expects of every host, by those of the console (docs/spec/cli.md#assemblyscript-library): `trace`,
 * and the seed of `Math.random`. Every AssemblyScript app is built with it, as with `abort.ts`.
 */
import { LogLevel, log, raw } from "svc";

const seedBits: usize = memory.data(8);

/** A finite number: not every processor returns a NaN with the bits that it was given. */
export function seed(): f64 {
  raw.random(seedBits, 8);
  return reinterpret<f64>(load<i64>(seedBits) & 0x3fff_ffff_ffff_ffff);
}

export function trace(
  message: string,
  n: i32 = 0,
  a0: f64 = 0,
  a1: f64 = 0,
  a2: f64 = 0,
  a3: f64 = 0,
  a4: f64 = 0,
): void {
  const values: f64[] = [a0, a1, a2, a3, a4];
  const shown = values.slice(0, n).join(", ");
  log(LogLevel.INFO, n > 0 ? message + " " + shown : message);
}
