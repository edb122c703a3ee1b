/** Blocks with parameters and several results: what they do on the engine is what they do in V8. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SpecRunner } from "../../hosts/spec-runner.js";
import { HARMLESS, HAZARDS, hazardModule, PARAMETERS } from "../../unit/wasm/engine-hazards.js";
import { F32, F64, I32, I64 } from "../../unit/wasm/module-builder.js";
import { instantiate, invoke } from "../../unit/wasm/v8.js";
import { blockProgram } from "./block-programs.js";
import { prepared } from "./prepared.js";

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

const NAMES: Readonly<Record<number, string>> = { [I32]: "i32", [I64]: "i64", [F32]: "f32", [F64]: "f64" };
const ARGUMENTS = [1, 0x1234_5678_0000_0002n, 3, 4.1, 5, 0x8765_4321_0000_0006n, 7, 8.1] as const;

function bitsOf(value: number | bigint, type: string): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (type === "i64") view.setBigInt64(0, BigInt(value));
  else if (type === "i32") view.setUint32(4, Number(value));
  else if (type === "f32") view.setFloat32(4, Number(value));
  else view.setFloat64(0, Number(value));
  return view.getBigUint64(0);
}

async function onEngine(module: Uint8Array): Promise<string> {
  const file = path.join(directory, "module.wasm");
  writeFileSync(file, module);
  const { id, answer } = await runner.load(file);
  expect(answer).toBe("ok");
  const bits = PARAMETERS.map((type, at) => bitsOf(ARGUMENTS[at] as number | bigint, NAMES[type] ?? ""));
  return runner.invoke(id, "f0", bits);
}

/** In the words of the runner. */
function onV8(module: Uint8Array<ArrayBuffer>, types: readonly string[]): string {
  const result: unknown = invoke(instantiate(module), "f0", ARGUMENTS);
  const values = types.length === 0 ? [] : ((types.length === 1 ? [result] : result) as (number | bigint)[]);
  return [
    "ok",
    ...values.map((value, at) => `${types[at]}:${bitsOf(value, types[at] ?? "").toString(16)}`),
  ].join(" ");
}

function typesOf(answer: string): string[] {
  return answer
    .split(" ")
    .slice(1)
    .map((value) => value.split(":")[0] ?? "");
}

for (const { what, ...hazard } of [...HAZARDS, ...HARMLESS])
  test(`the engine and V8 agree on ${what}`, async () => {
    const module = hazardModule(hazard);
    const answer = await onEngine(prepared(module));
    expect(answer).toBe(onV8(module, typesOf(answer)));
  });

test("random functions with block parameters and results give the same results as in V8", {
  timeout: 600_000,
}, async () => {
  for (let index = 0; index < FUNCTIONS; index++) {
    const module = blockProgram(SEED + index, 1, 4 + (index % 40));
    const answer = await onEngine(prepared(module));
    expect([index, answer]).toEqual([index, onV8(module, typesOf(answer))]);
  }
});
