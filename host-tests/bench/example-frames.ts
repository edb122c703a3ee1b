/**
 * Examples as benchmarks: an app gets frames without pauses, and exits with the milliseconds that they took. In place of the
 * console's functions its module has others that do nothing, so that what is measured is the app's own code. Each frame is
 * 33 ms of the app's time, and buttons change every eighth frame, in the same order at each run.
 *
 * An app in C or Rust is also compiled for this machine, with the same functions in C (frames/frames.c).
 */
import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import binaryen from "binaryen";
import { ABI, ABI_MODULE, type AbiFunction } from "../../device/wasm/abi.js";
import { RUST_EDITION, SVC_CRATE } from "../../sdk/builder/rust.js";
import { moduleOf } from "../hosts/app-files.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../..");
const sources = path.join(root, "host-tests/bench/frames");

const FRAME_MS = 33;
/** Every button but select, by which examples end. */
const BUTTONS = 0x1ff;

/** What functions return that are no frame, no time and no button; the others return 0. */
const RESULTS: Readonly<Record<string, number>> = {
  display_width: 240,
  display_height: 320,
  adc_read: 1650,
  stack_left: 4096,
  clock_offset: 60,
  storage_size: -2,
  storage_read: -2,
  script_size: -2,
  http_request: -5,
  net_connect: -5,
};

/** Functions with a life: as WebAssembly, and in C. */
const LIVE: Readonly<Record<string, { readonly wat: string; readonly c: string }>> = {
  sleep_ms: { wat: "(call $next)", c: "next()" },
  uptime_ms: { wat: "(call $uptime)", c: "uptime()" },
  clock_ms: { wat: "(call $uptime)", c: "uptime()" },
  buttons: { wat: "(call $held (global.get $frame))", c: "held()" },
  buttons_pressed: { wat: "(call $pressed)", c: "pressed()" },
  buttons_released: { wat: "(call $released)", c: "released()" },
};

/** The module that an example's imports come from; its own imports become those of the console. */
const CONSOLE = "con"; // as long as ABI_MODULE
function framesModule(frames: number): string {
  return `(module
  (import "${CONSOLE}" "uptime_ms" (func $now (result i64)))
  (import "${CONSOLE}" "exit" (func $exit (param i32) (result i32)))
  (global $frame (mut i32) (i32.const 0))
  (global $began (mut i64) (i64.const 0))
  (func $held (param $at i32) (result i32)
    (i32.and (i32.const ${BUTTONS}) (i32.shr_u (i32.mul (i32.shr_u (local.get $at) (i32.const 3))
      (i32.const ${2_654_435_761 | 0})) (i32.const 16))))
  (func $before (result i32) (call $held (i32.sub (global.get $frame) (i32.const 8))))
  (func $changed (param $now i32) (param $before i32) (result i32)
    (if (result i32) (i32.and (global.get $frame) (i32.const 7)) (then (i32.const 0))
      (else (i32.and (local.get $now) (i32.xor (local.get $before) (i32.const -1))))))
  (func $pressed (result i32) (call $changed (call $held (global.get $frame)) (call $before)))
  (func $released (result i32) (call $changed (call $before) (call $held (global.get $frame))))
  (func $uptime (result i64) (i64.mul (i64.extend_i32_s (global.get $frame)) (i64.const ${FRAME_MS})))
  (func $next (result i32)
    (if (i32.eqz (global.get $frame)) (then (global.set $began (call $now))))
    (global.set $frame (i32.add (global.get $frame) (i32.const 1)))
    (if (i32.gt_s (global.get $frame) (i32.const ${frames}))
      (then (drop (call $exit (i32.wrap_i64 (i64.sub (call $now) (global.get $began)))))))
    (i32.const 0))
  ${ABI.map(exported).join("\n  ")})`;
}

function exported(abi: AbiFunction): string {
  const { name, parameters, result } = abi;
  const body = LIVE[name]?.wat ?? `(${result}.const ${RESULTS[name] ?? 0})`;
  const types = parameters.map(() => "i32").join(" ");
  return `(func (export "${name}") (param ${types}) (result ${result}) ${body})`;
}

