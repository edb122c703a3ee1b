/**
 * Peers that a machine may lack. A suite that needs one is skipped with its name, unless
 * `SVC_TEST_REQUIRE` (a list separated by commas) says that this machine must have it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { missingPackages } from "../../boards/rv32/builder/toolchain.js";
import { hasClang } from "../../sdk/builder/c.js";

export type Peer =
  | "avahi"
  | "binaryen"
  | "chromium"
  | "curl"
  | "fish"
  | "netns"
  | "multilib"
  | "nats"
  | "nats-server"
  | "postgres"
  | "postgres-server"
  | "rv32"
  | "testdata"
  | "tmpfs"
  | "clang"
  | "openssl"
  | "webserial"
  | "wrk"
  | "zsh";

/** Servers that tests may use, each with databases and subjects of its own. */
export const postgresUrl =
  process.env["SVC_TEST_POSTGRES_URL"] ?? `postgres://${userInfo().username}@127.0.0.1:5432/postgres`;
export const natsUrl = process.env["SVC_TEST_NATS_URL"] ?? "nats://127.0.0.1:4222";

/** The directory of an installed PostgreSQL's programs, the newest where there are several. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : [];
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0];
  return newest && `${POSTGRES}/${newest}/bin`;
}

/** Where Debian has them. */
const POSTGRES = "/usr/lib/postgresql";
export const CHROMIUM = "/usr/bin/chromium";

/** The serial port that a system lists, over which tests mount another file where only their Chromium sees it. */
export const SERIAL_PORT = "/dev/ttyS0";

/** Whether a module of Node, run to its end, is content. */
function succeeds(source: string): boolean {
  const cwd = new URL(".", import.meta.url);
  return (
    spawnSync(process.execPath, ["--input-type=module", "--eval", source], { cwd, timeout: 10_000 })
      .status === 0
  );
}

const LOOK: Readonly<Record<Peer, () => boolean>> = {
  avahi: () => existsSync("/usr/sbin/avahi-daemon") && existsSync("/usr/bin/avahi-browse"),
  // By its path: in node_modules/.bin is one of the same name in JavaScript, which takes forty times as long.
  binaryen: () => existsSync("/usr/bin/wasm-opt"),
  chromium: () => spawnSync(CHROMIUM, ["--version"], { timeout: 30_000 }).status === 0,
  curl: () => spawnSync("curl", ["--version"]).status === 0,
  fish: () => spawnSync("fish", ["--version"]).status === 0,
  netns: () => spawnSync("unshare", ["-n", "true"]).status === 0,
  multilib: () => existsSync(new URL("../../build/m32/console", import.meta.url)),
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
  rv32: () => missingPackages().length === 0,
  testdata: () => existsSync(new URL("../../../shared/testdata", import.meta.url)),
  tmpfs: () => spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0,
  clang: hasClang,
  openssl: () => spawnSync("openssl", ["version"]).status === 0,
  webserial: () =>
    existsSync(`/sys/class/tty/${path.basename(SERIAL_PORT)}`) &&
    spawnSync("unshare", ["-m", "mount", "--bind", "/dev/null", SERIAL_PORT]).status === 0,
  wrk: () => spawnSync("wrk", ["--version"]).error === undefined, // its status is 1
  zsh: () => spawnSync("zsh", ["-f", "-c", "zmodload zsh/zpty"]).status === 0,
};

/** What has been looked for by this process: a look may take a while, and finds the same each time. */
const seen = new Map<Peer, boolean>();

function isThere(peer: Peer): boolean {
  const known = seen.get(peer) ?? LOOK[peer]();
  seen.set(peer, known);
  return known;
}

/** Whether `peer` is missing. @throws {Error} when it is missing and required */
export function isMissing(peer: Peer): boolean {
  if (isThere(peer)) return false;
  const required = (process.env["SVC_TEST_REQUIRE"] ?? "").split(",");
  if (required.includes(peer)) throw new Error(`SVC_TEST_REQUIRE names ${peer}, which is not there`);
  return true;
}
