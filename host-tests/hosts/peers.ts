/**
 * Optional programs and machine features that tests use. A suite that needs a missing one is skipped with its name,
 * unless `SVC_TEST_REQUIRE` (a comma-separated list) makes it mandatory. What no package can add, such as a kernel that
 * runs 32-bit programs, is never mandatory.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { missingPackages } from "../../boards/rv32/builder/toolchain.js";
import { hasClang } from "../../sdk/builder/c.js";
import { hasRust } from "../../sdk/builder/rust.js";
import type { Language } from "../../sdk/languages.js";
import { hasMultilib } from "../../tools/system-packages.js";
import { hasZig } from "../../tools/zig.js";

export type Peer =
  | "arm"
  | "avahi"
  | "binaryen"
  | "chromium"
  | "curl"
  | "fish"
  | "llvm"
  | "mbedtls"
  | "netns"
  | "multilib"
  | "nats"
  | "nats-server"
  | "postgres"
  | "postgres-server"
  | "rust"
  | "rv32"
  | "sdl"
  | "testdata"
  | "tmpfs"
  | "clang"
  | "nginx"
  | "openssl"
  | "webserial"
  | "wrk"
  | "xtensa"
  | "zig"
  | "zsh";

/** Servers for tests; each test uses its own databases and subjects. */
export const postgresUrl =
  process.env["SVC_TEST_POSTGRES_URL"] ?? `postgres://${userInfo().username}@127.0.0.1:5432/postgres`;
export const natsUrl = process.env["SVC_TEST_NATS_URL"] ?? "nats://127.0.0.1:4222";

/** Returns the directory of the PostgreSQL programs, the newest version if several are installed. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : [];
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0];
  return newest && `${POSTGRES}/${newest}/bin`;
}

/** Debian's paths. */
const POSTGRES = "/usr/lib/postgresql";
export const CHROMIUM = "/usr/bin/chromium";

/** @returns false where gcc makes 32-bit programs that the kernel does not run: no package can add that */
export function runs32BitPrograms(): boolean {
  if (!hasMultilib()) return true;
  const directory = mkdtempSync(path.join(tmpdir(), "m32-"));
  const program = path.join(directory, "program");
  try {
    const flags = ["-m32", "-x", "c", "-", "-o", program];
    const { status } = spawnSync("gcc", flags, { input: "int main(void) { return 0; }" });
    return status === 0 && spawnSync(program).status === 0;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A serial port that the system lists; tests bind-mount another file over it in their Chromium's mount namespace. */
export const SERIAL_PORT = "/dev/ttyS0";

/** Runs the source of a Node module to its end. @returns true if it exits with status 0 */
function succeeds(source: string): boolean {
  const cwd = new URL(".", import.meta.url);
  return (
    spawnSync(process.execPath, ["--input-type=module", "--eval", source], { cwd, timeout: 10_000 })
      .status === 0
  );
}

const LOOK: Readonly<Record<Peer, () => boolean>> = {
  arm: () =>
    ["/usr/bin/arm-none-eabi-gcc", "/usr/lib/arm-none-eabi/include/math.h", "/usr/bin/qemu-arm"].every(
      existsSync,
    ),
  avahi: () => existsSync("/usr/sbin/avahi-daemon") && existsSync("/usr/bin/avahi-browse"),
  // An absolute path: node_modules/.bin has a JavaScript build of the same name, which is forty times slower.
  binaryen: () => existsSync("/usr/bin/wasm-opt"),
  chromium: () => spawnSync(CHROMIUM, ["--version"], { timeout: 30_000 }).status === 0,
  curl: () => spawnSync("curl", ["--version"]).status === 0,
  fish: () => spawnSync("fish", ["--version"]).status === 0,
  llvm: () => spawnSync("llvm-dwarfdump", ["--version"]).status === 0,
  mbedtls: () => existsSync("/usr/include/mbedtls/ssl.h"),
  netns: () => spawnSync("unshare", ["-n", "true"]).status === 0,
  multilib: () => hasMultilib() && runs32BitPrograms(), // for the 32-bit console, which has a board's slots of 16 bytes
  nats: () =>
    succeeds(
      `import { connect } from "nats"; await (await connect({ servers: "${new URL(natsUrl).host}" })).close();`,
    ),
  "nats-server": () => spawnSync("nats-server", ["--version"]).status === 0,
  "postgres-server": () => postgresPrograms() !== undefined,
  postgres: () =>
    succeeds(
      `import pg from "pg"; const client = new pg.Client("${postgresUrl}"); await client.connect(); await client.end();`,
    ),
  rust: hasRust,
  rv32: () => missingPackages().length === 0,
  sdl: () => existsSync("/usr/include/SDL2/SDL.h"),
  testdata: () => existsSync(new URL("../../../shared/testdata", import.meta.url)),
  tmpfs: () => spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0,
  clang: hasClang,
  nginx: () => existsSync("/usr/sbin/nginx"),
  openssl: () => spawnSync("openssl", ["version"]).status === 0,
  webserial: () =>
    existsSync(`/sys/class/tty/${path.basename(SERIAL_PORT)}`) &&
    spawnSync("unshare", ["-m", "mount", "--bind", "/dev/null", SERIAL_PORT]).status === 0,
  wrk: () => spawnSync("wrk", ["--version"]).error === undefined, // exits with status 1
  xtensa: () =>
    ["/usr/bin/xtensa-lx106-elf-gcc", "/usr/bin/qemu-xtensa", "/usr/src/binutils"].every(existsSync),
  zig: hasZig,
  zsh: () => spawnSync("zsh", ["-f", "-c", "zmodload zsh/zpty"]).status === 0,
};

/** Results of earlier checks by this process: a check can take a while, and its result does not change. */
const seen = new Map<Peer, boolean>();

export function isThere(peer: Peer): boolean {
  const known = seen.get(peer) ?? LOOK[peer]();
  seen.set(peer, known);
  return known;
}

/** Returns true if `peer` is missing. @throws {Error} if it is missing but required, and could be there */
export function isMissing(peer: Peer): boolean {
  if (isThere(peer)) return false;
  if (peer === "multilib" && !runs32BitPrograms()) return true;
  const required = (process.env["SVC_TEST_REQUIRE"] ?? "").split(",");
  if (required.includes(peer)) throw new Error(`SVC_TEST_REQUIRE names ${peer}, which is not there`);
  return true;
}

/** Peers that compile apps in a language; others need none. */
const COMPILERS: Readonly<Partial<Record<Language, Peer>>> = {
  c: "clang",
  cpp: "clang",
  rust: "rust",
  zig: "zig",
};

export function compilerOf(language: Language): Peer | undefined {
  return COMPILERS[language];
}

/** As {@link isMissing}, for the compiler of a language. */
export function lacksCompiler(language: Language): boolean {
  const peer = compilerOf(language);
  return peer !== undefined && isMissing(peer);
}
