/** A board's manifests (device/hosts/esp32), as the Moddable SDK reads them. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  BOARD_NAMES,
  type Board,
  boardManifestFile,
  type Ethernet,
  ethernetManifest,
  ethernetNames,
} from "./boards.js";

export const root = path.join(import.meta.dirname, "..");
const hostDirectory = path.join(root, "device/hosts/esp32");
export const boardDirectory = (board: Board) => path.dirname(boardManifestFile(board));

/** Every board, as it is built: without Ethernet, and with each option. */
export interface Build {
  readonly board: Board;
  readonly ethernet?: Ethernet;
}
export const BUILDS: readonly Build[] = BOARD_NAMES.flatMap((board) => [
  { board },
  ...ethernetNames(board).map((ethernet) => ({ board, ethernet })),
]);
export const titleOf = ({ board, ethernet }: Build) => (ethernet ? `${board} with ${ethernet}` : board);

type Define = number | string | readonly number[] | Defines;
interface Defines {
  readonly [name: string]: Define;
}

interface Manifest {
  readonly modules?: Readonly<Record<string, string | readonly string[]>>;
  readonly defines?: Defines;
}

/** A manifest, and the directory that its names are relative to. */
interface Part {
  readonly directory: string;
  readonly manifest: Manifest;
}

function readPart(file: string): Part {
  return { directory: path.dirname(file), manifest: JSON.parse(readFileSync(file, "utf8")) };
}

/** Later parts replace what earlier ones define. */
function partsOf({ board, ethernet }: Build): readonly Part[] {
  const own = [readPart(path.join(hostDirectory, "manifest.json")), readPart(boardManifestFile(board))];
  if (ethernet === undefined) return own;
  const { include, ...manifest } = ethernetManifest(ethernet);
  return [...own, readPart(include), { directory: root, manifest }];
}

export function definesOf(build: Build): Defines {
  return partsOf(build).reduce<Defines>((all, { manifest }) => merged(all, manifest.defines ?? {}), {});
}

/** As the SDK does: it merges objects name by name, and arrays by index, which no manifest of ours counts on. */
function merged(all: Defines, more: Defines): Defines {
  const names = Object.entries(more).map(([name, value]) => {
    const earlier = all[name];
    if (Array.isArray(earlier)) throw new Error(`The array "${name}" is defined twice`);
    return [name, isGroup(earlier) && isGroup(value) ? merged(earlier, value) : value];
  });
  return { ...all, ...Object.fromEntries(names) };
}

function isGroup(value: Define | undefined): value is Defines {
  return typeof value === "object" && !Array.isArray(value);
}

/** Text of `mc.defines.h`, which the SDK writes from the manifests' `defines`. */
export function definesHeader(build: Build): string {
  return `${linesOf("MODDEF_", definesOf(build)).join("\n")}\n`;
}

function linesOf(prefix: string, defines: Defines): string[] {
  return Object.entries(defines).flatMap(([key, value]) => {
    const name = prefix + key.toUpperCase();
    if (isGroup(value)) return linesOf(`${name}_`, value);
    return [`#define ${name} ${textOf(value)}`];
  });
}

function textOf(value: number | string | readonly number[]): string {
  if (typeof value === "number") return `(${value})`;
  if (typeof value !== "string") return `{${value.join(", ")}}`;
  return value.startsWith("#") ? `"${value.slice(1)}"` : value;
}

/** The project's own files that the manifests compile or load, those of the folders that they name included. */
export function boardFiles(build: Build, extension: ".c" | ".js" | ".ts"): string[] {
  return partsOf(build).flatMap(({ directory, manifest }) =>
    Object.values(manifest.modules ?? {})
      .flat()
      .filter((name) => name.startsWith("."))
      .flatMap((name) => filesAt(path.join(directory, name), extension)),
  );
}

function filesAt(file: string, extension: string): string[] {
  const directory = path.dirname(file);
  const wanted = path.basename(file);
  return readdirSync(directory)
    .filter((found) => (wanted === "*" ? found.endsWith(extension) : found === wanted + extension))
    .map((found) => path.join(directory, found));
}

/** What a pin of the chip is wired to, by the names that `defines` has: `display.dc`; without those that are not wired. */
export function pinMap(build: Build): ReadonlyMap<string, number> {
  const defines = definesOf(build);
  const pins = new Map<string, number>();
  for (const group of ["bus", "display", "card", "buttons"] as const)
    for (const [name, pin] of Object.entries(defines[group] as Record<string, number>))
      if (pin >= 0) pins.set(`${group}.${name}`, pin);
  return pins;
}

export function ethernetPins(build: Build): readonly number[] {
  return (definesOf(build)["ethernet"] as { pins?: readonly number[] } | undefined)?.pins ?? [];
}

/** Pins for apps. */
export function freePins(build: Build): readonly number[] {
  const { free } = definesOf(build)["pins"] as { free: readonly number[] };
  return free.filter((pin) => !ethernetPins(build).includes(pin));
}
