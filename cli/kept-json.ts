/**
 * Files in which `svc` stores secrets for later calls: JSON that only its owner can read, replaced atomically, below
 * the configuration directory of the XDG Base Directory Specification ("Basics").
 */
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { makeDirectory } from "../tools/files.js";
import { writing } from "./files.js";
import { SvcError } from "./svc-error.js";

/**
 * @param name such as `hub.json`
 * @returns its path
 */
export function keptFile(name: string): string {
  const directory = process.env["XDG_CONFIG_HOME"] || path.join(homedir(), ".config");
  return path.join(directory, "svc", name);
}

/**
 * @param advice for an unreadable file
 * @returns `undefined` if the file does not exist
 * @throws {SvcError} `file_unreadable`
 */
export async function readKept(file: string, advice: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SvcError("file_unreadable", `Cannot read "${file}"`, { cause, advice });
  }
}

/** @throws {SvcError} `file_not_written` */
export async function writeKept(file: string, value: unknown): Promise<void> {
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
}
