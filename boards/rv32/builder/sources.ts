/** What the board is compiled of: every C file of the desktop's that is not about Linux, and what takes their place. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { foldersOf } from "../../../tools/objects.js";
import { wasm3Sources } from "../../../tools/wasm3.js";

const root = path.join(import.meta.dirname, "../../..");

export const xs = path.join(root, "node_modules/xs/moddable/xs");

const common = path.join(root, "device/hosts/common");
const posix = path.join(root, "device/hosts/posix");
const withoutTls = path.join(root, "device/tls/none");
const engine = path.join(root, "device/wasm/native");
const simulator = path.join(root, "simulator");
const board = path.join(root, "boards/rv32");

/** On POSIX alone, or on files and sockets as the kernel has them. */
const POSIX = Object.freeze([
  "boot/boot-record",
  "boot/firmware-image",
  "boot/firmware-slots",
  "boot/slot",
  "boot/slot-seal",
  "boot/spent-trial",
  "boot/updater",
  "crypto/digest-portable",
  "crypto/hmac",
  "crypto/sha",
  "crypto/sha2",
  "crypto/sha256-of",
  "network/access-points",
  "network/linger",
  "network/listener",
  "network/socket-address",
  "network/tcp",
  "network/tcp-connection",
  "network/wifi",
  "process/config",
  "process/config-options",
  "process/event-loop",
  "process/fair-mutex",
  "process/load",
  "process/system",
  "process/unwired-pins",
  "storage/files",
  "storage/key-value",
  "storage/storage-arguments",
  "storage/storage-error",
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
  "spare-slots",
  "timer",
]);

/** Where headers are looked for, in this order: the kernel's stand in for those that the C library lacks. */
export const includes = [
  path.join(board, "kernel/include"),
  ...["kernel", "native"].map((folder) => path.join(board, folder)),
  path.join(common, "native"),
  ...foldersOf(path.join(posix, "native")),
  path.join(simulator, "native"),
  engine,
];

/** Of host modules; the board's are taken where others have the same name. */
export const moduleFolders = [common, posix, withoutTls, simulator, board].map((host) =>
  path.join(host, "modules"),
);

/**
 * By whose they are, which is also how their flash is told of.
 * @returns C files and assembly
 */
export async function boardSources(): Promise<{ engine: string[]; interpreter: string[]; host: string[] }> {
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

function isWasm3(source: string): boolean {
  return path.basename(source).startsWith("wasm3-");
}

async function sourcesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names
    .filter((name) => /\.(c|S)$/.test(name))
    .sort()
    .map((name) => path.join(directory, name));
}
