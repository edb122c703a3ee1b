/**
 * Counts steal time: how long the hypervisor kept this virtual machine's processors from running. Tests subtract it
 * from measured times, since a time limit is about what the console takes, not about other virtual machines.
 */
import { readFileSync } from "node:fs";

/** Linux reports times to programs in hundredths of a second, whatever its internal tick (proc(5)). */
const TICK_MS = 10;

/** Steal time since boot, summed over all processors; 0 if the kernel does not report it. */
function stolenSinceStartMs(): number {
  const steal = readFileSync("/proc/stat", "utf8").split(/\s+/, 9)[8];
  return Number(steal ?? 0) * TICK_MS;
}

/** Starts counting. @returns a function that returns the milliseconds stolen since then */
export function countStolenMs(): () => number {
  const before = stolenSinceStartMs();
  return () => Math.max(stolenSinceStartMs() - before, 0);
}
