/**
 * The console that peers are to find: for now the responder in Node, later the whole simulator.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { Program } from "./program.js";

export interface Built {
  readonly file: string;
  remove(): void;
}

/** Makes one file of a program in this folder, so that Node can run it anywhere. */
export function buildProgram(name: string): Built {
  const folder = mkdtempSync(path.join(tmpdir(), `${name}-`));
  const file = path.join(folder, `${name}.cjs`);
  const entry = path.join(import.meta.dirname, `${name}.ts`);
  buildSync({ entryPoints: [entry], outfile: file, bundle: true, platform: "node", format: "cjs" });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Anything that runs a command somewhere. */
export interface Place {
  command(...command: readonly string[]): [string, string[]];
}

/** Starts a console and waits until it runs, not until it is announced. SIGTERM ends it. */
export async function startNodeConsole(file: string, place: Place, address: string): Promise<Program> {
  const program = new Program(place.command(process.execPath, file, address, "Console-1A2B"));
  await program.line(/"ready":true/);
  return program;
}
