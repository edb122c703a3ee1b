/**
 * Generates all files that repeat the table of the app ABI (`device/wasm/abi.ts`): the engine's table in C, the SDK's
 * C header, AssemblyScript bindings, Rust crate and Zig module, and the reference page.
 * `node tools/launch.js sdk/generate.ts --check` writes nothing, and fails if a file is out of date.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as abi from "../device/wasm/abi.js";
import * as capabilities from "../protocol/capabilities.js";
import { assemblyScript } from "./generator/assemblyscript.js";
import { cHeader, cTable, type Tables } from "./generator/c.js";
import { reference } from "./generator/reference.js";
import { rustCrate } from "./generator/rust.js";
import { zigModule } from "./generator/zig.js";

const root = path.dirname(import.meta.dirname);

const FILES: Record<string, (tables: Tables) => string> = {
  "device/wasm/native/abi-table.c": cTable,
  "sdk/include/svc.h": (tables) => cHeader(forPackages(tables)),
  "sdk/assemblyscript/svc.ts": (tables) => assemblyScript(forPackages(tables)),
  "sdk/rust/svc.rs": (tables) => rustCrate(forPackages(tables)),
  "sdk/zig/svc.zig": (tables) => zigModule(forPackages(tables)),
  "docs/reference/abi.md": reference,
};

/** Without what only the home screen may call. */
function forPackages(tables: Tables): Tables {
  const { ABI, FIRMWARE_CAPABILITY } = tables;
  return { ...tables, ABI: ABI.filter(({ capability }) => capability !== FIRMWARE_CAPABILITY) };
}

const isCheck = process.argv.includes("--check");
const tables: Tables = { ...abi, ...capabilities };
for (const [name, textOf] of Object.entries(FILES)) {
  const file = path.join(root, name);
  const text = textOf(tables);
  if ((await readFile(file, "utf8").catch(() => undefined)) === text) continue;
  if (isCheck) {
    console.error(`${name} is out of date: run "npm run docs"`);
    process.exitCode = 1;
  } else {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
