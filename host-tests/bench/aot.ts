/**
 * Benchmark of native images: the same kernel interpreted, as a native image, and compiled from its C without WebAssembly. All
 * run on one console or beside it, in turns.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { compileC } from "../../sdk/builder/c.js";
import { runGuest } from "../device/guest/guest-under-test.js";
import { prepared } from "../device/guest/prepared.js";
import { inRound } from "./round.js";
import type { AddRow } from "./row.js";

const run = promisify(execFile);
const sources = path.join(import.meta.dirname, "kernel");
const ROUNDS = inRound({ full: 7, short: 1 });

interface Engine {
  readonly name: string;
  milliseconds(): Promise<number>;
}

/** The kernel as an app whose result is the milliseconds that it took. */
async function guest(name: string, module: Uint8Array, engine: "wasm3" | "aot"): Promise<Engine> {
  return {
    name,
    async milliseconds() {
      const { exit } = await runGuest({ module, engine });
      if (exit.reason !== "exit") throw new Error(`${name}: ${JSON.stringify(exit)}`);
      return exit.code ?? 0;
    },
  };
}

/** The kernel as a program, compiled as firmware's own C is. */
async function program(directory: string): Promise<Engine> {
  const file = path.join(directory, "kernel");
  const files = ["kernel.c", "program.c"].map((name) => path.join(sources, name));
  await run("gcc", ["-std=gnu11", "-O2", "-o", file, ...files]);
  return { name: "C", milliseconds: async () => Number((await run(file)).stdout) };
}

export default async function measure(row: AddRow): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "bench-aot-"));
  const module = prepared(await compileC(sources, ["kernel.c", "app.c"]));
  const engines = [
    await guest("wasm3", module, "wasm3"),
    await guest("image", module, "aot"),
    await program(directory),
  ];
  const best = engines.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, engine] of engines.entries())
      best[index] = Math.min(best[index] as number, await engine.milliseconds());
  rmSync(directory, { recursive: true });
  const [interpreted = 0, image = 0, native = 0] = best;
  row(
    "kernel as a native image",
    `${(interpreted / image).toFixed(1)} × wasm3 (${image} ms, wasm3 ${interpreted} ms)`,
    "≥ 5 ×",
  );
  row("kernel as a native image", `${(native / image).toFixed(2)} × C (${native} ms)`, "≥ 0.5 ×");
}
