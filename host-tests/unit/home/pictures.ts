/** The pictures that are kept of each screen (host-tests/hosts/kept-pictures.ts), and how many pixels differ from them. */
import path from "node:path";
import { rgbOf } from "../../hosts/colours.js";
import { countDifferences, isUpdating, keep } from "../../hosts/kept-pictures.js";

/** @returns how many pixels differ from the kept picture of that name; all of them if there is none */
export function differenceFrom(name: string, shown: Uint16Array, width: number): number {
  const file = path.join(import.meta.dirname, "pictures", `${name}.png`);
  const rgb = Buffer.alloc(3 * shown.length);
  for (const [index, pixel] of shown.entries()) rgb.writeUIntBE(rgbOf(pixel), 3 * index, 3);
  const picture = { width, height: shown.length / width, rgb };
  keep(file, picture);
  return isUpdating() ? 0 : countDifferences(file, picture);
}
