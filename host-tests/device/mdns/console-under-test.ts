/**
 * The console that peers are to find: for now the responder in Node, later the whole simulator.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { Program } from "./program.js";

/** Builds the program that advertises from Node. @returns its file, and what removes it */
export function buildNodeConsole(): { file: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), "node-console-"));
  const file = path.join(folder, "node-console.mjs");
  const entry = path.join(import.meta.dirname, "node-console.ts");
  buildSync({ entryPoints: [entry], outfile: file, bundle: true, platform: "node", format: "esm" });
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
