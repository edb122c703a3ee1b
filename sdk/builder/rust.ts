/**
 * Compiles Rust to WebAssembly with the system's rustc and wasm-ld. Apps use the crate `svc` (`sdk/rust`) and the standard
 * library, as far as it needs no operating system.
 *
 * The linker places the stack at the bottom of the memory, so that an overflow traps. A panic of an index or an overflow
 * needs no unwinding: it is logged, and traps.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { withFunctionNames } from "../../protocol/module-file.js";
import { SdkError } from "../sdk-error.js";
import { PAGE_BYTES } from "./c.js";
import type { Optimization } from "./optimization.js";
import { runCompiler, showWarnings } from "./run-compiler.js";

/** Formatting, which a panic needs, takes some of it. */
const RUST_STACK_BYTES = 16_384;
export const RUST_EDITION = "2021";
/** The crate of the console's functions. */
export const SVC_CRATE = path.join(import.meta.dirname, "../rust/svc.rs");
const TARGET = "wasm32-unknown-unknown";
/** Debian's, should another one without the target come first in the path. */
const COMPILERS = ["rustc", "/usr/bin/rustc"];

const flagsFor = (optimization: Optimization) => [
  ...["--edition", RUST_EDITION, "--target", TARGET],
  ...["-C", `opt-level=${optimization === "size" ? "s" : 2}`, "-C", "panic=abort", "-C", "codegen-units=1"],
  // Default features differ between versions; every engine supports these.
  ...["-C", "target-cpu=mvp"],
  ...["-C", "debuginfo=1"],
  `--remap-path-prefix=${path.dirname(SVC_CRATE)}=svc`,
];

/** The first compiler that has the target's libraries. */
function findCompiler(): string | undefined {
  return COMPILERS.find((compiler) => {
    const { stdout } = spawnSync(compiler, ["--print", "target-libdir", "--target", TARGET], {
      encoding: "utf8",
    });
    return stdout && existsSync(stdout.trim());
  });
}

let found: string | undefined;

/** Whether this system can compile Rust to WebAssembly. */
export function hasRust(): boolean {
  found ??= findCompiler();
  return found !== undefined && spawnSync("wasm-ld", ["--version"]).status === 0;
}

/**
 * @param directory of the app
 * @param entry file name in the directory; others are its modules
 * @param pages of memory, which does not grow
 * @returns the module
 * @throws {SdkError} `compile_failed` with the compiler's messages, `compiler_missing`
 */
export async function compileRust(
  directory: string,
  entry: string,
  pages: number,
  optimization: Optimization = "size",
): Promise<Uint8Array> {
  if (!hasRust() || found === undefined)
    throw new SdkError(
      "compiler_missing",
      `Cannot compile Rust: rustc with the target ${TARGET}, or wasm-ld, is missing`,
      { advice: "Install both; on Debian: sudo apt-get install rustc libstd-rust-dev-wasm32 lld" },
    );
  const temporary = await mkdtemp(path.join(tmpdir(), "svc-app-"));
  try {
    return await compileAndLink(found, directory, entry, { pages, optimization, temporary });
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** @param temporary directory */
async function compileAndLink(
  compiler: string,
  directory: string,
  entry: string,
  {
    pages,
    optimization,
    temporary,
  }: { readonly pages: number; readonly optimization: Optimization; readonly temporary: string },
): Promise<Uint8Array> {
  const common = flagsFor(optimization);
  const crate = ["--crate-type", "rlib", "--crate-name", "svc", "--out-dir", temporary, SVC_CRATE];
  await runCompiler(compiler, [...common, ...crate], { sources: entry });
  const output = path.join(temporary, "app.wasm");
  const memoryBytes = pages * PAGE_BYTES;
  const linkerFlags = [
    // Of the names, which the console logs when an app traps. The last one counts.
    "--demangle",
    ...["-z", `stack-size=${RUST_STACK_BYTES}`],
    `--initial-memory=${memoryBytes}`,
    `--max-memory=${memoryBytes}`,
  ];
  const flags = [
    ...common,
    ...["--crate-type", "cdylib", "--crate-name", "app"],
    ...["--extern", `svc=${path.join(temporary, "libsvc.rlib")}`],
    ...["-C", "linker=wasm-ld", "-C", "linker-flavor=wasm-ld"],
    ...linkerFlags.flatMap((flag) => ["-C", `link-arg=${flag}`]),
    ...["-o", output, entry],
  ];
  showWarnings(await runCompiler(compiler, flags, { sources: entry, directory }));
  return withFunctionNames(await readFile(output), shortName);
}

/** What the linker's names for paths and types of Rust have in place of these signs. */
const SIGNS: readonly (readonly [string, string])[] = [
  ...([
    ["$LT$", "<"],
    ["$GT$", ">"],
    ["$RF$", "&"],
    ["$C$", ","],
    ["$u20$", " "],
  ] as const),
  ...([
    ["$u2b$", "+"],
    ["$u7b$", "{"],
    ["$u7d$", "}"],
    ["..", "::"],
  ] as const),
];
const UNIQUE_ENDING = /::h[0-9a-f]{16}.*$/;
/** Of a path without types: its last two parts, which is as much as a line of the log has room for. */
const LAST_PARTS = /^(?:\w+::)+(\w+::\w+)$/;

function shortName(name: string): string {
  let text = name.replace(UNIQUE_ENDING, "");
  for (const [written, sign] of SIGNS) text = text.replaceAll(written, sign);
  return text
    .replace(/(^|::)_</g, "$1<")
    .replace(/::_\{\{/g, "::{{")
    .replace(LAST_PARTS, "$1");
}
