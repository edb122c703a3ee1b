/** The player sounds as the console does, sample by sample: random tones and samples in both. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { SharedSound, SOUND_QUEUE_BYTES, SOUND_WORDS } from "../../../web/player/shared-sound.js";
import { SoundMixer } from "../../../web/player/sound-mixer.js";
import { seededRandom } from "../../hosts/seeded-random.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { inTier } from "../../tier.js";

const root = path.join(import.meta.dirname, "../../..");
const directory = temporaryDirectory();
afterAll(() => directory.remove());

const NUMBERS = 8;
const [TONE, SAMPLES, STOP, MIX] = [0, 1, 2, 3] as const;

type Command = readonly number[];

function onConsole(commands: readonly Command[]): readonly string[] {
  const program = path.join(directory.path, "commands");
  execFileSync("gcc", [
    ...["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-fsanitize=address,undefined"],
    ...["device/hosts/common/native", "device/wasm/native"].map((folder) => `-I${path.join(root, folder)}`),
    path.join(import.meta.dirname, "commands.c"),
    path.join(root, "device/hosts/common/native/sound-mixer.c"),
    ...["-o", program],
  ]);
  const numbers = Int32Array.from(
    commands.flatMap((command) => [...command, ...Array(NUMBERS - command.length).fill(0)]),
  );
  const said = execFileSync(program, {
    input: Buffer.from(numbers.buffer),
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return said.trim().split("\n");
}

function inPlayer(commands: readonly Command[]): readonly string[] {
  const [words, queue] = [new Int32Array(SOUND_WORDS), new Int16Array(SOUND_QUEUE_BYTES / 2)];
  const app = new SharedSound(words, queue);
  const page = new SharedSound(words, queue);
  const mixer = new SoundMixer();
  return commands.flatMap(([kind, first = 0, second = 0, ...rest]) => {
    if (kind === TONE) {
      const [toHertz = 0, milliseconds = 0, volume = 0, shape = 0] = rest;
      app.setTone(first, { fromHertz: second, toHertz, milliseconds, volume, shape });
    } else if (kind === STOP) app.stop();
    else if (kind === SAMPLES) {
      const samples = Int16Array.from({ length: first }, (_, index) => second + 77 * index);
      return [String(app.addSamples(new Uint8Array(samples.buffer)))];
    }
    for (const { voice, tone } of page.takeTones()) mixer.tone(voice, tone);
    if (kind !== MIX) return [];
    const mixed = new Int16Array(first);
    mixer.mix(mixed, page.takeSamples(first));
    return [hashOf(mixed)];
  });
}

function hashOf(samples: Int16Array): string {
  let hash = 2166136261;
  for (const sample of samples) hash = Math.imul(hash ^ (sample & 0xffff), 16777619);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

test("random tones and samples give the same samples", { timeout: 300_000 }, () => {
  const random = seededRandom(43);
  const hertz = () => 20 + random(random(4) === 0 ? 7981 : 900);
  const commands = Array.from(
    { length: inTier({ quick: 500, sample: 5000, nightly: 50_000 }) },
    (): Command => {
      switch (random(8)) {
        case 0:
        case 1:
        case 2:
          return [
            TONE,
            random(4),
            hertz(),
            hertz(),
            random(6) === 0 ? 0 : 1 + random(300),
            random(101),
            random(4),
          ];
        case 3:
          return [SAMPLES, random(1500), random(65_536) - 32_768];
        case 4:
          return random(4) === 0 ? [STOP] : [MIX, random(200)];
        default:
          return [MIX, random(2000)];
      }
    },
  );
  const [console, player] = [onConsole(commands), inPlayer(commands)];
  expect(player).toEqual(console);
  expect(new Set(player).size).toBeGreaterThan(commands.length / 3);
});
