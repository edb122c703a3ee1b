/** One build at a time of one output directory: test runners start several processes that all want it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

/** @param directory made where it is missing */
export async function withLock<Result>(directory: string, task: () => Promise<Result>): Promise<Result> {
  mkdirSync(directory, { recursive: true });
  const lock = path.join(directory, "lock");
  while (!take(lock)) await setTimeout(50);
  try {
    return await task();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/**
 * A lock whose process has gone blocks no other process. A lock that has disappeared may belong to another process by
 * the next look: it counts as held.
 */
function isHeld(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
