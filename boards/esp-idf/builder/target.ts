/**
 * What is built: a board, with or without Ethernet, or the same for an emulator of its chip. All that differs between a board
 * and its emulator is in here and in `emulator.json`, `emulator.sdkconfig` and `native/emulator`.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  BOARDS,
  type Board,
  configurationFiles,
  ETHERNET,
  type Ethernet,
  ethernetManifest,
} from "../../boards.js";

const HOST = path.join(import.meta.dirname, "../../../device/hosts/esp32");
const FOLDER = path.dirname(import.meta.dirname);

export interface Target {
  readonly board: Board;
  readonly ethernet: Ethernet | undefined;
  /** Has the emulator's Ethernet, a UART in place of USB, and neither radio, display nor card. */
  readonly isEmulated: boolean;
}

export const chipOf = ({ board }: Target) => BOARDS[board].chip;

/** The folder for a target's output, below `build/board`. */
export function nameOf({ board, ethernet, isEmulated }: Target): string {
  return [board, ethernet, isEmulated && "emulator"].filter(Boolean).join("-");
}

/** Folder of the C that is the board's USB port, and the project's C that a board or an emulator has alone. */
export function partsOf({ board, isEmulated }: Target) {
  return {
    port: board === "esp32s3" && !isEmulated ? "usb-device" : "usb-bridge",
    leftOut: isEmulated ? WITH_RADIO : [],
    own: isEmulated ? ["emulator"] : [],
  } as const;
}

/** The driver of the radio: `native/emulator/no-radio.c` is in its place. */
const WITH_RADIO = Object.freeze(["wifi-access-point", "wifi-driver", "wifi-station"]);

/** The kind of Ethernet chip whose C is compiled. */
export function ethernetKind({ ethernet, isEmulated }: Target): string | undefined {
  if (isEmulated) return "openeth";
  return ethernet && ETHERNET[ethernet].kind;
}

type Values = Readonly<Record<string, unknown>>;

interface Manifest {
  readonly config?: Values;
  readonly defines?: Values;
}

/** Configuration and pins; a later one replaces values of an earlier one. */
export async function manifestsOf({ board, ethernet, isEmulated }: Target): Promise<readonly Manifest[]> {
  const chosen = ethernet && ethernetManifest(ethernet);
  const files = [
    path.join(HOST, "manifest.json"),
    path.join(HOST, "boards", board, "manifest.json"),
    ...(chosen ? [chosen.include] : []),
    ...(isEmulated ? [path.join(FOLDER, "emulator.json")] : []),
  ];
  const read = files.map(async (file): Promise<Manifest> => JSON.parse(await readFile(file, "utf8")));
  const own: readonly Manifest[] = chosen?.defines ? [{ defines: chosen.defines }] : [];
  return [...(await Promise.all(read)), ...own];
}

/** Files of ESP-IDF's configuration: a later line replaces an earlier one. */
export function settingsFiles({ board, ethernet, isEmulated }: Target): readonly string[] {
  return [
    ...configurationFiles(board, ethernet),
    path.join(FOLDER, "project/sdkconfig.own"),
    ...(isEmulated ? [path.join(FOLDER, "emulator.sdkconfig")] : []),
  ];
}
