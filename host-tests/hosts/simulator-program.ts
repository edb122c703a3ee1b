/** Runs a program of a test's own in the simulator, in place of the console's. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { buildSimulator, bundle } from "../../simulator/build.js";

export interface ProgramRun {
  /** Exit status, or `undefined` where the program was ended because it had said that it was done. */
  readonly status: number | undefined;
  /** What it traced, line by line, without {@link DONE}. */
  readonly lines: readonly string[];
}

/** A program that traces this line is ended. */
export const DONE = "done";

/** Exit status of the simulator after a power cut (simulator/native/power.h). */
export const POWER_CUT_STATUS = 99;

const variant = (process.env["SVC_SIM_VARIANT"] ?? "release") as "release" | "asan" | "m32";

export interface RunOptions {
  /** Directory of what outlives the run; made where it is missing. */
  readonly state: string;
  readonly flags?: readonly string[];
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Program {
  run(options: RunOptions): Promise<ProgramRun>;
}

/** A new directory for the state of consoles, and its removal. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const directory = mkdtempSync(path.join(tmpdir(), "console-"));
  return { path: directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/**
 * @param entry TypeScript module whose default export the simulator calls
 * @param directory where the bundle goes
 */
export async function buildProgram(entry: string, directory: string): Promise<Program> {
  const name = `${path.basename(entry, ".ts")}.js`;
  const [command, image] = await Promise.all([
    buildSimulator({ variant }),
    bundle(entry, path.join(directory, name)),
  ]);
  return {
    run({ state, flags = [], environment = {} }) {
      mkdirSync(state, { recursive: true });
      const defaults = ["--die-with-parent", "--image", image, "--state", state, "--no-mdns"];
      const child = spawn(command, [...defaults, "--address", "127.0.0.1", ...flags], {
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, ...environment },
      });
      return follow(child);
    },
  };
}

function follow(child: ChildProcess): Promise<ProgramRun> {
  const lines: string[] = [];
  let isDone = false;
  if (!child.stderr) throw new Error("The program's output is not piped");
  createInterface(child.stderr).on("line", (line) => {
    if (line !== DONE) lines.push(line);
    else isDone = child.kill("SIGTERM");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status: isDone ? undefined : (status ?? -1), lines }));
  });
}
