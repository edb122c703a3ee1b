/**
 * Builds the simulator: XS and our C in one executable, and the firmware image that it runs, from the TypeScript.
 * Reports compiling on standard error; silent if everything is up to date.
 *
 *     npm run simulator -- [--variant release|asan|mbedtls|trampoline|m32]
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { engineFlags, prepareEngine, xs } from "../engine/engine.js";
import { generateTables } from "../engine/machine/generate-tables.js";
import { buildFirmware } from "../engine/program/firmware.js";
import { bundle } from "../tools/bundle.js";
import { withLock } from "../tools/lock.js";
import { compileStale, foldersOf, linkStale } from "../tools/objects.js";
import { buildSandboxSources, SANDBOX_NATIVE } from "../tools/sandbox.js";
import { wasm3Compiler, wasm3Flags, wasm3Mended, wasm3Sources } from "../tools/wasm3.js";

const run = promisify(execFile);
const root = path.dirname(import.meta.dirname);
/** The engine that runs apps, which boards compile, too. */
const engineDirectory = path.join(root, "device/wasm/native");
/** The machine, the simulator's own folder, and folders that other hosts share. */
const hosts = [
  path.join(root, "engine/machine"),
  import.meta.dirname,
  path.join(root, "device/hosts/common"),
  path.join(root, "device/hosts/posix"),
];
/** TLS: a folder for each library, and `common`. */
const tlsDirectory = path.join(root, "device/tls");

export type Variant = "release" | "asan" | "mbedtls" | "trampoline" | "m32";

const XS_FLAGS = ["-w", ...engineFlags("platform.h")];
/** Tests make single allocations fail (native/allocation-failure.c). */
const ALLOCATION_FLAGS = ["malloc", "calloc", "realloc"].map((name) => `-D${name}=test_${name}`);
const WASM3_FLAGS = ["-w", ...wasm3Flags, ...ALLOCATION_FLAGS];
const WARNINGS = ["-Wall", "-Wextra", "-Werror"];
const OUR_FLAGS = [
  ...XS_FLAGS.slice(1),
  ...wasm3Flags,
  ...ALLOCATION_FLAGS,
  ...WARNINGS,
  "-D_GNU_SOURCE",
  `-I${engineDirectory}`,
  `-I${SANDBOX_NATIVE}`,
];
/** ref10 relies on left shifts of negative numbers. */
const REF10_FLAGS = ["-fno-sanitize=shift"];
const COMMON_FLAGS = [
  "-std=gnu11",
  "-fno-common",
  "-g",
  ...nativesOf([...hosts, path.join(tlsDirectory, "common"), path.join(tlsDirectory, "mbedtls")]).map(
    (directory) => `-I${directory}`,
  ),
];
const LIBRARIES = ["-lm", "-lpthread", "-lrt"]; // before 2.34, glibc has timers in a separate library

const OPENSSL = Object.freeze({
  tls: ["common", "openssl"],
  link: ["-lssl", "-lcrypto"],
});
// XS relies on shifts and conversions that are undefined in C, so it is not checked for them. It reads words past
// the end of strings, and marks these functions if the compiler has clang's __has_feature.
const SANITIZED = Object.freeze({
  all: ["-O1", "-fsanitize=address", "-fno-omit-frame-pointer"],
  xs: ["-D__has_feature(name)=HAS_##name", "-DHAS_address_sanitizer=1"],
  interpreter: [],
  memory: [],
  // Every instruction of wasm3 ends in a call of the next one, which must be compiled to a jump.
  wasm3: ["-O2", "-fomit-frame-pointer", "--param=asan-stack=0"],
  ours: ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"],
  link: ["-fsanitize=address,undefined"],
});

/**
 * The differences between variants: the folders of TLS; flags for all files, for XS, for two of its parts, for wasm3,
 * for our C, and for the linker.
 */
const VARIANTS = {
  release: {
    ...OPENSSL,
    all: ["-O2"],
    xs: [],
    interpreter: ["-O3"],
    memory: [],
    wasm3: [],
    ours: [],
  },
  asan: { ...SANITIZED, ...OPENSSL, link: [...SANITIZED.link, ...OPENSSL.link] },
  // TLS as on a board, and sanitized, since the certificates of strangers are read by our C.
  mbedtls: {
    ...SANITIZED,
    tls: ["common", "mbedtls", "mbedtls-files"],
    link: [...SANITIZED.link, "-lmbedtls", "-lmbedx509", "-lmbedcrypto", "-lcrypto"],
  },
  // As on Xtensa: wasm3's instructions return, and the compiler makes no jumps of calls in tail position.
  trampoline: {
    ...OPENSSL,
    all: ["-O2"],
    xs: [],
    interpreter: ["-O3"],
    memory: [],
    wasm3: ["-DSVC_WASM3_TRAMPOLINE=1", "-fno-optimize-sibling-calls"],
    ours: [],
  },
  m32: {
    tls: ["none"], // Debian's 32-bit compiler has no OpenSSL
    all: ["-O2", "-m32"],
    xs: [],
    interpreter: ["-O3"],
    // Collections at a chosen interval, and a report of each (heap-figures.c).
    memory: ["-DmxStress=1", "-DmxReport=1", "-DfxReport=heap_figures_report"],
    // The i386's coprocessor turns signalling NaNs into quiet ones when it moves them.
    wasm3: ["-msse2", "-mfpmath=sse"],
    ours: ["-DSVC_WITHOUT_LIBCRYPTO", "-DSVC_HEAP_IS_WATCHED"],
    link: ["-m32"],
  },
};

/**
 * Compiles what is out of date and links.
 * @returns path of the executable
 */
export function buildSimulator({ variant = "release" }: { variant?: Variant } = {}): Promise<string> {
  const output = path.join(root, "build", variant);
  return withLock(output, () => compileAll(variant, output));
}

