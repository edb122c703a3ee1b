/** History of the `svc shell` prompt, latest first, stored across sessions in a file that only its owner can read. */
import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { makeDirectory } from "../../tools/files.js";

const LINES = 500;

/** XDG Base Directory Specification, "Basics". */
function historyFile(): string {
  const directory = process.env["XDG_STATE_HOME"] || path.join(homedir(), ".local", "state");
  return path.join(directory, "svc", "shell-history");
}

export async function readHistory(): Promise<string[]> {
  const text = await readFile(historyFile(), "utf8").catch(() => ""); // first use, or an unreadable file
  return text.split("\n").filter((line) => line !== "");
}

export async function keepHistory(lines: readonly string[]): Promise<void> {
  const file = historyFile();
  try {
    await makeDirectory(path.dirname(file), { mode: 0o700 });
    await writeFile(file, `${lines.slice(0, LINES).join("\n")}\n`, { mode: 0o600 });
  } catch {
    // A session without a history is better than none.
  }
}
