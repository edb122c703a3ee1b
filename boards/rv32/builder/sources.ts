/**
 * The sources of the board: every C file of the desktop that does not depend on Linux, and the replacements of the
 * others.
 */
import path from "node:path";
import { xs } from "../../../engine/engine.js";
import {
  CLONE_INCLUDES,
  cloneSources,
  MACHINE_MODULES,
  MAKER_INCLUDES,
  makerSources,
} from "../../../engine/root/sources.js";
import { engineSources, isInterpreter, nativeSources } from "../../../tools/native-sources.js";
import { foldersOf } from "../../../tools/objects.js";
import { buildSandboxSources, SANDBOX_NATIVE } from "../../../tools/sandbox.js";
import { wasm3Sources } from "../../../tools/wasm3.js";

const root = path.join(import.meta.dirname, "../../..");

const common = path.join(root, "device/hosts/common");
const posix = path.join(root, "device/hosts/posix");
const withoutTls = path.join(root, "device/tls/none");
const engine = path.join(root, "device/wasm/native");
const board = path.join(root, "boards/rv32");

/** Files that need only POSIX, or the kernel's files and sockets. */
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

/** Include paths in this order: the kernel's headers replace those that the C library lacks. */
export const includes = [
  path.join(board, "kernel/include"),
  ...["kernel", "native"].map((folder) => path.join(board, folder)),
  ...CLONE_INCLUDES,
  ...MAKER_INCLUDES,
  path.join(common, "native"),
  ...foldersOf(path.join(posix, "native")),
  engine,
  SANDBOX_NATIVE,
];

/** Host modules; those of the board replace others with the same name. */
export const moduleFolders = [
  ...[common, posix, withoutTls].map((host) => path.join(host, "modules")),
  MACHINE_MODULES,
  path.join(board, "modules"),
];

/** C files and assembly. */
export interface BoardSources {
  readonly engine: string[];
  readonly interpreter: string[];
  readonly host: string[];
  /** The rest of the maker. */
  readonly maker: string[];
}

/** Grouped by origin, as in the report of the flash. */
export async function boardSources(): Promise<BoardSources> {
  const folders = [
    path.join(common, "native"),
    engine,
    SANDBOX_NATIVE,
    path.join(board, "native"),
    path.join(board, "kernel"),
  ];
  const ours = (await Promise.all(folders.map(nativeSources))).flat();
  return {
    engine: await engineSources(xs),
    interpreter: [...wasm3Sources, ...ours.filter(isInterpreter)],
    host: [
      ...ours.filter((source) => !isInterpreter(source)),
      ...POSIX.map((name) => path.join(posix, "native", `${name}.c`)),
      ...(await buildSandboxSources()),
      ...(await cloneSources()),
    ],
    maker: [...(await makerSources()), ...(await nativeSources(path.join(board, "maker")))],
  };
}
