/**
 * Screens of a console against the pictures that are kept of them (kept-pictures.ts).
 *
 * What a console shows differently in each run is a named part of the picture: it is read and checked by its form, and its
 * pixels are not compared.
 */
import { expect } from "vitest";
import type { HomeUser, Screen } from "./home-user.js";
import { countDifferences, differencesOf, isUpdating, isWithin, keep, type Mask } from "./kept-pictures.js";

/** Part of the display that is different in each run. */
export interface Varying extends Mask {
  readonly name: string;
  /** What is read there, as one line; left out for what is no text. */
  readonly shows?: RegExp;
}

/** On the line on top of every screen. */
const STATUS: readonly Varying[] = [
  { name: "free memory", x: 104, y: 0, width: 72, height: 21, shows: /^\d+ KB$/ },
  { name: "time since the start", x: 180, y: 0, width: 60, height: 21, shows: /^\d+:\d\d$/ },
];

/** A line of a page. @param y of its text */
export const lineAt = (y: number, name: string, shows: RegExp): Varying => ({
  name,
  x: 8,
  y,
  width: 224,
  height: 18,
  shows,
});

/** Icons come one after the other, so that a display counts as still only after a while. */
const STILL_MS = 2000;

/** Waits until the display is as it was kept, or fails with what differs. @returns what it shows */
export async function expectKeptScreen(
  user: HomeUser,
  file: string,
  varies: readonly Varying[],
  bar: readonly Varying[] = STATUS,
): Promise<Screen> {
  const parts = [...bar, ...varies];
  const screen = isUpdating() ? await still(user, parts) : await asKept(user, file, parts);
  for (const part of parts)
    if (part.shows) expect(textIn(screen, part), `${part.name} in ${screen.words}`).toMatch(part.shows);
  keep(file, screen.picture, parts);
  const differences = countDifferences(file, screen.picture, parts);
  expect(differences, `${file} shows something else than: ${screen.words}`).toBe(0);
  return screen;
}

/** What is shown last, if it never is as kept. */
function asKept(user: HomeUser, file: string, parts: readonly Varying[]): Promise<Screen> {
  const isKept = ({ picture }: Screen) => countDifferences(file, picture, parts) === 0;
  return user.sees("kept picture", isKept).catch(() => user.look());
}

/** Waits until nothing changes any more but what varies. */
async function still(user: HomeUser, parts: readonly Varying[]): Promise<Screen> {
  for (let before = await user.look(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, STILL_MS));
    const after = await user.look();
    if (differencesOf(before.picture, after.picture, parts).length === 0) return after;
    before = after;
  }
}

const textIn = ({ texts }: Screen, part: Mask): string =>
  texts
    .filter(({ x, y }) => isWithin(part, x, y))
    .map(({ text }) => text)
    .join(" ");
