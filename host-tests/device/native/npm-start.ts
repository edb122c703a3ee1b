/** A run of `npm start` with a state directory of its own, which ends with the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";
import { LAUNCHER } from "../../../tools/launcher.js";

export const root = path.join(import.meta.dirname, "../../..");
export let state: string;

beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

export interface Started {
  readonly process: ChildProcess;
  /** Everything on standard output and on standard error so far. */
  readonly output: { stdout: string; stderr: string };
  /** Settles with the first line on standard output, or with nothing when the process ends without one. */
  readonly ready: Promise<string | undefined>;
  readonly exited: Promise<number | null>;
}

export const start = (...flags: string[]) =>
  follow(process.execPath, LAUNCHER, "simulator/start.ts", ...flags);

/** Of no desktop, also where the tests run on one. */
const { DISPLAY: _, WAYLAND_DISPLAY: __, ...environment } = process.env;

export function follow(command: string, ...parameters: string[]): Started {
  const process = spawn(command, parameters, { cwd: root, env: environment });
  const output = { stdout: "", stderr: "" };
  process.stderr.on("data", (bytes) => {
    output.stderr += bytes;
  });
  const exited = new Promise<number | null>((resolve) => process.once("close", resolve));
  const ready = new Promise<string | undefined>((resolve) => {
    process.stdout.on("data", (bytes) => {
      output.stdout += bytes;
      if (output.stdout.includes("\n")) resolve(output.stdout);
    });
    exited.then(() => resolve(undefined));
  });
  return { process, output, ready, exited };
}

export const ports = ["--address", "127.0.0.1", "--http-port", "0", "--ws-port", "0", "--no-mdns"];
export const quiet = (...flags: string[]) => start("--state", state, ...ports, ...flags);
