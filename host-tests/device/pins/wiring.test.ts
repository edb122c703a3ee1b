/** Pins and buttons in C: what is connected to those of the simulated console, and the buttons that lead home. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");
const directory = temporaryDirectory();
afterAll(() => directory.remove());

const COMMON = "device/hosts/common/native";
const POSIX = "device/hosts/posix/native/process";
const FOLDERS = [COMMON, POSIX, "device/wasm/native", "host-tests/native"];
const SIMULATED = [
  ...["simulated-i2c", "simulated-pins", "simulated-wiring", "unwired-pins"].map(
    (name) => `${POSIX}/${name}.c`,
  ),
];

/** @returns what the program prints */
async function outcomeOf(name: string, others: readonly string[]): Promise<string> {
  const program = path.join(directory.path, name);
  const sources = [`host-tests/device/pins/${name}.c`, `${COMMON}/pins.c`, ...others];
  await run("gcc", [
    ...["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"],
    ...["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    ...FOLDERS.map((folder) => `-I${path.join(root, folder)}`),
    ...sources.map((source) => path.join(root, source)),
    ...["-o", program],
  ]);
  const { stdout, stderr } = await run(program, [directory.path]).catch(
    (failure: { stdout: string; stderr: string }) => failure,
  );
  return stdout + stderr;
}

// docs/spec/simulated-console.md#pins
test("pins.txt connects voltages, levels, wires and sensors, and a bad line connects nothing", async () => {
  expect(await outcomeOf("wiring", SIMULATED)).toBe("");
}, 60_000);

// docs/spec/display-and-input.md#chord-wait
test("No app sees buttons of the chord that are pressed together, and each one that is pressed alone", async () => {
  expect(await outcomeOf("chord", [])).toBe("");
}, 60_000);