/** The same functions for a program: by the names of `svc.h`, or for Rust by those of the ABI. */
function answersInC(): string {
  return ABI.map(({ name, result }) => {
    const value = LIVE[name]?.c ?? RESULTS[name] ?? 0;
    const type = result === "i64" ? "int64_t" : "int32_t";
    return `${type} NAMED(${name})() { return ${value}; }`;
  }).join("\n");
}

/**
 * @param module of an app, as its compiler made it
 * @param directory for files on the way
 * @returns a module that needs no capability
 */
export async function withFrames(module: Uint8Array, frames: number, directory: string): Promise<Uint8Array> {
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, "app.wasm"), module);
  await writeFile(path.join(directory, "frames.wasm"), await moduleOf(framesModule(frames)));
  const tool = path.join(root, "node_modules/binaryen/bin/wasm-merge");
  const files = ["app.wasm", "app", "frames.wasm", ABI_MODULE, "-o", "merged.wasm"];
  await run(process.execPath, [tool, ...files, "--all-features", "-g"], { cwd: directory });
  const merged = binaryen.readBinary(await readFile(path.join(directory, "merged.wasm")));
  for (let index = merged.getNumExports() - 1; index >= 0; index--) {
    const { name } = binaryen.getExportInfo(merged.getExportByIndex(index));
    if (name !== "main" && name !== "memory") merged.removeExport(name);
  }
  merged.runPasses(["remove-unused-module-elements"]);
  const bytes = merged.emitBinary();
  merged.dispose();
  return importingFrom(bytes);
}

/** Gives imports of {@link CONSOLE} their module's real name. */
function importingFrom(bytes: Uint8Array): Uint8Array {
  const renamed = Buffer.from(bytes);
  const written = (name: string) => Buffer.concat([Buffer.of(name.length), Buffer.from(name)]);
  for (const name of ["uptime_ms", "exit"]) {
    const at = renamed.indexOf(Buffer.concat([written(CONSOLE), written(name)]));
    if (at < 0) throw new Error(`Cannot find the import of ${name}`);
    written(ABI_MODULE).copy(renamed, at);
  }
  return renamed;
}

/**
 * Compiles an example for this machine, as firmware's own C is.
 * @param example its directory, with `main.c` or `main.rs`
 * @returns the program
 */
export async function programWithFrames(
  example: string,
  language: "c" | "rust",
  frames: number,
  directory: string,
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const template = await readFile(path.join(sources, "frames.c"), "utf8");
  await writeFile(path.join(directory, "frames.c"), template.replace(/^ANSWERS$/m, answersInC()));
  const program = path.join(directory, "program");
  const defines = [`-DFRAMES=${frames}`, `-DFRAME_MS=${FRAME_MS}`, `-DBUTTONS=${BUTTONS}`];
  const flags = ["-std=gnu11", "-O2", "-w", ...defines, "-o", program, "frames.c"];
  const own =
    language === "c"
      ? [
          "-DNAMED(name)=svc_##name",
          `-I${path.join(root, "sdk/include")}`,
          "-Drun=main",
          path.join(example, "main.c"),
        ]
      : ["-DNAMED(name)=name", "-fno-builtin", await rustLibrary(example, directory), "-lpthread", "-ldl"];
  await run("gcc", [...flags, ...own], { cwd: directory });
  return program;
}

/** The example with the crate `svc`, whose functions frames.c has. */
async function rustLibrary(example: string, directory: string): Promise<string> {
  await copyFile(SVC_CRATE, path.join(directory, "svc.rs"));
  await copyFile(path.join(sources, "runtime.rs"), path.join(directory, "runtime.rs"));
  const flags = ["--edition", RUST_EDITION, "-C", "opt-level=2", "-C", "panic=abort", "--out-dir", directory];
  await run("rustc", [...flags, "--crate-type", "rlib", "--crate-name", "svc", "svc.rs"], { cwd: directory });
  const library = ["--crate-type", "staticlib", "--crate-name", "app", "--extern", "svc=libsvc.rlib"];
  await run("rustc", [...flags, ...library, path.join(example, "main.rs")], { cwd: directory });
  return path.join(directory, "libapp.a");
}
