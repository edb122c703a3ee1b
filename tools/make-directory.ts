/** Make directories that a user has named, at any path. */
import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";

/**
 * With those above it that are missing. Node's own `recursive` never ends where a system answers ENOENT for a child of a
 * directory that is there, as Linux does in /proc: it makes the parent, and tries again.
 * @param directory may be there already
 * @param options of each that is made
 * @throws {Error} of the system
 */
export async function makeDirectory(
  directory: string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const parent = path.dirname(directory);
  if (!existsSync(parent)) await makeDirectory(parent, options);
  await mkdir(directory, options).catch((error) => {
    if (!isDirectory(directory)) throw error;
  });
}

function isDirectory(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
