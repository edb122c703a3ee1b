import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { SpecRunner } from "../../hosts/spec-runner.js";
import { inTier } from "../../tier.js";
import { type Instance, instantiate, isTrap } from "../../unit/wasm/v8.js";
import { prepared } from "./prepared.js";
import { assemble } from "./wat.js";

const MODULES = Number(process.env["SVC_FUZZ_MODULES"] ?? inTier({ quick: 40, sample: 40, nightly: 2000 }));
const SEED = process.env["SVC_FUZZ_SEED"] ?? String(Date.now());
process.stderr.write(`engine fuzz: SVC_FUZZ_SEED=${SEED} SVC_FUZZ_MODULES=${MODULES}\n`);

let directory = "";
let runner: SpecRunner;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "fuzz-"));
  runner = await SpecRunner.start();
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  expect(await runner.stop()).toBe(0); // the sanitizer's build says here what it has found
});

/** As many bytes as are wanted, the same for the same seed and index. */
function noise(index: number, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, block) =>
    createHash("sha256").update(`${SEED}/${index}/${block}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

/** binaryen makes a valid module of any bytes; Debian's is quicker than npm's. */
function moduleFrom(bytes: Uint8Array): Uint8Array {
  const input = path.join(directory, "input");
  const output = path.join(directory, "output.wasm");
  const proposals = ["sign-ext", "nontrapping-float-to-int", "multivalue"];
  const features = ["--mvp-features", ...proposals.map((proposal) => `--enable-${proposal}`)];
  const parameters = ["-ttf", input, "-o", output, "--denan", ...features];
  writeFileSync(input, bytes);
  try {
    execFileSync("wasm-opt", parameters, { stdio: "pipe" });
  } catch {
    execFileSync("node", [createRequire(import.meta.url).resolve("binaryen/bin/wasm-opt"), ...parameters], {
      stdio: "pipe",
    });
  }
  return readFileSync(output);
}

type Outcome = readonly string[] | "trap" | "exhausted";

/** Bits, for NaN is not equal to itself; which NaN it is may differ. */
function bitsOf(value: number | bigint, type: string): string {
  const view = new DataView(new ArrayBuffer(8));
  if (type === "i64") view.setBigInt64(0, BigInt(value));
  else if (type === "i32") view.setUint32(4, Number(value));
  else if (Number.isNaN(value)) return `${type}:nan`;
  else if (type === "f32") view.setFloat32(4, Number(value));
  else view.setFloat64(0, Number(value));
  return `${type}:${view.getBigUint64(0).toString(16)}`;
}

function withoutNan(value: string): string {
  const [type, digits] = value.split(":");
  const bits = BigInt(`0x${digits}`);
  const isNan =
    type === "f32" ? (bits & 0x7fffffffn) > 0x7f800000n : (bits & 0x7fffffffffffffffn) > 0x7ff0000000000000n;
  return type?.startsWith("f") && isNan ? `${type}:nan` : value;
}

async function onEngine(id: number, name: string): Promise<{ outcome: Outcome; types: string[] }> {
  const answer = await runner.invoke(id, name, []);
  const [verdict, ...values] = answer.split(" ");
  if (verdict !== "ok" && verdict !== "trap") throw new Error(answer);
  if (answer === "trap stack overflow") return { outcome: "exhausted", types: [] };
  const types = values.map((value) => value.split(":")[0] ?? "");
  return { outcome: verdict === "trap" ? "trap" : values.map(withoutNan), types };
}

function onNode(run: () => unknown, types: readonly string[]): Outcome {
  try {
    const result = run();
    const values = types.length === 0 ? [] : Array.isArray(result) ? result : [result];
    return values.map((value, at) => bitsOf(value, types[at] ?? ""));
  } catch (error) {
    return error instanceof RangeError ? "exhausted" : "trap";
  }
}

/** Nothing at all, for every import. */
const IMPORTS = new Proxy({}, { get: () => new Proxy({}, { get: () => () => 0 }) });

/** @returns the exports in Node, `undefined` where the start function traps */
function startInNode(module: Uint8Array): Instance["exports"] | undefined {
  try {
    return instantiate(new Uint8Array(module), IMPORTS).exports;
  } catch (error) {
    if (isTrap(error)) return undefined;
    throw error;
  }
}

/** Runs each export without parameters in turn; memory and globals carry over on both sides. */
async function compare(module: Uint8Array, index: number): Promise<number> {
  const file = path.join(directory, `${index}.wasm`);
  writeFileSync(file, prepared(module, { onImport: () => {} }));
  const { id, answer } = await runner.load(file);
  const instance = startInNode(module);
  if (!instance) {
    expect([index, answer]).toEqual([index, expect.stringMatching(/^trap/)]);
    return 1;
  }
  expect([index, answer]).toEqual([index, "ok"]);
  let compared = 0;
  for (const [name, run] of Object.entries(instance)) {
    if (typeof run !== "function" || run.length > 0) continue;
    const { outcome, types } = await onEngine(id, name);
    const expected = onNode(run as () => unknown, types);
    if (outcome === "exhausted" || expected === "exhausted") break; // each has a stack of its own
    expect([index, name, outcome]).toEqual([index, name, expected]);
    compared++;
  }
  return compared;
}

test("modules that binaryen makes of random bytes give the same results as in Node", {
  timeout: 600_000,
}, async () => {
  let compared = 0;
  let refused = 0;
  for (let index = 0; index < MODULES; index++) {
    const module = moduleFrom(noise(index, 400 + 60 * (index % 20)));
    try {
      compared += await compare(module, index);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "module_unsupported") throw error;
      refused++;
    }
  }
  expect(compared).toBeGreaterThan(MODULES / 4);
  expect(refused).toBeLessThan(MODULES / 4);
});

test("damage to the name section does not confuse the lookup of function names", async () => {
  const named = assemble(`(module (func $first) (func $second (param $x i32)) (func $third))`);
  const original = Buffer.from(named);
  const start = original.indexOf("name") - 1;
  for (let index = 0; index < 300; index++) {
    const module = Buffer.from(named);
    const changes = noise(1000 + index, 16);
    // Lengths, counts and indices become anything; the module stays one, for this is a custom section.
    for (let change = 0; change < index % 5; change++) {
      const at = start + 5 + ((changes[2 * change] ?? 0) % (module.length - start - 5));
      module[at] = changes[2 * change + 1] ?? 0;
    }
    const file = path.join(directory, "names.wasm");
    writeFileSync(file, module);
    const { id, answer } = await runner.load(file);
    expect(answer).toBe("ok");
    const names = await Promise.all([0, 1, 2, 0xffffffff].map((each) => runner.nameOf(id, each)));
    for (const name of names) expect(module.includes(name)).toBe(true);
    if (index % 5 === 0) expect(names.map(String)).toEqual(["first", "second", "third", ""]);
  }
});
