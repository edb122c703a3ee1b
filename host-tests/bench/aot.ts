/**
 * Benchmark of native images: a kernel and the examples, each interpreted, as a native image, and, in C or Rust, compiled
 * without WebAssembly; for speed each time. All run on one console or beside it, in turns.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { compileApp } from "../../sdk/builder/build-app.js";
import { compileC } from "../../sdk/builder/c.js";
import { runGuest } from "../device/guest/guest-under-test.js";
import { prepared } from "../device/guest/prepared.js";
import { isThere } from "../hosts/peers.js";
import { programWithFrames, withFrames } from "./example-frames.js";
import { inRound } from "./round.js";
import type { AddRow } from "./row.js";

const run = promisify(execFile);
const sources = path.join(process.cwd(), "host-tests/bench/kernel");
const examples = path.join(process.cwd(), "sdk/examples");
const ROUNDS = inRound({ full: 7, short: 1 });
const EXAMPLE_ROUNDS = inRound({ full: 3, short: 1 });

/** Each with as many frames as an image computes in some 0.2 s. The others hardly compute: they wait, or for a server. */
const EXAMPLES = [
  { name: "beats", frames: 400_000 },
  { name: "bricks", frames: 60_000 },
  { name: "comets", frames: 1_000_000, native: "rust" },
  { name: "lamp", frames: 1_000_000, native: "c" },
  { name: "plot", frames: 200_000 },
  { name: "sketch", frames: 200_000 },
] as const;

/** Runs something once. @returns the milliseconds that it took */
type Engine = () => Promise<number>;

/** An app whose result is the milliseconds that it took. */
function guest(module: Uint8Array, engine: "wasm3" | "aot", memoryQuotaBytes = 65_536): Engine {
  return async () => {
    const { exit } = await runGuest({ module, engine, memoryQuotaBytes });
    if (exit.reason !== "exit") throw new Error(`${engine}: ${JSON.stringify(exit)}`);
    return exit.code ?? 0;
  };
}

/** A program that prints them. */
function program(file: string): Engine {
  return async () => Number((await run(file)).stdout);
}

/** Compiles the kernel as firmware's own C is. */
async function kernelProgram(directory: string): Promise<string> {
  const file = path.join(directory, "kernel");
  const files = ["kernel.c", "program.c"].map((name) => path.join(sources, name));
  await run("gcc", ["-std=gnu11", "-O2", "-o", file, ...files]);
  return file;
}

/** Runs the engines in turns. @returns the best time of each */
async function bestOf(rounds: number, engines: readonly Engine[]): Promise<number[]> {
  const best = engines.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++)
    for (const [index, engine] of engines.entries())
      best[index] = Math.min(best[index] as number, await engine());
  return best;
}

export default async function measure(row: AddRow): Promise<void> {
  if (!isThere("clang")) {
    row("kernel as a native image", "not measured: clang is missing");
    return;
  }
  const directory = mkdtempSync(path.join(tmpdir(), "bench-aot-"));
  try {
    const module = prepared(await compileC(sources, ["kernel.c", "app.c"], 1, "speed"));
    const native = program(await kernelProgram(directory));
    const times = await bestOf(ROUNDS, [guest(module, "wasm3"), guest(module, "aot"), native]);
    addRows(row, "kernel", times, "C");
    for (const example of EXAMPLES) await measureExample(row, example, directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function measureExample(
  row: AddRow,
  { name, frames: full, ...rest }: (typeof EXAMPLES)[number],
  directory: string,
): Promise<void> {
  const native = "native" in rest ? rest.native : undefined;
  if (native === "rust" && !isThere("rust")) {
    row(`${name} as a native image`, "not measured: rust is missing");
    return;
  }
  const frames = inRound({ full, short: full / 10 });
  const place = path.join(directory, name);
  const example = path.join(examples, name);
  const app = await compileApp(example, "speed");
  const { memory_quota } = JSON.parse(new TextDecoder().decode(app.manifest));
  const module = prepared(await withFrames(app.module, frames, place));
  const engines = [guest(module, "wasm3", memory_quota), guest(module, "aot", memory_quota)];
  if (native) engines.push(program(await programWithFrames(example, native, frames, place)));
  addRows(row, name, await bestOf(EXAMPLE_ROUNDS, engines), native === "rust" ? "Rust" : "C");
}

/** @param times of wasm3, of the image and, where there is one, of the program in that language */
function addRows(row: AddRow, name: string, times: readonly number[], language: string): void {
  const [interpreted = 0, image = 0, native] = times;
  const what = `${name} as a native image`;
  row(what, `${(interpreted / image).toFixed(1)} × wasm3 (${image} ms, wasm3 ${interpreted} ms)`, "≥ 5 ×");
  if (native === undefined) return;
  row(what, `${(native / image).toFixed(2)} × ${language} (${Math.round(native)} ms)`, "≥ 0.5 ×");
}
