/** Pictures of apps on the simulated display, which are kept beside the tests (kept-pictures.ts). */
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { countDifferences, isUpdating, keep } from "../../hosts/kept-pictures.js";
import { type Picture, readPng } from "../../hosts/read-png.js";

const LIMIT_MS = 30_000;
/** For an app whose picture is taken anew: it has drawn by then. */
const SETTLED_MS = 2000;

/** Polls the display until it is as the kept picture of this name; fails, and leaves what it was, if it never is. */
export async function showsPicture(console: { readonly http: string }, name: string): Promise<void> {
  const file = path.join(import.meta.dirname, "pictures", `${name}.png`);
  if (isUpdating()) await setTimeout(SETTLED_MS);
  const deadline = performance.now() + LIMIT_MS;
  let picture = await screen(console);
  while (!isUpdating() && countDifferences(file, picture) > 0 && performance.now() < deadline)
    picture = await screen(console);
  keep(file, picture);
  expect(countDifferences(file, picture), `pixels that differ from ${name}.png`).toBe(0);
}

async function screen({ http }: { readonly http: string }): Promise<Picture> {
  const answer = await fetch(`${http}/api/screen`);
  return readPng(new Uint8Array(await answer.arrayBuffer()));
}
