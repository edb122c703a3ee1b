/**
 * The sources of the console as an ESP-IDF project: the engine and interpreter of npm, the board's C of
 * `device/hosts/esp32`, the desktop's where it needs no more than POSIX, which ESP-IDF has, and `native/` for what the
 * Moddable SDK does otherwise.
 */
import path from "node:path";
import { xs } from "../../../tools/engine/engine.js";
import { engineSources, isInterpreter, nativeSources } from "../../../tools/native-sources.js";
import { buildSandboxSources, SANDBOX_NATIVE } from "../../../tools/sandbox.js";
import { wasm3Sources } from "../../../tools/wasm3.js";
import { MACHINE_LIFE } from "../../rv32/builder/sources.js";

const root = path.join(import.meta.dirname, "../../..");
const hosts = path.join(root, "device/hosts");
const interpreter = path.join(root, "device/wasm/native");
const simulator = path.join(root, "simulator/native");
const rv32 = path.join(root, "boards/rv32/native");
const native = path.join(root, "boards/esp-idf/native");

/** Of the Moddable SDK, replaced by `native/`, or of a radio, a USB port and a card slot that this project leaves out. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "board-heap",
  "board-loop",
  "board-machine",
  "load-window",
  "sd-drive",
  "task-load",
  "access-point",
  "wifi-access-point",
  "wifi-driver",
  "wifi-failure",
  "wifi-radio",
  "wifi-station",
]);

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
  "storage/files",
  "storage/storage-arguments",
  "storage/storage-error",
]);

/** The port of a board with a bridge, and the emulator's Ethernet. */
const BOARD = Object.freeze([
  "ethernet/board-ethernet",
  "ethernet/ethernet-link",
  "ethernet/ethernet-openeth",
  "usb-bridge/board-uart",
  "usb-bridge/log-lines",
  "usb-bridge/uart-opener",
]);

/** The size of the heap, the machine as a clone of the root in flash, and the part of XS that the program reaches. */
const RV32 = Object.freeze(["arena-size", "engine-defaults", "no-parser", "root"]);

/** In this order: this project's headers replace those with the same name. */
export const INCLUDES = Object.freeze([
  path.join(hosts, "esp32/native/include"),
  native,
  path.join(hosts, "esp32/native"),
  ...["ethernet", "usb-bridge"].map((name) => path.join(hosts, "esp32/native", name)),
  path.join(hosts, "common/native"),
  ...["boot", "crypto", "network", "process", "storage"].map((name) =>
    path.join(hosts, "posix/native", name),
  ),
  simulator,
  rv32,
  interpreter,
  SANDBOX_NATIVE,
  ...TLS,
]);

/** Headers of XS. */
export const ENGINE_INCLUDES = Object.freeze(
  ["includes", "platforms", "sources"].map((folder) => path.join(xs, folder)),
);

export interface ProjectSources {
  /** Foreign C, compiled without warnings. */
  readonly engine: readonly string[];
  readonly interpreter: readonly string[];
  readonly host: readonly string[];
}

export async function projectSources(): Promise<ProjectSources> {
  const folders = [path.join(hosts, "common/native"), interpreter, SANDBOX_NATIVE, ...TLS, native];
  const ours = (await Promise.all(folders.map(nativeSources))).flat();
  const board = await nativeSources(path.join(hosts, "esp32/native"));
  const from = (folder: string, names: readonly string[]) =>
    names.map((name) => path.join(folder, `${name}.c`));
  return {
    engine: await engineSources(xs),
    interpreter: [...wasm3Sources, ...ours.filter(isInterpreter)],
    host: [
      ...ours.filter((file) => !isInterpreter(file)),
      ...board.filter((file) => !LEFT_OUT.has(path.basename(file, ".c"))),
      ...from(path.join(hosts, "esp32/native"), BOARD),
      ...from(path.join(hosts, "posix/native"), POSIX),
      ...(await buildSandboxSources()),
      ...from(simulator, MACHINE_LIFE),
      ...from(rv32, RV32),
    ],
  };
}
