/** The player draws as the console does, pixel by pixel: random calls in both, and every character of the font. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { consoleFont } from "../../../tools/console-font.js";
import { hasPart } from "../../../web/player/drawing.js";
import { Font, Screen } from "../../../web/player/screen.js";
import { compileDrawingProgram } from "../../hosts/drawing-program.js";
import { seededRandom } from "../../hosts/seeded-random.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { inTier } from "../../tier.js";

const directory = temporaryDirectory();
afterAll(() => directory.remove());

const NUMBERS = 11;
const MEMORY_BYTES = 4096;
const [FILL, BLIT, TEXT, SPRITE, LINE, CIRCLE, TRIANGLE, SCROLL, CLIP] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;

type Command = readonly number[];

/** @returns hashes of the console's picture after each command */
function onConsole(memory: Uint8Array, commands: readonly Command[]): readonly string[] {
  const program = path.join(directory.path, "commands");
  compileDrawingProgram("commands", program);
  const numbers = Int32Array.from(
    commands.flatMap((command) => [...command, ...Array(NUMBERS - command.length).fill(0)]),
  );
  const input = Buffer.concat([Int32Array.of(memory.length), memory, numbers].map(bytesOf));
  return execFileSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 26 })
    .trim()
    .split("\n");
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

function inPlayer(memory: Uint8Array, commands: readonly Command[]): readonly string[] {
  const screen = new Screen(new Font(consoleFont()));
  return commands.map((command) => {
    draw(screen, command, memory);
    return hashOf(screen.pixels);
  });
}

type Drawing = (screen: Screen, p: (index: number) => number, memory: Uint8Array) => void;

const pointAt = (p: (index: number) => number, index: number) => ({ x: p(index), y: p(index + 1) });

const DRAWINGS: Readonly<Record<number, Drawing>> = {
  [FILL]: (screen, p) => screen.fill(p(0), p(1), p(2), p(3), p(4)),
  [BLIT]: (screen, p, memory) => screen.blit(p(0), p(1), p(2), p(3), memory.subarray(p(4))),
  [TEXT]: (screen, p, memory) => screen.text(p(0), p(1), p(2), p(3), memory.subarray(p(4), p(4) + p(5))),
  [SPRITE]: (screen, p, memory) => {
    const part = { sheetWidth: p(3), sheetHeight: p(4), width: p(5), height: p(6), number: p(7) };
    const sprite = { ...part, transparent: p(8), flip: p(9), sheet: memory.subarray(p(2)) };
    if (hasPart(sprite)) screen.sprite(p(0), p(1), sprite);
  },
  [LINE]: (screen, p) => screen.line(pointAt(p, 0), pointAt(p, 2), p(4)),
  [CIRCLE]: (screen, p) => screen.circle(pointAt(p, 0), p(2), p(3), p(4) !== 0),
  [TRIANGLE]: (screen, p) => screen.triangle([pointAt(p, 0), pointAt(p, 2), pointAt(p, 4)], p(6)),
  [SCROLL]: (screen, p) => screen.scroll(p(0), p(1)),
  [CLIP]: (screen, p) => screen.setClip(p(0), p(1), p(2), p(3)),
};

function draw(screen: Screen, [number = 0, ...rest]: Command, memory: Uint8Array): void {
  DRAWINGS[number]?.(screen, (index) => rest[index] ?? 0, memory);
}

function hashOf(pixels: Uint16Array): string {
  let hash = 2166136261;
  for (const pixel of pixels) hash = Math.imul(hash ^ pixel, 16777619);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function randomCommands(random: ReturnType<typeof seededRandom>, count: number): readonly Command[] {
  const near = () => random(360) - 60;
  const any = () => {
    const extremes = [-0x8000_0000, 0x7fff_ffff, 0, -1, 1, 240, 320];
    return random(8) === 0 ? (extremes[random(extremes.length)] as number) : near();
  };
  const point = () => (random(8) === 0 ? random(65_535) - 32_767 : near());
  const colour = () => random(0x10000);
  return Array.from({ length: count }, () => {
    switch (random(12)) {
      case FILL:
        return [FILL, any(), any(), any(), any(), colour()];
      case BLIT:
        return [BLIT, any(), any(), random(40), random(40), random(500)];
      case TEXT: {
        const at = random(MEMORY_BYTES);
        return [TEXT, any(), any(), 1 + random(4), colour(), at, random(MEMORY_BYTES - at)];
      }
      case SPRITE: {
        const [width, height] = [1 + random(20), 1 + random(20)];
        const flip = random(4);
        const transparent = random(2) === 0 ? -1 : colour();
        return [SPRITE, any(), any(), random(1000), 40, 35, width, height, random(9), transparent, flip];
      }
      case LINE:
        return [LINE, point(), point(), point(), point(), colour()];
      case CIRCLE:
        return [CIRCLE, point(), point(), random(random(8) === 0 ? 32_768 : 200), colour(), random(2)];
      case TRIANGLE:
        return [TRIANGLE, point(), point(), point(), point(), point(), point(), colour()];
      case SCROLL:
        return [SCROLL, any(), any()];
      case CLIP:
        return [CLIP, any(), any(), 20 + random(300), 20 + random(300)];
      default:
        return [CLIP, 0, 0, 0x7fff_ffff, 0x7fff_ffff];
    }
  });
}

test("random calls draw the same pixels", { timeout: 600_000 }, () => {
  const seed = 20_21;
  const random = seededRandom(seed);
  const memory = Uint8Array.from({ length: MEMORY_BYTES }, () => random(256));
  const commands = randomCommands(random, inTier({ quick: 600, sample: 5_000, nightly: 100_000 }));
  const [console, player] = [onConsole(memory, commands), inPlayer(memory, commands)];
  const wrong = player.findIndex((hash, index) => hash !== console[index]);
  expect(wrong < 0 ? "same" : `command ${wrong} of seed ${seed}: ${commands[wrong]}`).toBe("same");
  expect(new Set(player).size).toBeGreaterThan(commands.length / 5); // and they draw
});

test("each character of the font, and those that it does not have, are the same", {
  timeout: 120_000,
}, () => {
  const characters = [...Array(0x10000).keys()].filter(
    (character) => character < 0xd800 || character > 0xdfff,
  );
  const inRow = 30;
  const rows: string[] = [];
  for (let at = 0; at < characters.length; at += inRow)
    rows.push(String.fromCharCode(...characters.slice(at, at + inRow).map((one) => (one === 10 ? 32 : one))));
  const inPicture = 20;
  const pictures: string[] = [];
  for (let at = 0; at < rows.length; at += inPicture)
    pictures.push(rows.slice(at, at + inPicture).join("\n"));
  const texts = pictures.slice(0, 20).concat(pictures.slice(20).filter((_, index) => index % 8 === 0));
  const memory = Buffer.concat(texts.map((text) => Buffer.from(text)));
  let at = 0;
  const commands = texts.flatMap((text) => {
    const length = Buffer.byteLength(text);
    at += length;
    return [
      [FILL, 0, 0, 240, 320, 0],
      [TEXT, 0, 0, 1, 0xffff, at - length, length],
    ];
  });
  expect(inPlayer(memory, commands)).toEqual(onConsole(memory, commands));
});
