/** Runs a test's own program in the simulator, in place of the console's. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { buildSimulator, bundle, type Variant } from "../../simulator/build.js";
import { writeImage } from "../../tools/image.js";
import { FLASHED } from "./simulator.js";

export interface ProgramRun {
  /** Exit status; `undefined` if the test ended the program after it traced {@link DONE}. */
  readonly status: number | undefined;
  /** Traced lines, except {@link DONE} and the lines about flashing. */
  readonly lines: readonly string[];
}

/** A program that traces this line is ended with SIGTERM. */
export const DONE = "done";

/** A test program may compute longer in one turn than the watchdog of a console allows. */
const PATIENT = { SVC_SIM_WATCHDOG_MS: "120000" };

/** Exit status of the simulator after a power cut (device/hosts/posix/native/storage/power.h). */
export const POWER_CUT_STATUS = 99;

const usualVariant = (process.env["SVC_SIM_VARIANT"] ?? "release") as Variant;

export interface RunOptions {
  /** Directory of the state that outlives the run; created if missing. */
  readonly state: string;
  /** Flash the program's image first (default). False: run what is in the slots. */
  readonly isFlashed?: boolean;
  readonly flags?: readonly string[];
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Program {
  /** Path of its firmware image. */
  readonly image: string;
  run(options: RunOptions): Promise<ProgramRun>;
}

/** Creates a directory for console state, with a function that removes it. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const directory = mkdtempSync(path.join(tmpdir(), "console-"));
  return { path: directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/**
 * Builds the simulator and a program for it.
 * @param entry TypeScript module whose default export the simulator calls
 * @param directory where the bundle and the image are written
 */
export async function buildProgram(
  entry: string,
  directory: string,
  variant = usualVariant,
): Promise<Program> {
  const file = path.join(directory, path.basename(entry, ".ts"));
  const [command, module] = await Promise.all([buildSimulator({ variant }), bundle(entry, `${file}.js`)]);
  const image = `${file}.img`;
  writeFileSync(image, writeImage({ program: readFileSync(module) }));
  return {
    image,
    run({ state, isFlashed = true, flags = [], environment = {} }) {
      mkdirSync(state, { recursive: true });
      const defaults = ["--die-with-parent", "--state", state, "--no-mdns", "--address", "127.0.0.1"];
      const flash = isFlashed ? ["--image", image] : [];
      const child = spawn(command, [...flash, ...defaults, ...flags], {
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, ...PATIENT, ...environment },
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
    if (line === DONE) isDone = child.kill("SIGTERM");
    else if (!FLASHED.test(line)) lines.push(line);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status: isDone ? undefined : (status ?? -1), lines }));
  });
}
