/**
 * Modules that binaryen makes up from noise (`wasm-opt -ttf`), with the features of the engine: all of them
 * are valid, and each is taken, prepared, and valid to V8 and wabt as well.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { compareWithJudges } from "./verdicts.js";

const MODULES = 100;
const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0;
const FEATURES = [
  "--mvp-features",
  "--enable-sign-ext",
  "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int",
  "--enable-multivalue",
];
/** Ways to make the same noise into other code. */
const OPTIMISATIONS = [[], ["-O2"], ["-Os"]];

const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** Noise that follows from the seed (a linear congruential generator after Knuth, its upper bits). */
function noise(seed: number, byteLength: number): Uint8Array {
  let state = BigInt(seed);
  return Uint8Array.from({ length: byteLength }, () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return Number(state >> 56n);
  });
}

function makeModule(index: number): Uint8Array<ArrayBuffer> {
  const [input, output] = ["noise", "module.wasm"].map((name) => path.join(directory.path, name)) as [
    string,
    string,
  ];
  writeFileSync(input, noise(SEED + index, 500 + ((index * 211) % 8000)));
  const optimisations = OPTIMISATIONS[index % OPTIMISATIONS.length] ?? [];
  const { status, stderr } = spawnSync("/usr/bin/wasm-opt", [
    input,
    "-ttf",
    ...FEATURES,
    ...optimisations,
    "-o",
    output,
  ]);
  if (status !== 0) throw new Error(`wasm-opt failed: ${stderr}`);
  return Uint8Array.from(readFileSync(output));
}

describe.skipIf(isMissing("binaryen"))("binaryen's fuzzer (skipped where wasm-opt is absent)", () => {
  test(`V8, wabt and the validator agree about ${MODULES} of its modules, seed ${SEED}`, {
    timeout: 120_000,
  }, () => {
    for (let index = 0; index < MODULES; index++) {
      const { disagreement, isTaken, fault } = compareWithJudges(makeModule(index));
      expect(disagreement, `module ${index}`).toBeUndefined();
      // Its fuzzer imports more than functions now and then.
      expect(isTaken || fault?.code === "import_unknown", `module ${index}: ${fault?.message}`).toBe(true);
    }
  });
});
