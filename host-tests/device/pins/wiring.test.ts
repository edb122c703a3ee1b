/** What is connected to the simulated console's pins (docs/spec/simulated-console.md#pins), in C. */
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
const SOURCES = [
  "host-tests/device/pins/wiring.c",
  `${COMMON}/pins.c`,
  ...["simulated-i2c", "simulated-pins", "simulated-wiring", "unwired-pins"].map(
    (name) => `${POSIX}/${name}.c`,
  ),
];

test("pins.txt connects voltages, levels, wires and sensors, and a bad line connects nothing", async () => {
  const program = path.join(directory.path, "wiring");
  await run("gcc", [
    ...["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"],
    ...["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    ...FOLDERS.map((folder) => `-I${path.join(root, folder)}`),
    ...SOURCES.map((source) => path.join(root, source)),
    ...["-o", program],
  ]);
  const { stdout, stderr } = await run(program, [directory.path]).catch(
    (failure: { stdout: string; stderr: string }) => failure,
  );
  expect(stdout + stderr).toBe("");
}, 60_000);