/**
 * Builds a program that runs any export of a module, with wasm3 as on a console (host-tests/native/spec-runner.c), or
 * with wasm3 alone.
 * @returns path of the executable
 */
export function buildSpecRunner({
  variant = "release",
  isBare = false,
}: {
  variant?: Variant;
  isBare?: boolean;
} = {}): Promise<string> {
  const output = path.join(root, "build", variant);
  const name = isBare ? "bare-runner" : "spec-runner";
  const ours = [
    path.join(root, "host-tests/native", `${name}.c`),
    path.join(engineDirectory, "backtrace.c"),
    path.join(engineDirectory, "module-bytes.c"),
    path.join(import.meta.dirname, "native/allocation-failure.c"),
  ];
  return withLock(output, async () => {
    await prepareEngine();
    const jobs = [
      ...(isBare
        ? wasm3JobsOf(variant, [...wasm3Sources, ...wasm3Mended, wasm3Compiler])
        : await wasm3Jobs(variant)),
      ...ours.map((source) => ({ source, flags: flagsOf(variant, "ours") })),
    ];
    return linkFresh(variant, jobs, path.join(output, name));
  });
}

async function compileAll(variant: Variant, output: string): Promise<string> {
  await prepareEngine();
  const parts = [...hosts, ...VARIANTS[variant].tls.map((part) => path.join(tlsDirectory, part))];
  const modules = parts.map((host) => path.join(host, "modules")).filter(existsSync);
  const natives = [...nativesOf(parts), engineDirectory, SANDBOX_NATIVE];
  const tables = await generateTables(modules, natives, output);
  const sources = await Promise.all(natives.map(sourcesIn));
  const programs = await buildSandboxSources();
  const ours = [...sources.flat().filter((source) => !isWasm3(source)), ...tables, ...programs];
  const jobs = [
    ...(await wasm3Jobs(variant)),
    ...(await sourcesIn(path.join(xs, "sources"))).map((source) => ({
      source,
      flags: [...flagsOf(variant, "xs"), ...flagsOfPart(variant, path.basename(source))],
    })),
    ...ours.map((source) => ({
      source,
      flags: [...flagsOf(variant, "ours"), ...(isRef10(source) ? REF10_FLAGS : [])],
    })),
  ];
  return linkFresh(variant, jobs, path.join(output, "console"));
}

async function wasm3Jobs(variant: Variant) {
  const own = (await sourcesIn(engineDirectory)).filter(isWasm3);
  return wasm3JobsOf(variant, [...wasm3Sources, ...own]);
}

function wasm3JobsOf(variant: Variant, sources: string[]) {
  return sources.map((source) => ({ source, flags: flagsOf(variant, "wasm3") }));
}

/** Compiles what is stale and links. */
async function linkFresh(
  variant: Variant,
  sources: { source: string; flags: string[] }[],
  executable: string,
): Promise<string> {
  const objects = path.join(path.dirname(executable), "objects");
  const jobs = sources.map((job) => ({
    ...job,
    object: path.join(objects, `${path.basename(job.source, ".c")}.o`),
  }));
  await compileStale("gcc", jobs, (count) =>
    process.stderr.write(`simulator: compiling ${count} files (${variant})\n`),
  );
  const files = jobs.map((job) => job.object);
  const flags = [...VARIANTS[variant].link, ...LIBRARIES];
  await linkStale(executable, { files, flags }, (output) => run("gcc", [...files, "-o", output, ...flags]));
  return executable;
}

/**
 * The bytecode loop is a quarter faster at -O3 [measured].
 * @param file of XS
 */
function flagsOfPart(variant: Variant, file: string): string[] {
  const { interpreter, memory } = VARIANTS[variant];
  return { "xsRun.c": interpreter, "xsMemory.c": memory }[file] ?? [];
}

/** Whether our file includes a file of wasm3, whose warnings are disabled. */
function isWasm3(source: string): boolean {
  return path.basename(source).startsWith("wasm3-");
}

/** The same for ref10. */
function isRef10(source: string): boolean {
  return path.basename(source).startsWith("ref10-");
}

function flagsOf(variant: Variant, whose: "xs" | "wasm3" | "ours"): string[] {
  const flags = VARIANTS[variant];
  const own = { xs: XS_FLAGS, wasm3: WASM3_FLAGS, ours: OUR_FLAGS }[whose];
  return [...COMMON_FLAGS, ...own, ...flags.all, ...flags[whose]];
}

/** The folders with C of each part: `native` and its subfolders. */
function nativesOf(parts: readonly string[]): string[] {
  return parts.flatMap((host) => foldersOf(path.join(host, "native")));
}

async function sourcesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names
    .filter((name) => name.endsWith(".c"))
    .sort()
    .map((name) => path.join(directory, name));
}

export { bundle };

/**
 * Builds the console's own firmware, in the version of the package. Works also while the web console does not build,
 * since a developer may be working on it.
 * @returns path of the image
 */
export async function buildDevice(): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  return buildFirmware(path.join(root, "build/device.img"), { version, isDraft: true });
}

async function main(): Promise<void> {
  const flag = process.argv.indexOf("--variant");
  const variant = flag < 0 ? "release" : process.argv[flag + 1];
  if (!variant || !Object.hasOwn(VARIANTS, variant)) {
    process.stderr.write("usage: npm run simulator -- [--variant release|asan|mbedtls|trampoline|m32]\n");
    process.exit(2);
  }
  try {
    await buildSimulator({ variant: variant as Variant });
    await buildDevice();
  } catch (error) {
    process.stderr.write(`${(error as { stderr?: string }).stderr ?? error}\n`);
    process.exit(1);
  }
}

if (process.argv[1] === import.meta.filename) await main();
