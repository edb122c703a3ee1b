/** What the tests run on their hosts: the simulated console, and peers that are Node programs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { buildDevice, buildSimulator } from "../../../simulator/build.js";
import { Program } from "./program.js";
import type { Host } from "./two-hosts.js";

/** Names the executable, as in the other tests on the simulator. */
const variant = (process.env["SVC_SIM_VARIANT"] ?? "release") as "release" | "asan" | "m32";

export interface Built {
  /** Starts it and waits until it runs, not until it is announced. */
  start(host: Host): Promise<Program>;
  /** Removes what was made for it. */
  remove(): void;
}

/** The simulator as Console-1A2B; SIGTERM shuts it down cleanly. */
export async function buildSimulatedConsole(): Promise<Built> {
  const folder = mkdtempSync(path.join(tmpdir(), "console-"));
  const [executable, image] = await Promise.all([buildSimulator({ variant }), buildDevice()]);
  const start = (host: Host) => {
    const state = mkdtempSync(path.join(folder, "state-"));
    const flags = ["--die-with-parent", "--image", image, "--state", state, "--address", host.address];
    return started(host, executable, ...flags, "--mac", "02:00:00:00:1A:2B");
  };
  return { start, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A program of this folder in Node, which is told the address of its host and a name. */
export function buildNodeProgram(program: string, name: string): Built {
  const folder = mkdtempSync(path.join(tmpdir(), `${program}-`));
  const file = path.join(folder, `${program}.cjs`);
  const entry = path.join(import.meta.dirname, `${program}.ts`);
  buildSync({ entryPoints: [entry], outfile: file, bundle: true, platform: "node", format: "cjs" });
  const start = (host: Host) => started(host, process.execPath, file, host.address, name);
  return { start, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function started(host: Host, ...command: string[]): Promise<Program> {
  const program = new Program(host.command(...command));
  await program.line(/"ready":true/);
  return program;
}
