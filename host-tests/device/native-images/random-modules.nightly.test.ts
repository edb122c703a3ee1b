/** Random functions, compiled as native images are, return what they return in V8 (docs/spec/aot.md#same). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { inTier } from "../../tier.js";
import { blockProgram } from "../guest/block-programs.js";
import { ARGUMENTS, onV8 } from "../guest/v8-answers.js";
import { ARM_PROGRAMS, callExports, compileShared, NATIVE_PROGRAMS } from "./image-program.js";

/** Functions of a module. */
const FUNCTIONS = 10;
const MODULES = Number(process.env["SVC_FUZZ_MODULES"] ?? inTier({ quick: 4, sample: 12, nightly: 3000 }));
const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Date.now()) >>> 0;
process.stderr.write(`random images: SVC_FUZZ_SEED=${SEED} SVC_FUZZ_MODULES=${MODULES}\n`);

for (const [toolchain, isThere] of [
  [NATIVE_PROGRAMS, true],
  [ARM_PROGRAMS, !isMissing("arm")],
] as const)
  test.skipIf(!isThere)(
    `${MODULES * FUNCTIONS} random functions for ${toolchain.architecture} return the same as in V8`,
    { timeout: 3_600_000 },
    async () => {
      const directory = mkdtempSync(path.join(tmpdir(), "random-images-"));
      onTestFinished(() => rmSync(directory, { recursive: true }));
      await compileShared(directory, toolchain);
      for (let index = 0; index < MODULES; index++) {
        const module = blockProgram(SEED + index, FUNCTIONS, 4 + (index % 40));
        const names = Array.from({ length: FUNCTIONS }, (_, at) => `f${at}`);
        const calls = names.map((name) => ({ name, parameters: ARGUMENTS }));
        const [start, ...answers] = await callExports(module, calls, directory, toolchain);
        expect(start).toBe("ok");
        const right = names.map((name, at) => onV8(module, name, answers[at] ?? ""));
        expect([index, answers]).toEqual([index, right]);
      }
    },
  );
