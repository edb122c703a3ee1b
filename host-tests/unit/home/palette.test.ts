/** The palette, by the pairs in which the screens use it; pixels of text are also measured where they are drawn. */
import { describe, expect, test } from "vitest";
import * as palette from "../../../device/home/app/palette.js";
import { contrast, rgbOf } from "../../hosts/colours.js";

const colours: Readonly<Record<string, number>> = palette;
const GROUNDS = ["BACKGROUND", "SURFACE", "HIGHLIGHT"];
const TILES = Object.keys(colours).filter((name) => name.startsWith("TILE_"));

const PAIRS = [
  ...[...GROUNDS, ...TILES].map((ground) => ["TEXT", ground] as const),
  ...["DIM", "TITLE", "GOOD", "WARNING", "BAD"].flatMap((text) =>
    ["BACKGROUND", "SURFACE"].map((ground) => [text, ground] as const),
  ),
  ["INK", "PAPER"] as const,
];

describe("the palette", () => {
  test.each(PAIRS)("has a contrast of 4.5 between %s and %s", (text, ground) => {
    expect(contrast(rgbOf(colours[text] ?? 0), rgbOf(colours[ground] ?? 0))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(["BACKGROUND", "SURFACE"])("has a contrast of 3 between the cursor and %s", (ground) => {
    expect(contrast(rgbOf(palette.HIGHLIGHT), rgbOf(colours[ground] ?? 0))).toBeGreaterThanOrEqual(3);
  });
});
