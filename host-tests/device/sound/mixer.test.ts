/** Voices, samples and whose are heard, in C (docs/spec/sound.md). */
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
const FOLDERS = [COMMON, "device/wasm/native", "host-tests/native"];

test("tones have their frequency, length and volume, samples play as they are, and the app in front is heard", async () => {
  const program = path.join(directory.path, "mixer");
  await run("gcc", [
    ...["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"],
    ...["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    ...FOLDERS.map((folder) => `-I${path.join(root, folder)}`),
    ...[path.join(import.meta.dirname, "mixer.c"), path.join(root, COMMON, "sound-mixer.c")],
    ...["-o", program],
  ]);
  const { stdout, stderr } = await run(program).catch(
    (failure: { stdout: string; stderr: string }) => failure,
  );
  expect(stdout + stderr).toBe("");
}, 60_000);
