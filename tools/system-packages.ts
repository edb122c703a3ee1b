/**
 * System packages for the simulator, its tests and the SDK. A file of each package shows whether it is installed, so
 * that the check costs almost nothing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** Debian packages by a file that each contains, in the order of the message. */
const REQUIRED = Object.freeze({
  "/usr/bin/gcc": "gcc",
  "/usr/include/stdio.h": "libc6-dev",
  "/usr/include/openssl/evp.h": "libssl-dev",
});
/** For apps in C, C++ and Rust: without these packages, the build and the tests skip them. */
const FOR_APPS = Object.freeze({
  "/usr/bin/clang": "clang",
  "/usr/bin/wasm-ld": "lld",
  "/usr/bin/rustc": "rustc",
  "/usr/lib/rustlib/wasm32-unknown-unknown": "libstd-rust-dev-wasm32",
});
/** For `npm start -- --window`. */
const FOR_WINDOW = Object.freeze({ "/usr/include/SDL2/SDL.h": "libsdl2-dev" });
/** Load generator of `npm run bench:hub`. */
const FOR_LOAD = Object.freeze({ "/usr/bin/wrk": "wrk" });
/** For `npm test`; a test skips with a message if its package is missing. */
const FOR_TESTS = Object.freeze({
  "/usr/bin/curl": "curl",
  "/usr/sbin/avahi-daemon": "avahi-daemon",
  "/usr/bin/avahi-browse": "avahi-utils",
  "/usr/bin/dbus-daemon": "dbus",
  "/usr/sbin/ip": "iproute2",
  "/usr/bin/openssl": "openssl",
  "/usr/bin/clang": "clang",
  "/usr/bin/wasm-ld": "lld",
  "/usr/bin/chromium": "chromium",
});
/** The same for `npm run test:all`. */
const FOR_ALL_TESTS = Object.freeze({
  "/usr/include/mbedtls/ssl.h": "libmbedtls-dev",
  "/usr/bin/wasm-opt": "binaryen",
  "/usr/bin/llvm-dwarfdump": "llvm",
  "/usr/bin/zsh": "zsh",
  "/usr/bin/fish": "fish",
  "/usr/sbin/nginx": "nginx-light",
  "/usr/bin/riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
  "/usr/lib/picolibc/riscv64-unknown-elf/lib/picolibc.ld": "picolibc-riscv64-unknown-elf",
  "/usr/bin/qemu-system-riscv32": "qemu-system-misc",
  "/usr/bin/xtensa-lx106-elf-gcc": "gcc-xtensa-lx106",
  "/usr/bin/qemu-xtensa": "qemu-user",
  "/usr/src/binutils": "binutils-source",
  "/usr/bin/arm-none-eabi-gcc": "gcc-arm-none-eabi",
  "/usr/lib/arm-none-eabi/include/math.h": "libnewlib-arm-none-eabi",
});

function missing(packages: Readonly<Record<string, string>>): string[] {
  return Object.entries(packages)
    .filter(([file]) => !existsSync(file) && !existsInUsr(file))
    .map(([, name]) => name);
}

/** Newer systems merge `/usr/sbin` into `/usr/bin`, and `/bin` into `/usr/bin`. */
function existsInUsr(file: string): boolean {
  return existsSync(file.replace("/sbin/", "/bin/")) || existsSync(file.replace("/usr/", "/"));
}

/** Detects gcc-multilib by its 32-bit libgcc, in a directory named after gcc's version. */
export function hasMultilib(): boolean {
  const versions = "/usr/lib/gcc/x86_64-linux-gnu";
  if (!existsSync(versions)) return process.arch !== "x64";
  return readdirSync(versions).some((version) => existsSync(path.join(versions, version, "32")));
}

/** Installs what the console's window needs, if permitted. @returns whether it is there */
export function installForWindow(): boolean {
  const wanted = missing(FOR_WINDOW);
  return wanted.length === 0 || install(wanted);
}

/**
 * Installs missing packages, if permitted. Exits with status 1 if a package that the simulator requires cannot be
 * installed; names missing optional packages, and continues.
 */
export function installSystemPackages(purpose: "run" | "test" | "test:all" | "apps" | "heap" | "load"): void {
  if (purpose === "run" || purpose === "test" || purpose === "test:all") {
    const required = missing(REQUIRED);
    if (required.length > 0 && !install(required)) process.exit(1);
  }
  const wanted = OPTIONAL[purpose].flatMap(missing);
  const isForHeap = purpose === "heap" || purpose === "test:all";
  if (isForHeap && !hasMultilib()) wanted.push("gcc-multilib");
  if (wanted.length > 0) install([...new Set(wanted)]);
}

/** Packages without which something is left out, by what they are for. */
const OPTIONAL = Object.freeze({
  run: [],
  test: [FOR_TESTS],
  "test:all": [FOR_TESTS, FOR_ALL_TESTS, FOR_APPS, FOR_WINDOW, FOR_LOAD],
  apps: [FOR_APPS],
  heap: [],
  load: [FOR_LOAD],
});

function install(packages: string[]): boolean {
  const script = path.join(import.meta.dirname, "install-system.sh");
  return (
    spawnSync("/bin/sh", [script, ...packages], { stdio: ["ignore", "inherit", "inherit"] }).status === 0
  );
}
