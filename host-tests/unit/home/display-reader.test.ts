/** The reader of texts on pictures of the display, with pictures that are kept of the home screen. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { HIGHLIGHT, TEXT } from "../../../device/home/app/palette.js";
import { rgbOf } from "../../hosts/colours.js";
import { type PrintedText, readTexts } from "../../hosts/display-reader.js";
import { readPalettePng } from "../../hosts/kept-pictures.js";

const textsOf = (name: string): readonly PrintedText[] =>
  readTexts(readPalettePng(readFileSync(path.join(import.meta.dirname, `pictures/${name}.png`))));

test("Each text is read with its place and colours, and nothing else is taken for text", () => {
  expect(textsOf("uninstall-question").map(({ text }) => text)).toEqual([
    ...["60 KB", "0:05", "Uninstall?", "bricks and everything that", "it has stored will be", "deleted."],
    ...["Cancel", "Uninstall", "A Choose", "Up/Down", "B Cancel"],
  ]);
  expect(textsOf("uninstall-question").find(({ text }) => text === "Uninstall")).toEqual({
    text: "Uninstall",
    x: 84,
    y: 236,
    ink: rgbOf(TEXT),
    ground: rgbOf(HIGHLIGHT),
  });
});

test("Icons, QR codes and large letters are no text", () => {
  expect(textsOf("grid").map(({ text }) => text)).toEqual([
    ...[
      "60 KB",
      "0:05",
      "bricks",
      "clock",
      "counter",
      "weather-..",
      "bricks",
      "A Open START Info SELECT Menu",
    ],
  ]);
  expect(textsOf("hub-claim").map(({ text }) => text)).toEqual([
    ...[
      "Hub",
      "60 KB",
      "0:05",
      "Hub",
      "Claim code:",
      "https://hub.example/api/v1",
      "Connected",
      "Change",
      "Forget",
      "A Choose",
      "Left/Right",
      "B Back",
    ],
  ]);
});

test("Every printable character is read", () => {
  const keys = ["wifi-keyboard", "wifi-symbols"].flatMap(textsOf).map(({ text }) => text);
  const typed = "1234567890QWERTYUIOPASDFGHJKL-ZXCVBNM_.@!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  expect(keys).toEqual(expect.arrayContaining([...typed]));
});
