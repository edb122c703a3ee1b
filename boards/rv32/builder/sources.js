/** What the board is compiled of: every C file of the desktop's that is not about Linux, and what takes their place. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { wasm3Sources } from "../../../tools/wasm3.js";

const root = path.join(import.meta.dirname, "../../..");

export const xs = path.join(root, "node_modules/xs/moddable/xs");

const common = path.join(root, "device/hosts/common");
const posix = path.join(root, "device/hosts/posix");
const withoutTls = path.join(root, "device/hosts/without-tls");
const engine = path.join(root, "device/wasm/native");
const simulator = path.join(root, "simulator");
const board = path.join(root, "boards/rv32");

/** On POSIX alone, or on files and sockets as the kernel has them. */
const POSIX = Object.freeze([
  "access-points",
  "boot-record",
  "config",
  "config-options",
  "digest-portable",
  "event-loop",
  "fair-mutex",
  "files",
  "firmware-image",
  "firmware-slots",
  "hmac",
  "key-value",
  "linger",
  "listener",
  "load",
  "serial",
  "sha",
  "sha2",
  "sha256-of",
  "slot",
  "slot-seal",
  "socket-address",
  "spent-trial",
  "storage-arguments",
  "storage-error",
  "system",
  "tcp",
  "tcp-connection",
  "unwired-pins",
  "updater",
  "wifi",
]);

/** The life of a machine; what the desktop does with text, the board has in its root. */
const SIMULATOR = Object.freeze([
  "arena",
  "digest",
  "freeze",
  "heap-figures",
  "link-code",
  "machine-life",
  "natives",
  "platform",
  "program",
  "timer",
]);

/** Where headers are looked for, in this order: the kernel's stand in for those that the C library lacks. */
export const includes = [
  path.join(board, "kernel/include"),
  ...["kernel", "native"].map((folder) => path.join(board, folder)),
  path.join(common, "native"),
  path.join(posix, "native"),
  path.join(simulator, "native"),
  engine,
];

/** Of host modules; the board's are taken where others have the same name. */
export const moduleFolders = [common, posix, withoutTls, simulator, board].map((host) =>
  path.join(host, "modules"),
);

/**
 * By whose they are, which is also how their flash is told of.
 *
 * @returns {Promise<{ engine: string[], interpreter: string[], host: string[] }>} C files and assembly
 */
export async function boardSources() {
  const ours = await Promise.all(
    [path.join(common, "native"), engine, path.join(board, "native"), path.join(board, "kernel")].map(
      sourcesIn,
    ),
  );
  const host = [
    ...ours.flat().filter((source) => !isWasm3(source)),
    ...POSIX.map((name) => path.join(posix, "native", `${name}.c`)),
    ...SIMULATOR.map((name) => path.join(simulator, "native", `${name}.c`)),
  ];
  return {
    engine: (await sourcesIn(path.join(xs, "sources"))).filter((source) => !source.endsWith("/xsDefaults.c")),
    interpreter: [...wasm3Sources, ...ours.flat().filter(isWasm3)],
    host,
  };
}

/** @param {string} source */
function isWasm3(source) {
  return path.basename(source).startsWith("wasm3-");
}

/** @param {string} directory */
async function sourcesIn(directory) {
  const names = await readdir(directory);
  return names
    .filter((name) => /\.(c|S)$/.test(name))
    .sort()
    .map((name) => path.join(directory, name));
}
