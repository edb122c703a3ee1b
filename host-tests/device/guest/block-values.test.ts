/** Blocks with parameters and several results: what they do on the engine is what they do in V8. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SpecRunner } from "../../hosts/spec-runner.js";
import { HARMLESS, HAZARDS, hazardModule } from "../../unit/wasm/engine-hazards.js";
import { blockProgram } from "./block-programs.js";
import { prepared } from "./prepared.js";
import { ARGUMENTS, onV8 } from "./v8-answers.js";

/** The runner has room for 4096 modules. */
const FUNCTIONS = Number(process.env["SVC_FUZZ_MODULES"] ?? 3000);
const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Date.now()) >>> 0;
process.stderr.write(`blocks with values: SVC_FUZZ_SEED=${SEED} SVC_FUZZ_MODULES=${FUNCTIONS}\n`);

let directory = "";
let runner: SpecRunner;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "blocks-"));
  runner = await SpecRunner.start();
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  expect(await runner.stop()).toBe(0); // the sanitizer's build says here what it has found
});

async function onEngine(module: Uint8Array): Promise<string> {
  const file = path.join(directory, "module.wasm");
  writeFileSync(file, module);
  const { id, answer } = await runner.load(file);
  expect(answer).toBe("ok");
  return runner.invoke(
    id,
    "f0",
    ARGUMENTS.map(({ bits }) => bits),
  );
}

for (const { what, ...hazard } of [...HAZARDS, ...HARMLESS])
  test(`the engine and V8 agree on ${what}`, async () => {
    const module = hazardModule(hazard);
    const answer = await onEngine(prepared(module));
    expect(answer).toBe(onV8(module, "f0", answer));
  });

test("random functions with block parameters and results give the same results as in V8", {
  timeout: 600_000,
}, async () => {
  for (let index = 0; index < FUNCTIONS; index++) {
    const module = blockProgram(SEED + index, 1, 4 + (index % 40));
    const answer = await onEngine(prepared(module));
    expect([index, answer]).toEqual([index, onV8(module, "f0", answer)]);
  }
});
