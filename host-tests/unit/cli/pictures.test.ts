/** Pictures in terminals (docs/spec/cli.md#apps-icons): which show them, and the sequences that draw them. */
import { crc32, inflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { iconPng } from "../../../cli/terminal/icon-png.js";
import { NO_PICTURE, pictureProtocol, pictureText } from "../../../cli/terminal/pictures.js";
import { Fault } from "../../../protocol/fault.js";
import { type BitmapFields, bitmap } from "../../hosts/bitmap.js";

const TERMINALS = [
  { name: "kitty", environment: { TERM: "xterm-kitty", KITTY_WINDOW_ID: "1" }, shows: "kitty" },
  { name: "kitty over ssh", environment: { TERM: "xterm-kitty" }, shows: "kitty" },
  { name: "kitty with another TERM", environment: { TERM: "xterm", KITTY_WINDOW_ID: "1" }, shows: "kitty" },
  { name: "Ghostty", environment: { TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" }, shows: "kitty" },
  { name: "iTerm2", environment: { TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, shows: "iterm2" },
  {
    name: "iTerm2 over ssh",
    environment: { TERM: "xterm-256color", LC_TERMINAL: "iTerm2" },
    shows: "iterm2",
  },
  { name: "WezTerm", environment: { TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, shows: "iterm2" },
  { name: "xterm", environment: { TERM: "xterm" }, shows: undefined },
  { name: "Terminal of macOS", environment: { TERM_PROGRAM: "Apple_Terminal" }, shows: undefined },
  { name: "tmux in kitty", environment: { KITTY_WINDOW_ID: "1", TMUX: "/tmp/x" }, shows: undefined },
  { name: "screen in iTerm2", environment: { TERM_PROGRAM: "iTerm.app", STY: "1.x" }, shows: undefined },
  { name: "tmux over ssh", environment: { TERM: "tmux-256color", LC_TERMINAL: "iTerm2" }, shows: undefined },
  { name: "a dumb terminal", environment: { TERM: "dumb", KITTY_WINDOW_ID: "1" }, shows: undefined },
  { name: "no terminal", environment: {}, shows: undefined },
];
for (const { name, environment, shows } of TERMINALS)
  test(`${name} shows pictures ${shows ? `by the protocol of ${shows}` : "by no protocol"}`, () =>
    expect(pictureProtocol(environment)).toBe(shows));

describe("A picture", () => {
  test("takes the columns of a line without one", () => {
    for (const protocol of ["kitty", "iterm2"] as const)
      expect(pictureText(protocol, iconPng(bitmap()))).toMatch(
        new RegExp(`\\u001b\\[${NO_PICTURE.length}C$`),
      );
  });

  test("is sent to kitty in sequences of at most 4096 digits, which the terminal does not answer", () => {
    const png = new Uint8Array(7000).fill(0xfb);
    const sequences = [...pictureText("kitty", png).matchAll(/\u001b_G([^;]*);([^\u001b]*)\u001b\\/g)];
    expect(sequences.map(([, control]) => control)).toEqual([
      "a=T,f=100,c=2,r=1,C=1,q=2,m=1",
      "q=2,m=1",
      "q=2,m=0",
    ]);
    for (const [, , digits = ""] of sequences) expect(digits.length).toBeLessThanOrEqual(4096);
    const digits = sequences.map(([, , digits]) => digits).join("");
    expect(new Uint8Array(Buffer.from(digits, "base64"))).toEqual(png);
  });

  test("is sent to iTerm2 with its size, between a saved and a restored cursor", () => {
    const png = new Uint8Array(100).fill(7);
    expect(pictureText("iterm2", png)).toBe(
      `\u001b7\u001b]1337;File=inline=1;size=100;width=2;height=1;preserveAspectRatio=1:${Buffer.from(png).toString("base64")}\u0007\u001b8\u001b[3C`,
    );
  });

  test("contains no control character of its file", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9000 }), (png) => {
        const kitty = pictureText("kitty", png).replace(/\u001b_G[^;]*;|\u001b\\|\u001b\[3C$/g, "");
        const iterm2 = pictureText("iterm2", png).replace(
          /^\u001b7\u001b\]1337;[^:]*:|\u0007\u001b8\u001b\[3C$/g,
          "",
        );
        return [kitty, iterm2].every((digits) => /^[\w+/=]*$/.test(digits));
      }),
    );
  });
});

/** Red, green, blue and alpha of the pixels of a PNG, whose rows are not filtered. */
function pixelsOf(png: Uint8Array): Buffer {
  const file = Buffer.from(png);
  expect(file.toString("hex", 0, 8)).toBe("89504e470d0a1a0a");
  const chunks: [string, Buffer][] = [];
  for (let at = 8; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    expect(file.readUInt32BE(end)).toBe(crc32(file.subarray(at + 4, end)));
    chunks.push([file.toString("latin1", at + 4, at + 8), file.subarray(at + 8, end)]);
    at = end + 4;
  }
  expect(chunks.map(([type]) => type)).toEqual(["IHDR", "IDAT", "IEND"]);
  expect(chunks[0]?.[1].toString("hex")).toBe("00000020000000200806000000");
  const rows = inflateSync(chunks[1]?.[1] ?? Buffer.alloc(0));
  expect(rows.length).toBe(32 * 129);
  return Buffer.concat(
    Array.from({ length: 32 }, (_, y) => {
      expect(rows[y * 129]).toBe(0);
      return rows.subarray(y * 129 + 1, (y + 1) * 129);
    }),
  );
}

/** An icon with the last pixel of the top row, and all others 0. @param palette colours as 0xRRGGBB */
function dotted(fields: BitmapFields, pixel: readonly number[], palette: readonly number[] = []): Uint8Array {
  const { bits = 16, height = 32 } = fields;
  const icon = bitmap(fields);
  const view = new DataView(icon.buffer);
  const pixelsAt = view.getUint32(10, true);
  const firstColour = pixelsAt - 4 * palette.length;
  palette.forEach((colour, at) => {
    view.setUint32(firstColour + 4 * at, colour, true);
  });
  const rowBytes = 4 * bits;
  const topRow = height < 0 ? 0 : 31;
  icon.set(pixel, pixelsAt + topRow * rowBytes + rowBytes - pixel.length);
  return icon;
}

const dotOf = (icon: Uint8Array) => [...pixelsOf(iconPng(icon)).subarray(4 * 31, 4 * 32)];
const othersOf = (icon: Uint8Array) => {
  const pixels = pixelsOf(iconPng(icon));
  return new Set(
    Array.from({ length: 1024 }, (_, at) => pixels.readUInt32BE(4 * at)).filter((_, at) => at !== 31),
  );
};

const RGBA8888 = [0xff000000, 0xff0000, 0xff00, 0xff];
const PALETTE = [0x101010, 0x0a141e];
const FORMS: readonly [string, Uint8Array, readonly number[]][] = [
  ["1 bit", dotted({ bits: 1 }, [1], PALETTE), [10, 20, 30, 255]],
  ["4 bits", dotted({ bits: 4, colours: 2 }, [1], PALETTE), [10, 20, 30, 255]],
  ["8 bits", dotted({ bits: 8, colours: 2, infoBytes: 124 }, [1], PALETTE), [10, 20, 30, 255]],
  ["8 bits, beyond the palette", dotted({ bits: 8, colours: 2 }, [255], PALETTE), [0, 0, 0, 255]],
  ["RGB555", dotted({ bits: 16 }, [0x1f, 0x7c]), [255, 0, 255, 255]],
  ["RGB565", dotted({ bits: 16, compression: 3 }, [0xe0, 0xff]), [255, 255, 0, 255]],
  ["24 bits", dotted({ bits: 24 }, [30, 20, 10]), [10, 20, 30, 255]],
  ["24 bits, the top row first", dotted({ bits: 24, height: -32 }, [30, 20, 10]), [10, 20, 30, 255]],
  ["32 bits, whose fourth byte means nothing", dotted({ bits: 32 }, [30, 20, 10, 0]), [10, 20, 30, 255]],
  ["ARGB8888", dotted({ bits: 32, compression: 3, infoBytes: 124 }, [30, 20, 10, 40]), [10, 20, 30, 40]],
  [
    "RGBA8888",
    dotted({ bits: 32, compression: 3, infoBytes: 56, masks: RGBA8888 }, [40, 30, 20, 10]),
    [10, 20, 30, 40],
  ],
];
for (const [name, icon, colour] of FORMS)
  test(`An icon of ${name} becomes a PNG with its colours`, () => {
    expect(dotOf(icon)).toEqual(colour);
    expect(othersOf(icon).size).toBe(1);
  });

test("Any bytes become a PNG, or icon_invalid", () => {
  const changes = fc.array(fc.tuple(fc.nat({ max: 140 }), fc.nat({ max: 255 })), { maxLength: 5 });
  const form = fc.constantFrom(...FORMS.map(([, icon]) => icon));
  fc.assert(
    fc.property(form, changes, (icon, changes) => {
      const changed = icon.slice();
      for (const [at, value] of changes) changed[at] = value;
      try {
        return pixelsOf(iconPng(changed)).length === 4096;
      } catch (error) {
        return error instanceof Fault && error.code === "icon_invalid";
      }
    }),
    { numRuns: 500 },
  );
});
