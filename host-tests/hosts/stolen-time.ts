/**
 * Time that a virtual machine's processors were kept from it. What is to be done within a time is not late for it:
 * a limit is on what the console takes, and not on what other machines take of this one.
 */
import { readFileSync } from "node:fs";

/** Linux counts in hundredths of a second for programs, whatever it does inside (proc(5)). */
const TICK_MS = 10;

/** Since the start of this machine, of all its processors together; 0 where they are not counted. */
function stolenSinceStartMs(): number {
  const steal = readFileSync("/proc/stat", "utf8").split(/\s+/, 9)[8];
  return Number(steal ?? 0) * TICK_MS;
}

/** @returns how many milliseconds were stolen from then on, each time that it is called */
export function countStolenMs(): () => number {
  const before = stolenSinceStartMs();
  return () => Math.max(stolenSinceStartMs() - before, 0);
}
