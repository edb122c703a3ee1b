/** Files in which `svc` stores secrets for later calls: JSON that only its owner can read, replaced atomically. */
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../tools/files.js";
import { writing } from "./files.js";
import { SvcError } from "./svc-error.js";
import { configDirectory } from "./user-directories.js";

/**
 * @param name such as `hub.json`
 * @param advice for an unreadable file
 * @returns `undefined` if the file does not exist
 * @throws {SvcError} `file_unreadable`
 */
export async function readKept(name: string, advice: string): Promise<unknown> {
  const directory = configDirectory();
  if (directory === undefined) return undefined;
  const file = path.join(directory, name);
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SvcError("file_unreadable", `Cannot read "${file}"`, { cause, advice });
  }
}

/**
 * @param name such as `hub.json`
 * @returns the path of the file
 * @throws {SvcError} `file_not_written`
 */
export async function writeKept(name: string, value: unknown): Promise<string> {
  const directory = configDirectory();
  if (directory === undefined)
    throw new SvcError("file_not_written", `Cannot store ${name}: you have no home directory`, {
      advice: "Set HOME or XDG_CONFIG_HOME to an absolute path.",
    });
  const file = path.join(directory, name);
  const temporary = `${file}.${randomUUID()}`;
  await writing(`"${file}"`, async () => {
    await makeDirectory(path.dirname(file), { mode: 0o700 });
    try {
      await writeFile(temporary, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: "wx" });
      await rename(temporary, file);
    } finally {
      await rm(temporary, { force: true });
    }
  });
  return file;
}
