/** Apps that play, what is heard of them, and what the simulated loudspeaker keeps (docs/spec/sound.md). */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSoundFile } from "../../../protocol/device/sound-file.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { getJson } from "../../hosts/http-client.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const IMPORTS = `
  (import "svc" "sound_tone" (func $tone (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "sound_play" (func $play (param i32 i32) (result i32)))
  (import "svc" "sound_stop" (func $stop (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (memory 1)`;

const directory = temporaryDirectory();
const file = path.join(directory.path, "sound.wav");
let console: AppConsole;

beforeAll(async () => {
  console = await startAppConsole({ flags: ["--sound", file, "--config", "CONFIG_SVC_HOME_SCREEN=off"] });
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
  directory.remove();
});

async function install(name: string, main: string): Promise<void> {
  const module = await moduleOf(`(module ${IMPORTS} (func (export "main") (result i32) ${main}))`);
  const packed = packageOf(module, { name, capabilities: ["sound.play"] });
  const answer = await installOverHttp(console, { file: packed, signature: console.publisher.sign(packed) });
  expect(answer.status).toBe(200);
}

/** Runs an app to its end. @returns what `main` returned */
async function run(name: string, main: string): Promise<number | undefined> {
  await install(name, main);
  expect((await console.app("start", name)).status).toBe(200);
  return (await console.until(({ state }) => state === "stopped", name)).last_exit.code;
}

