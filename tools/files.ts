/**
 * Writes files and directories for programs on Node: replaces files atomically, creates directories at any path, and
 * turns errors of the operating system into messages.
 */
import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { getSystemErrorMap } from "node:util";

/**
 * Runs `work`, and rewords errors of the operating system.
 * @param action such as `read "key.pem"`
 * @throws {Error} `Cannot read "key.pem": no such file or directory` for system errors; other errors unchanged
 */
export async function explainFailure<Result>(
  action: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const { errno } = cause as { errno?: number };
    const reason = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
    throw reason === undefined ? cause : new Error(`Cannot ${action}: ${reason}`, { cause });
  }
}

/**
 * Creates a directory and its missing parents. Node's own `recursive` loops forever where the system answers ENOENT for
 * a child of an existing directory, as Linux does in /proc: it creates the parent, and tries again.
 * @param directory may exist
 * @param options for each created directory
 * @throws {Error} of the operating system
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

/**
 * Replaces a file in one step: a concurrent reader finds the old file or the new one, never half of it. Writes nothing
 * if nothing has changed, so that a tree built by another user can be used.
 * @param file missing directories are created
 * @throws {Error} for an existing directory, device or other non-file
 */
export async function replaceFile(file: string, content: Uint8Array | string): Promise<void> {
  const status = await lstat(file).catch(() => undefined);
  if (status && !status.isFile() && !status.isSymbolicLink())
    throw new Error(`Cannot write "${file}": it exists and is not a file`);
  const bytes = Buffer.from(content);
  if ((await readFile(file).catch(() => undefined))?.equals(bytes)) return;
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}`; // several threads of one process may build
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** @returns `file` */
export async function writeIfChanged(file: string, text: string): Promise<string> {
  const old = await readFile(file, "utf8").catch(() => undefined);
  if (old !== text) await writeFile(file, text);
  return file;
}
