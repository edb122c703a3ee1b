/**
 * The boards that firmware is built for, and their options for Ethernet. What a board's C and its pins differ in is in
 * its manifest (device/hosts/esp32/boards); what its configuration of ESP-IDF differs in, beside it.
 */
import path from "node:path";

const directory = path.join(import.meta.dirname, "../device/hosts/esp32");

/** `chip`: what ESP-IDF calls it. */
export const BOARDS = Object.freeze({
  esp32s3: { chip: "esp32s3" },
  esp32: { chip: "esp32" },
} as const);
export type Board = keyof typeof BOARDS;
export const BOARD_NAMES = Object.freeze(Object.keys(BOARDS)) as readonly Board[];

interface EthernetChip {
  readonly board: Board;
  /** Name of the manifest and of the configuration that the option adds: `ethernet-KIND.json` beside the board's. */
  readonly kind: "rmii" | "openeth" | "w5500";
  /** The component of Espressif's registry that has the driver, in a version for ESP-IDF 6. */
  readonly component?: string;
}

/** What `--ethernet` takes. Drivers of transceivers differ in nothing but their names. */
export const ETHERNET = Object.freeze({
  lan8720: { board: "esp32", kind: "rmii", component: "lan87xx" },
  ip101: { board: "esp32", kind: "rmii", component: "ip101" },
  rtl8201: { board: "esp32", kind: "rmii", component: "rtl8201" },
  dp83848: { board: "esp32", kind: "rmii", component: "dp83848" },
  ksz80xx: { board: "esp32", kind: "rmii", component: "ksz80xx" },
  openeth: { board: "esp32", kind: "openeth" },
  w5500: { board: "esp32s3", kind: "w5500", component: "w5500" },
} as const satisfies Readonly<Record<string, EthernetChip>>);
export type Ethernet = keyof typeof ETHERNET;

const COMPONENT_VERSION = "^1.0.0";

/** @throws {Error} that names the options of the board */
export function readEthernet(board: Board, name: string | undefined): Ethernet | undefined {
  if (name === undefined) return undefined;
  const names = ethernetNames(board);
  const found = names.find((known) => known === name);
  if (found) return found;
  throw new Error(`--ethernet for ${board} takes ${names.join(", ")}, not "${name}"`);
}

export function ethernetNames(board: Board): readonly Ethernet[] {
  return (Object.keys(ETHERNET) as Ethernet[]).filter((name) => ETHERNET[name].board === board);
}

/** What `mcconfig` reads of the board. */
export function boardManifestFile(board: Board): string {
  return path.join(directory, "boards", board, "manifest.json");
}

/** Files of ESP-IDF's configuration, in this order: a later line replaces an earlier one. */
export function configurationFiles(board: Board, ethernet?: Ethernet): readonly string[] {
  const own = path.join(directory, "boards", board);
  return [
    path.join(directory, "sdkconfig/sdkconfig.defaults"),
    path.join(own, "sdkconfig.defaults"),
    ...(ethernet ? [path.join(own, `ethernet-${ETHERNET[ethernet].kind}.sdkconfig`)] : []),
  ];
}

/** What the option adds to the manifest of a build. */
export function ethernetManifest(ethernet: Ethernet) {
  const { board, kind, component }: EthernetChip = ETHERNET[ethernet];
  return {
    include: path.join(directory, "boards", board, `ethernet-${kind}.json`),
    ...(component && { platforms: { "...": { dependency: [registryComponent(component)] } } }),
    ...(component && kind === "rmii" && { defines: { ethernet: transceiver(component) } }),
  };
}

function registryComponent(name: string) {
  return { name, version: COMPONENT_VERSION };
}

/** For C. The SDK makes a string of a text after `#`. */
function transceiver(component: string) {
  return { phy_header: `#esp_eth_phy_${component}.h`, phy_new: `esp_eth_phy_new_${component}` };
}
