/** Random functions, compiled as native images are, return what they return in V8 (docs/spec/aot.md#same). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTier } from "../../tier.js";
import { blockProgram } from "../guest/block-programs.js";
import { ARGUMENTS, onV8 } from "../guest/v8-answers.js";
import { callExports, compileShared } from "./image-program.js";

/** Functions of a module. */
const FUNCTIONS = 10;
const MODULES = Number(process.env["SVC_FUZZ_MODULES"] ?? inTier({ quick: 4, sample: 12, nightly: 300 }));
const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Date.now()) >>> 0;
process.stderr.write(`random images: SVC_FUZZ_SEED=${SEED} SVC_FUZZ_MODULES=${MODULES}\n`);

let directory = "";
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "random-images-"));
  await compileShared(directory);
});
afterAll(() => rmSync(directory, { recursive: true }));

test(`${MODULES * FUNCTIONS} random functions return the same as in V8`, { timeout: 3_600_000 }, async () => {
  for (let index = 0; index < MODULES; index++) {
    const module = blockProgram(SEED + index, FUNCTIONS, 4 + (index % 40));
    const names = Array.from({ length: FUNCTIONS }, (_, at) => `f${at}`);
    const [start, ...answers] = await callExports(
      module,
      names.map((name) => ({ name, parameters: ARGUMENTS })),
      directory,
    );
    expect(start).toBe("ok");
    expect([index, answers]).toEqual([index, names.map((name, at) => onV8(module, name, answers[at] ?? ""))]);
  }
});
