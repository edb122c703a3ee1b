/** Where pictures of the home screen differ: from each other, and from those that are kept (host-tests/hosts/kept-pictures.ts). */
import path from "node:path";
import { rgbOf } from "../../hosts/colours.js";
import { countDifferences, isUpdating, keep } from "../../hosts/kept-pictures.js";
import { HEIGHT, WIDTH } from "./home-host.js";

/** @returns how many pixels differ from the kept picture of that name; all of them if there is none */
export function differenceFrom(name: string, shown: Uint16Array, width: number): number {
  const file = path.join(import.meta.dirname, "pictures", `${name}.png`);
  const rgb = Buffer.alloc(3 * shown.length);
  for (const [index, pixel] of shown.entries()) rgb.writeUIntBE(rgbOf(pixel), 3 * index, 3);
  const picture = { width, height: shown.length / width, rgb };
  keep(file, picture);
  return isUpdating() ? 0 : countDifferences(file, picture);
}

/** Columns and rows between which pixels differ. */
export function changedArea(before: Uint16Array, after: Uint16Array) {
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let at = 0; at < WIDTH * HEIGHT; at++)
    if (before[at] !== after[at]) {
      xs.push(at % WIDTH);
      ys.push(Math.floor(at / WIDTH));
    }
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}
