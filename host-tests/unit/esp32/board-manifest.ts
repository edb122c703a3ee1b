/** The board's manifest (device/hosts/esp32/manifest.json), as the Moddable SDK reads it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = path.join(import.meta.dirname, "../../..");
export const boardDirectory = path.join(root, "device/hosts/esp32");

type Define = number | string | readonly number[] | { readonly [name: string]: Define };

interface Manifest {
  readonly build: Readonly<Record<string, string>>;
  readonly modules: Readonly<Record<string, string | readonly string[]>>;
  readonly defines: { readonly [name: string]: Define };
}

export const boardManifest: Manifest = JSON.parse(
  readFileSync(path.join(boardDirectory, "manifest.json"), "utf8"),
);

/** Text of `mc.defines.h`, which the SDK writes from the manifest's `defines`. */
export function definesHeader(): string {
  return `${linesOf("MODDEF_", boardManifest.defines).join("\n")}\n`;
}

function linesOf(prefix: string, defines: { readonly [name: string]: Define }): string[] {
  return Object.entries(defines).flatMap(([key, value]) => {
    const name = prefix + key.toUpperCase();
    if (Array.isArray(value)) return [`#define ${name} {${value.join(", ")}}`];
    if (typeof value === "object") return linesOf(`${name}_`, value as { readonly [name: string]: Define });
    return [`#define ${name} (${value})`];
  });
}

/** The project's own files that the manifest compiles or loads, those of the folders that it names included. */
export function boardFiles(extension: ".c" | ".js" | ".ts"): string[] {
  const names = Object.values(boardManifest.modules)
    .flat()
    .filter((name) => name.startsWith("."));
  return names.flatMap((name) => {
    const file = path.join(boardDirectory, name);
    const directory = path.dirname(file);
    const wanted = path.basename(file);
    return readdirSync(directory)
      .filter((found) => (wanted === "*" ? found.endsWith(extension) : found === wanted + extension))
      .map((found) => path.join(directory, found));
  });
}

/** What a pin of the chip is wired to, by the names that `defines` has: `display.dc`. Those left for apps are `free`. */
export function pinMap(): ReadonlyMap<string, number> {
  const pins = new Map<string, number>();
  for (const group of ["bus", "display", "card", "buttons"] as const)
    for (const [name, pin] of Object.entries(boardManifest.defines[group] as Record<string, number>))
      pins.set(`${group}.${name}`, pin);
  return pins;
}

export function freePins(): readonly number[] {
  return (boardManifest.defines["pins"] as { free: readonly number[] }).free;
}
