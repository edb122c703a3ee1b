/**
 * The sources of a board's firmware: the engine and interpreter of npm, the board's C of `device/hosts/esp32`, the desktop's
 * where it needs no more than POSIX, which ESP-IDF has, and `native/` for what the Moddable SDK does otherwise.
 */
import path from "node:path";
import { xs } from "../../../engine/engine.js";
import { CLONE_INCLUDES, cloneSources } from "../../../engine/root/sources.js";
import { engineSources, isInterpreter, nativeSources } from "../../../tools/native-sources.js";
import { buildSandboxSources, SANDBOX_NATIVE } from "../../../tools/sandbox.js";
import { wasm3Sources } from "../../../tools/wasm3.js";
import { ethernetKind, partsOf, type Target } from "./target.js";

const root = path.join(import.meta.dirname, "../../..");
const hosts = path.join(root, "device/hosts");
const board = path.join(hosts, "esp32/native");
const posix = path.join(hosts, "posix/native");
const interpreter = path.join(root, "device/wasm/native");
const native = path.join(root, "boards/esp-idf/native");

/** TLS by ESP-IDF's mbedTLS. */
const TLS = ["common", "mbedtls"].map((name) => path.join(root, "device/tls", name, "native"));

const POSIX = Object.freeze([
  "crypto/digest-portable",
  "crypto/sha",
  "crypto/sha2",
  "network/linger",
  "network/listener",
  "network/socket-address",
  "network/tcp",
  "network/tcp-connection",
  "network/udp",
  "process/event-loop",
  "process/load",
  "storage/drives",
  "storage/files",
  "storage/storage-arguments",
  "storage/storage-error",
]);

/** In this order: this project's headers replace those with the same name. */
const INCLUDES = Object.freeze([
  path.join(board, "include"),
  native,
  board,
  ...["ethernet", "usb-bridge"].map((name) => path.join(board, name)),
  path.join(hosts, "common/native"),
  ...["boot", "crypto", "network", "process", "storage"].map((name) => path.join(posix, name)),
  ...CLONE_INCLUDES,
  interpreter,
  SANDBOX_NATIVE,
  ...TLS,
]);

export interface ProjectSources {
  /** Foreign C, compiled without warnings. */
  readonly engine: readonly string[];
  readonly interpreter: readonly string[];
  readonly host: readonly string[];
  readonly includes: readonly string[];
}

export async function projectSources(target: Target): Promise<ProjectSources> {
  const { port, leftOut, own } = partsOf(target);
  const kind = ethernetKind(target);
  const isLeftOut = (file: string) => leftOut.some((name) => name === path.basename(file, ".c"));
  const shared = await sharedSources();
  const folders = [...TLS, native, ...own.map((name) => path.join(native, name)), path.join(board, port)];
  const ours = (await Promise.all(folders.map(nativeSources))).flat();
  const ethernet = kind === undefined ? [] : ["board-ethernet", "ethernet-link", `ethernet-${kind}`];
  return {
    engine: await engineSources(xs),
    interpreter: [...wasm3Sources, ...shared.filter(isInterpreter)],
    host: [
      ...shared.filter((file) => !isInterpreter(file)),
      ...ours,
      ...(await nativeSources(board)).filter((file) => !isLeftOut(file)),
      ...ethernet.map((name) => path.join(board, "ethernet", `${name}.c`)),
      ...(await cloneSources()),
    ],
    includes: INCLUDES,
  };
}

/** What a desktop compiles, too: C that needs XS or POSIX, and neither ESP-IDF nor FreeRTOS. */
export async function sharedSources(): Promise<string[]> {
  const folders = [path.join(hosts, "common/native"), interpreter, SANDBOX_NATIVE];
  return [
    ...(await Promise.all(folders.map(nativeSources))).flat(),
    ...POSIX.map((name) => path.join(posix, `${name}.c`)),
    ...(await buildSandboxSources()),
  ];
}

/** Flags with which a desktop compiles them. */
export const SHARED_INCLUDES: readonly string[] = INCLUDES.filter(
  (folder) => !folder.startsWith(board) && folder !== native,
);
