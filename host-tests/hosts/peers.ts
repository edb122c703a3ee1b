/**
 * Peers that a machine may lack. A suite that needs one is skipped with its name, unless
 * `SVC_TEST_REQUIRE` (a list separated by commas) says that this machine must have it.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { missingPackages } from "../../rv32/builder/toolchain.js";
import { hasClang } from "../../sdk/builder/c.js";

export type Peer =
  | "avahi"
  | "binaryen"
  | "curl"
  | "netns"
  | "multilib"
  | "rv32"
  | "testdata"
  | "clang"
  | "openssl";

const LOOK: Readonly<Record<Peer, () => boolean>> = {
  avahi: () => existsSync("/usr/sbin/avahi-daemon") && existsSync("/usr/bin/avahi-browse"),
  // By its path: in node_modules/.bin is one of the same name in JavaScript, which takes forty times as long.
  binaryen: () => existsSync("/usr/bin/wasm-opt"),
  curl: () => spawnSync("curl", ["--version"]).status === 0,
  netns: () => spawnSync("unshare", ["-n", "true"]).status === 0,
  multilib: () => existsSync(new URL("../../build/m32/console", import.meta.url)),
  rv32: () => missingPackages().length === 0,
  testdata: () => existsSync(new URL("../../../shared/testdata", import.meta.url)),
  clang: hasClang,
  openssl: () => spawnSync("openssl", ["version"]).status === 0,
};

/** Whether `peer` is missing. @throws {Error} when it is missing and required */
export function isMissing(peer: Peer): boolean {
  if (LOOK[peer]()) return false;
  const required = (process.env["SVC_TEST_REQUIRE"] ?? "").split(",");
  if (required.includes(peer)) throw new Error(`SVC_TEST_REQUIRE names ${peer}, which is not there`);
  return true;
}
