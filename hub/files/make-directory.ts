/** Creates missing directories. */
import { mkdir } from "node:fs/promises";
import path from "node:path";

/**
 * Makes a directory and its parents. Node's own `recursive` never returns below a directory that allows no
 * subdirectories and reports ENOENT, such as /proc (Node 20).
 * @throws {Error} where it cannot
 */
export async function makeDirectory(directory: string): Promise<void> {
  if (await isMade(directory)) return;
  await makeDirectory(path.dirname(directory));
  await mkdir(directory).catch(unlessThere);
}

/** @returns `false` where what is above it may be missing */
async function isMade(directory: string): Promise<boolean> {
  try {
    await mkdir(directory).catch(unlessThere);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && path.dirname(directory) !== directory) return false;
    throw error;
  }
}

/** A path that is a file fails later, when it is used. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST" && error.code !== "EISDIR") throw error;
}
