/** Replace files in one step: a concurrent reader finds the old file or the new one, never half of it. */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Writes nothing where nothing has changed, so that a tree built by another user will do.
 * @param file directories that are missing are made
 * @throws {Error} for anything but a file: a device would be replaced, too
 */
export async function replaceFile(file: string, content: Uint8Array | string): Promise<void> {
  const status = await lstat(file).catch(() => undefined);
  if (status && !status.isFile() && !status.isSymbolicLink())
    throw new Error(`Cannot write "${file}": it is there and is no file`);
  const bytes = Buffer.from(content);
  if ((await readFile(file).catch(() => undefined))?.equals(bytes)) return;
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}`; // one process may have several threads that build
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