async function played(since?: number) {
  const query = since === undefined ? "" : `?since=${since}`;
  const answer = await fetch(`${console.http}/api/sound${query}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "audio/wav"]);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(new DataView(bytes.buffer).getUint32(4, true)).toBe(bytes.length - 8);
  return readSoundFile(bytes);
}

function risingEdges(samples: ArrayLike<number>): number {
  let count = 0;
  for (let index = 1; index < samples.length; index++)
    if ((samples[index - 1] as number) < 0 && (samples[index] as number) >= 0) count++;
  return count;
}

const tone = (voice: number, hertz: number, ms: number, volume = 100, shape = 0) =>
  `(call $tone (i32.const ${voice}) (i32.const ${hertz}) (i32.const ${hertz}) (i32.const ${ms}) (i32.const ${volume}) (i32.const ${shape}))`;
const sleep = (ms: number) => `(drop (call $sleep (i32.const ${ms})))`;

test("A tone is heard for its time, and kept with the number of its first sample", async () => {
  expect((await played()).samples).toHaveLength(0);
  expect(await run("beep", `(drop ${tone(0, 500, 400)}) ${sleep(600)} (i32.const 0)`)).toBe(0);
  const { start, rate, samples } = await played();
  expect({ start, rate }).toEqual({ start: 0, rate: 16_000 });
  expect(samples).toHaveLength(6400);
  expect(Math.abs(risingEdges(samples) - 200)).toBeLessThanOrEqual(1);
  const rest = await played(6000);
  expect([rest.start, rest.samples]).toEqual([6000, samples.subarray(6000)]);
  expect((await played(6400)).samples).toHaveLength(0);
  expect(await played(99_999_999)).toEqual({ start, rate, samples });
  expect((await getJson(`${console.http}/api/system`)).features).toContain("sound");
});

test("The file has the same samples, and can be read while the console runs", () => {
  const bytes = readFileSync(file);
  expect(bytes.toString("latin1", 0, 4) + bytes.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
  expect([bytes.readUInt16LE(22), bytes.readUInt32LE(24), bytes.readUInt16LE(34)]).toEqual([1, 16_000, 16]);
  expect([bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([bytes.length - 8, bytes.length - 44]);
  expect(bytes.length).toBe(44 + 2 * 6400);
});

test("Samples of the app play as they are, and no more are taken than there is room for", async () => {
  const before = (await played()).start + (await played()).samples.length;
  const fill = `(loop $again
    (i32.store16 (local.get $at) (i32.sub (local.get $at) (i32.const 4000)))
    (local.set $at (i32.add (local.get $at) (i32.const 2)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 10000))))`;
  const main = `(local $at i32) (local $taken i32) ${fill}
    (local.set $taken (call $play (i32.const 0) (i32.const 5000))) ${sleep(500)} (local.get $taken)`;
  expect(await run("samples", main)).toBe(4096);
  const { samples } = await played(before);
  expect(samples.subarray(0, 4096)).toEqual(
    Int16Array.from({ length: 4096 }, (_, index) => 2 * index - 4000),
  );
});

test("What an app plays ends with it, and when another one comes to the front", async () => {
  await install("long", `(drop ${tone(1, 300, 60_000)}) ${sleep(60_000)} (i32.const 0)`);
  await install("quiet", `${sleep(60_000)} (i32.const 0)`);
  const isSilent = async () => {
    const at = (await played()).start + (await played()).samples.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return (await played(at)).samples.length === 0;
  };
  await console.app("start", "long");
  await expect.poll(isSilent).toBe(false);
  await console.app("start", "quiet");
  await expect.poll(isSilent).toBe(true);
  await console.app("stop", "quiet");
  await console.app("stop", "long");
  await console.app("start", "long");
  await expect.poll(isSilent).toBe(false);
  await console.app("stop", "long");
  await expect.poll(isSilent).toBe(true);
});

/** Waits until `long` is in front, and then tries. */
test("An app that is not in front is not heard", async () => {
  await install(
    "behind",
    `${sleep(1500)} (if (i32.ne ${tone(0, 500, 10)} (i32.const -16)) (then unreachable))
     (if (i32.ne (call $play (i32.const 0) (i32.const 10)) (i32.const -16)) (then unreachable))
     (call $stop)`,
  );
  await console.app("start", "behind");
  await console.app("start", "long");
  const ended = await console.until(({ state }) => state === "stopped", "behind");
  expect(ended.last_exit).toMatchObject({ reason: "exit", code: -16 });
  await console.app("stop", "long");
});

const LEAST = -2_147_483_648;
test.each([
  ["a voice", [-1, 440, 440, 10, 100, 0]],
  ["another voice", [4, 440, 440, 10, 100, 0]],
  ["a low frequency", [0, 19, 440, 10, 100, 0]],
  ["a high frequency", [0, 440, 8001, 10, 100, 0]],
  ["a negative frequency", [0, LEAST, 440, 10, 100, 0]],
  ["a negative time", [0, 440, 440, -1, 100, 0]],
  ["a long time", [0, 440, 440, 60_001, 100, 0]],
  ["a loud volume", [0, 440, 440, 10, 101, 0]],
  ["a negative volume", [0, 440, 440, 10, -1, 0]],
  ["a shape", [0, 440, 440, 10, 100, 4]],
  ["a negative shape", [0, 440, 440, 10, 100, LEAST]],
])("%s that there is not is -22", async (_, values) => {
  const parameters = values.map((value) => `(i32.const ${value})`).join(" ");
  expect(await run("wrong", `(call $tone ${parameters})`)).toBe(-22);
});

test("Samples beyond the app's memory trap, and so does a negative number of them", async () => {
  for (const [pointer, count] of [
    [65_534, 2],
    [0, -1],
    [0, 0x7fff_ffff],
  ]) {
    await install("beyond", `(call $play (i32.const ${pointer}) (i32.const ${count}))`);
    await console.app("start", "beyond");
    const { last_exit } = await console.until(({ state }) => state === "stopped", "beyond");
    expect(last_exit).toMatchObject({ reason: "trap" });
  }
});

test("A console whose file cannot be written says so, and plays", async () => {
  const other = await startAppConsole({
    flags: ["--sound", path.join(directory.path, "no/such/folder.wav")],
  });
  expect(other.stderr.join("\n")).toContain("the file of its sound cannot be written");
  expect(existsSync(path.join(directory.path, "no"))).toBe(false);
  expect(await other.stop()).toBe(0);
});
