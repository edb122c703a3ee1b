/**
 * What the simulator and its tests need from the system, by the file that shows that it is there: looking
 * costs nothing where nothing is missing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** Debian package by a file that it brings. Order is that of the message. */
const REQUIRED = Object.freeze({
  "/usr/bin/gcc": "gcc",
  "/usr/include/stdio.h": "libc6-dev",
  "/usr/include/openssl/evp.h": "libssl-dev",
});
/** Tests that miss one of these are skipped and say so. */
const FOR_TESTS = Object.freeze({
  "/usr/bin/curl": "curl",
  "/usr/bin/wrk": "wrk",
  "/usr/sbin/avahi-daemon": "avahi-daemon",
  "/usr/bin/avahi-browse": "avahi-utils",
  "/usr/bin/dbus-daemon": "dbus",
  "/usr/sbin/ip": "iproute2",
});

/** @param {Readonly<Record<string, string>>} packages @returns {string[]} */
function missing(packages) {
  return Object.entries(packages)
    .filter(([file]) => !existsSync(file) && !existsInUsr(file))
    .map(([, name]) => name);
}

/** `/usr/sbin` and `/usr/bin` are one on newer systems. @param {string} file */
function existsInUsr(file) {
  return existsSync(file.replace("/sbin/", "/bin/")) || existsSync(file.replace("/usr/", "/"));
}

/** gcc-multilib is known by its 32-bit libgcc, which is in a directory of gcc's version. */
function hasMultilib() {
  const versions = "/usr/lib/gcc/x86_64-linux-gnu";
  if (!existsSync(versions)) return process.arch !== "x64";
  return readdirSync(versions).some((version) => existsSync(path.join(versions, version, "32")));
}

/**
 * Installs what is missing where that is allowed. What the simulator needs and cannot be had ends the
 * process with status 1; what only tests would like is named, and they go on without it.
 *
 * @param {"run" | "test"} purpose
 */
export function installSystemPackages(purpose) {
  const required = missing(REQUIRED);
  if (required.length > 0 && !install(required)) process.exit(1);
  if (purpose === "run") return;
  const wanted = missing(FOR_TESTS).concat(hasMultilib() ? [] : ["gcc-multilib"]);
  if (wanted.length > 0) install(wanted);
}

/** @param {string[]} packages */
function install(packages) {
  const script = path.join(import.meta.dirname, "install-system.sh");
  return (
    spawnSync("/bin/sh", [script, ...packages], { stdio: ["ignore", "inherit", "inherit"] }).status === 0
  );
}
