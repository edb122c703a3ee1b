/** The boards' pin maps: each pin once, and none that the chip or its module uses itself. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  BUILDS,
  definesOf,
  ethernetPins,
  freePins,
  pinMap,
  root,
  titleOf,
} from "../../../boards/board-manifest.js";
import { type Board, ETHERNET } from "../../../boards/boards.js";

interface Reserved {
  readonly what: string;
  readonly pins: readonly number[];
}

interface Chip {
  readonly pinCount: number;
  readonly reserved: readonly Reserved[];
  /** Pins that Ethernet may take beside those that apps have and those of the option without it. */
  readonly ethernet?: readonly number[];
  readonly inputsOnly: readonly number[];
  /** Heading of the board's wiring in docs/board.md. */
  readonly heading: string;
}

const CHIPS: Readonly<Record<Board, Chip>> = {
  esp32s3: {
    pinCount: 49,
    reserved: [
      { what: "selects how the chip starts", pins: [0, 3, 45, 46] },
      { what: "is the USB port", pins: [19, 20] },
      { what: "does not exist", pins: [22, 23, 24, 25] },
      { what: "is flash or octal PSRAM", pins: [26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37] },
      { what: "is the serial port for programming", pins: [43, 44] },
      { what: "is the board's light", pins: [48] },
    ],
    inputsOnly: [],
    heading: "## Wiring",
  },
  esp32: {
    pinCount: 40,
    reserved: [
      { what: "selects how the chip starts", pins: [0] },
      { what: "is the USB port", pins: [1, 3] },
      { what: "is flash", pins: [6, 7, 8, 9, 10, 11] },
      { what: "is PSRAM", pins: [16, 17] },
      { what: "does not exist", pins: [20, 24, 28, 29, 30, 31] },
      { what: "is not on a WROVER module", pins: [37, 38] },
    ],
    ethernet: [0],
    inputsOnly: [34, 35, 36, 39],
    heading: "### Wire an ESP32",
  },
};

const board = readFileSync(path.join(root, "docs/board.md"), "utf8");

/** Text of a section, up to the next heading. */
function sectionOf(heading: string): string {
  const start = board.indexOf(`\n${heading}\n`);
  expect(start, heading).toBeGreaterThan(0);
  const rest = board.slice(start + heading.length + 2);
  const end = rest.search(/^##/m);
  return end < 0 ? rest : rest.slice(0, end);
}

for (const build of BUILDS)
  describe(titleOf(build), () => {
    const { pinCount, reserved, ethernet = [], inputsOnly } = CHIPS[build.board];
    const used = [...pinMap(build).values(), ...ethernetPins(build), ...freePins(build)];

    test("no pin has two uses, or is both used and free", () => {
      expect(used.filter((pin, index) => used.indexOf(pin) !== index)).toEqual([]);
    });

    for (const { what, pins } of reserved)
      test(`no pin that ${what} is used`, () => {
        const allowed = ethernetPins(build).filter((pin) => ethernet.includes(pin));
        expect(used.filter((pin) => pins.includes(pin) && !allowed.includes(pin))).toEqual([]);
      });

    test("each pin of the chip is either used, free or reserved", () => {
      const unwired = pinMap({ board: build.board }).values(); // what an option leaves out
      const all = new Set([...used, ...unwired, ...reserved.flatMap(({ pins }) => pins)]);
      expect([...all].sort((a, b) => a - b)).toEqual(Array.from({ length: pinCount }, (_, pin) => pin));
    });

    test("pins without an output are inputs", () => {
      const outputs = [...pinMap(build)].filter(([name]) => !/^buttons\.|^bus\.miso$/.test(name));
      expect(outputs.filter(([, pin]) => inputsOnly.includes(pin))).toEqual([]);
      expect(freePins(build).filter((pin) => inputsOnly.includes(pin))).toEqual([]);
    });

    test("the I2C bus has two of the pins for apps, unless Ethernet has them", () => {
      const { data, clock } = definesOf(build)["i2c"] as { data: number; clock: number };
      expect(data).not.toBe(clock);
      for (const pin of [data, clock]) expect([...freePins(build), ...ethernetPins(build)]).toContain(pin);
    });

    test("the pins of Ethernet are those that its driver is given", () => {
      const { ethernet: defined } = definesOf(build);
      const names = ["select", "clock", "mosi", "miso", "interrupt", "reset", "mdc", "mdio"];
      const given = names
        .map((name) => (defined as Record<string, number> | undefined)?.[name] ?? -1)
        .filter((pin) => pin >= 0);
      expect(given.filter((pin) => !ethernetPins(build).includes(pin))).toEqual([]);
    });
  });

for (const name of ["esp32s3", "esp32"] as const) {
  const { heading } = CHIPS[name];
  const build = { board: name };

  test(`the wiring table of docs/board.md matches the pin map of ${name}`, () => {
    const rows = sectionOf(heading).matchAll(/^\| GPIO (\d+) \| `([a-z.]+)` \|/gm);
    const table = [...rows].map(([, pin, wired]) => [wired, Number(pin)]);
    expect(new Map(table as [string, number][])).toEqual(pinMap(build));
    expect(table.length).toBe(pinMap(build).size);
  });

  test(`docs/board.md names the pins for apps on ${name}`, () => {
    const pins = freePins(build);
    expect(sectionOf(heading)).toContain(
      `Apps have GPIO ${pins.slice(0, -1).join(", ")} and ${pins.at(-1)}.`,
    );
  });
}

/** IEEE 802.3's RMII on an ESP32, whose pins are fixed, and its management interface. */
const RMII = [0, 19, 21, 22, 25, 26, 27];
for (const build of BUILDS.filter(({ ethernet }) => ethernet && ETHERNET[ethernet].kind === "rmii"))
  test(`${titleOf(build)} leaves the pins of RMII to it`, () => {
    expect(ethernetPins(build)).toEqual(expect.arrayContaining(RMII));
    expect([...pinMap(build).values()].filter((pin) => RMII.includes(pin))).toEqual([]);
  });
