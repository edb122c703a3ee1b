/** Serializes builds of an output directory across processes: test runners start several that need the same build. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

/**
 * @param directory created if missing
 * @throws {Error} if no lock can be made there
 */
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
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error; // nobody holds what cannot be made
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/**
 * A lock of an ended process counts as free. A lock file that has just disappeared counts as held, since another
 * process may create it before the next check.
 */
function isHeld(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "EPERM") return true; // EPERM: a process of another user
    if (code === "ESRCH") return false;
    throw error;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
