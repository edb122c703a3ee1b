/**
 * Which console is at a serial port that a running `svc` holds, such as `svc app dev`: a note for other calls of `svc`, which cannot ask
 * at the port, and use the network instead (docs/spec/cli.md#held-port). A note counts while the process that wrote it runs.
 */
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../../tools/files.js";
import { stateDirectory } from "../user-directories.js";

interface HeldPort {
  readonly pid: number;
  /** Of the console. */
  readonly name: string;
}

const noted = new Map<string, string>();

/** Notes what this process has found at a port. @param address as of a route; others than ports are ignored */
export async function noteHeldPort(address: string, name: string): Promise<void> {
  const file = fileOf(address);
  if (file === undefined || noted.get(file) === name) return;
  if (noted.size === 0) process.once("exit", forgetAll);
  noted.set(file, name);
  try {
    await makeDirectory(path.dirname(file), { mode: 0o700 });
    await writeFile(file, JSON.stringify({ pid: process.pid, name } satisfies HeldPort));
  } catch {
    // Without the note, others are told that the port is busy.
  }
}

/** @returns the name of the console at a port that another `svc` holds; `undefined` if none has noted it */
export function heldConsole(address: string): string | undefined {
  const file = fileOf(address);
  if (file === undefined) return undefined;
  try {
    const { pid, name } = JSON.parse(readFileSync(file, "utf8")) as Partial<HeldPort>;
    return typeof pid === "number" && isRunning(pid) && typeof name === "string" ? name : undefined;
  } catch {
    return undefined; // no note
  }
}

function forgetAll(): void {
  for (const file of noted.keys()) rmSync(file, { force: true });
}

/** A link of a simulated console, and the names of a port below /dev, lead to one port. */
function fileOf(address: string): string | undefined {
  const directory = stateDirectory();
  if (directory === undefined || !address.startsWith("usb:")) return undefined;
  const port = address.slice("usb:".length);
  const name = createHash("sha256").update(realOf(port)).digest("hex").slice(0, 32);
  return path.join(directory, "ports", `${name}.json`);
}

function realOf(port: string): string {
  try {
    return realpathSync(port);
  } catch {
    return port; // Windows has no file for it
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // another user's
  }
}
