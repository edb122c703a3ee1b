/** The example apps on the console, run as in the README. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSoundFile } from "../../../protocol/device/sound-file.js";
import { buildApps } from "../../../sdk/build-apps.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { askHttp, closedConnectionsNoticed } from "../../hosts/http-client.js";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { Publisher } from "../../hosts/publisher.js";
import { RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { startTimeServer } from "../../hosts/time-server.js";
import { overUsb } from "../../hosts/usb-client.js";
import { showsPicture } from "./app-picture.js";

const publisher = new Publisher();
const out = mkdtempSync(path.join(tmpdir(), "apps-"));
const state = mkdtempSync(path.join(tmpdir(), "console-"));
const card = mkdtempSync(path.join(tmpdir(), "card-"));
let console: AppConsole;
let packages: Map<string, string>;

const BUTTON = {
  up: 1 << 0,
  down: 1 << 1,
  left: 1 << 2,
  right: 1 << 3,
  a: 1 << 4,
  b: 1 << 5,
  x: 1 << 6,
  y: 1 << 7,
  start: 1 << 8,
  select: 1 << 9,
};
const LIMIT_MS = 60_000;

beforeAll(async () => {
  const key = path.join(out, "publisher.pem");
  writeFileSync(key, publisher.privatePem);
  const { built } = await buildApps({ out, key });
  packages = new Map(built.map((app) => [app.name, app.package]));
  console = await startAppConsole({ publisher, state, flags: ["--sd", card] });
}, RUNTIME_TIMEOUT_MS);
afterAll(async () => {
  await console.stop();
  for (const directory of [out, state, card]) rmSync(directory, { recursive: true, force: true });
});

async function installed(name: string, on = console): Promise<void> {
  const file = packages.get(name);
  if (!file) throw new Error(`"${name}" was not built`);
  const signature = readFileSync(`${file}.sig`, "utf8").trim();
  expect(await installOverHttp(on, { file: readFileSync(file), signature })).toMatchObject({
    status: 200,
  });
}

const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

/** @returns a digest of the display's picture */
async function screen(of = console): Promise<string> {
  const answer = await fetch(`${of.http}/api/screen`);
  return createHash("sha256")
    .update(new Uint8Array(await answer.arrayBuffer()))
    .digest("hex");
}

/** How many samples the loudspeaker has played. */
async function heard(): Promise<number> {
  const answer = await fetch(`${console.http}/api/sound`);
  const { start, samples } = readSoundFile(new Uint8Array(await answer.arrayBuffer()));
  return start + samples.length;
}

/** Polls the display until its picture is none of `known`. */
async function anotherScreen(...known: readonly string[]): Promise<string> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await screen();
    if (!known.includes(seen)) return seen;
    if (performance.now() > deadline) throw new Error("The picture does not change");
  }
}

/** Ten frames of an app, and more. */
const SETTLED_MS = 400;

/** Polls the display until its picture has stayed as it is. */
async function settled(seen: string): Promise<void> {
  let changedAt = performance.now();
  let slowest = 0; // from one change to the next: on a busy machine an app rests for long, and is not done
  for (let last = seen; ; ) {
    await setTimeout(SETTLED_MS);
    const next = await screen();
    const quiet = performance.now() - changedAt;
    if (next === last && quiet >= Math.max(SETTLED_MS, 4 * slowest)) return;
    if (next === last) continue;
    [last, changedAt, slowest] = [next, performance.now(), Math.max(slowest, quiet)];
  }
}

/** The name that the simulated radio advertises, `undefined` if there is none. */
function advertised(air: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect(air);
    socket.once("data", (data) => resolve(data.toString("utf8", 5)));
    socket.once("error", () => resolve(undefined));
  });
}

test("clock shows the time of day in the user's zone, and each minute that begins", async () => {
  // Each start of the console begins 20 s before the next minute.
  const server = await startTimeServer(() => Date.UTC(2026, 10, 26, 8, 41, 40));
  const timed = await startAppConsole({
    publisher,
    flags: ["--config", `CONFIG_SVC_TIME_SERVER=127.0.0.1:${server.port}`],
  });
  await overUsb(timed, (usb) => usb.request("POST", "/api/settings", { utc_offset: "+01:00" }));
  await installed("clock", timed);
  const from = timed.stderr.length;
  await askHttp(`${timed.http}/api/reboot`, { method: "POST" });
  await timed.waitForLine(/clock: it is 2026-11-26T08:41:4/, from);
  await closedConnectionsNoticed();
  expect((await timed.app("start", "clock")).body).toMatchObject({ state: "running", engine: "wasm3" });
  await showsPicture(timed, "clock");
  const earlier = await screen(timed);
  await expect.poll(() => screen(timed), { timeout: LIMIT_MS }).not.toBe(earlier);
  await showsPicture(timed, "clock-later");
  expect((await timed.app("stop", "clock")).body).toMatchObject({ state: "stopped" });
  await timed.stop();
  server.close();
});

test("clock says so where there is no time", async () => {
  const timeless = await startAppConsole({ publisher, flags: ["--config", "CONFIG_SVC_TIME_SERVER=off"] });
  await installed("clock", timeless);
  await timeless.app("start", "clock");
  await showsPicture(timeless, "clock-no-time");
  expect(await timeless.app("uninstall", "clock")).toMatchObject({ status: 200 });
  await timeless.stop();
});

test.skipIf(isMissing("clang"))("counter keeps its value when it stops and over a reboot", async () => {
  await installed("counter");
  const countsTo = async (count: number) => {
    const from = console.stderr.length;
    await console.app("start", "counter");
    await press(BUTTON.a);
    await console.waitForLine(new RegExp(`app/counter: count is ${count}$`), from);
    await press(0);
    expect((await console.app("stop", "counter")).status).toBe(200);
  };
  await console.app("start", "counter");
  await showsPicture(console, "counter");
  await console.app("stop", "counter");
  await countsTo(1);
  await countsTo(2);
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.waitForLine(/is ready/, from);
  await closedConnectionsNoticed(); // connections of the previous run
  await countsTo(3);
});

test("bricks reacts to buttons pressed over HTTP, is heard, and select ends it with code 0", async () => {
  await installed("bricks");
  const before = await screen();
  const silent = await heard();
  await console.app("start", "bricks");
  await showsPicture(console, "bricks");
  const waiting = await screen();
  await press(BUTTON.a); // launches the ball, which then moves by itself
  const flying = await anotherScreen(before, waiting);
  await expect.poll(heard, { timeout: LIMIT_MS }).toBeGreaterThan(silent);
  await press(BUTTON.left);
  await anotherScreen(before, waiting, flying);
  await press(BUTTON.select);
  const entry = await console.until(({ state }) => state === "stopped", "bricks");
  await press(0);
  expect(entry.last_exit).toMatchObject({ reason: "exit", code: 0 });
});

test("sketch draws what is set by buttons, keeps it, and shows it again at its next start", async () => {
  const hold = async (bits: number) => {
    const before = await screen();
    await press(bits);
    const moved = await anotherScreen(before);
    await settled(moved); // at the edge of the display
    await press(0);
  };
  const tap = async (bits: number) => {
    const before = await screen();
    await press(bits);
    await anotherScreen(before);
    await press(0);
    await settled(await screen());
  };
  await installed("sketch");
  const dark = await screen();
  await console.app("start", "sketch");
  await anotherScreen(dark);
  await tap(BUTTON.x); // a circle, from the middle to the left edge
  await tap(BUTTON.a);
  await hold(BUTTON.left);
  await tap(BUTTON.a);
  await tap(BUTTON.y);
  await tap(BUTTON.x);
  await tap(BUTTON.x); // a red line, from corner to corner
  await hold(BUTTON.up);
  await tap(BUTTON.a);
  await hold(BUTTON.right | BUTTON.down);
  await tap(BUTTON.a);
  await showsPicture(console, "sketch");
  await press(BUTTON.select);
  const entry = await console.until(({ state }) => state === "stopped", "sketch");
  await press(0);
  expect(entry.last_exit).toMatchObject({ reason: "exit", code: 0 });
  await console.app("start", "sketch");
  await showsPicture(console, "sketch-again");
  expect(await console.app("uninstall", "sketch")).toMatchObject({ status: 200 });
});

test("plot shows a temperature, a voltage and what is missing, and records into its storage", async () => {
  const connect = (lines: string) => writeFileSync(path.join(state, "pins.txt"), lines);
  const tap = async (bits: number) => {
    const before = await screen();
    await press(bits);
    await anotherScreen(before);
    await press(0);
  };
  connect("lm75 0x48 -3.625\nadc 2 1234\n");
  await installed("plot");
  await console.app("start", "plot");
  await anotherScreen();
  await tap(BUTTON.left); // a value each 50 ms: the width is full after 3 s
  await settled(await screen());
  await showsPicture(console, "plot-temperature");
  await tap(BUTTON.x);
  await settled(await screen());
  await showsPicture(console, "plot-voltage");
  await tap(BUTTON.start);
  const recorded = path.join(state, "lfs/apps/plot/data/recording");
  await expect
    .poll(() => existsSync(recorded) && statSync(recorded).size >= 64, { timeout: LIMIT_MS })
    .toBe(true);
  const bytes = readFileSync(recorded);
  expect([bytes.readInt16LE(0), bytes.readInt16LE(62)]).toEqual([123, 123]);
  await press(BUTTON.a); // pauses, so that nothing but buttons changes the picture
  await settled(await screen());
  await press(0);
  await tap(BUTTON.start);
  await tap(BUTTON.up); // writes it to the card
  const written = readFileSync(path.join(card, "apps/plot/recording.csv"), "utf8");
  expect(written).toBe("1.23\n".repeat(statSync(recorded).size / 2));
  await tap(BUTTON.y); // tells values by Bluetooth
  await tap(BUTTON.a); // measures again
  await expect.poll(() => advertised(path.join(state, "ble")), { timeout: LIMIT_MS }).toBe("1.23 V");
  await press(BUTTON.a);
  await settled(await screen());
  await press(0);
  await tap(BUTTON.b); // deletes what was recorded
  expect(existsSync(recorded)).toBe(false);
  await press(BUTTON.select);
  const entry = await console.until(({ state }) => state === "stopped", "plot");
  await press(0);
  expect(entry.last_exit).toMatchObject({ reason: "exit", code: 0 });
  connect("");
  await console.app("start", "plot");
  await showsPicture(console, "plot-no-sensor");
  expect(await console.app("uninstall", "plot")).toMatchObject({ status: 200 });
});

test("snake, in Python, shows its score, is played with the buttons, and leaves with its uninstall", async () => {
  await installed("snake");
  await console.app("start", "snake");
  await showsPicture(console, "snake");
  const waiting = await screen();
  await press(BUTTON.a);
  const playing = await anotherScreen(waiting);
  await press(0);
  await anotherScreen(waiting, playing); // it moves by itself
  await press(BUTTON.select);
  const entry = await console.until(({ state }) => state === "stopped", "snake");
  await press(0);
  expect(entry.last_exit).toMatchObject({ reason: "exit", code: 0 });
  expect(await console.app("uninstall", "snake")).toMatchObject({ status: 200 });
});

test("beats plays the notes that are put, at its pace, and keeps them", async () => {
  const tap = async (bits: number) => {
    const before = await screen();
    await press(bits);
    await anotherScreen(before);
    await press(0);
  };
  await installed("beats");
  await console.app("start", "beats");
  await showsPicture(console, "beats");
  await tap(BUTTON.right);
  await tap(BUTTON.down);
  const silent = await heard();
  await tap(BUTTON.a); // is heard while the music pauses
  await expect.poll(heard, { timeout: LIMIT_MS }).toBeGreaterThan(silent);
  await tap(BUTTON.x);
  await showsPicture(console, "beats-changed");
  const before = await heard();
  await tap(BUTTON.start);
  await expect.poll(heard, { timeout: LIMIT_MS }).toBeGreaterThan(before + 16_000);
  await press(BUTTON.select);
  await console.until(({ state }) => state === "stopped", "beats");
  await press(0);
  await console.app("start", "beats");
  await tap(BUTTON.right);
  await tap(BUTTON.down);
  await showsPicture(console, "beats-changed");
  expect(await console.app("uninstall", "beats")).toMatchObject({ status: 200 });
});

test.skipIf(lacksCompiler("rust"))(
  "comets, in Rust, shows its title, is played and heard, and keeps its best score",
  async () => {
    await installed("comets");
    await console.app("start", "comets");
    await showsPicture(console, "comets");
    const silent = await heard();
    await press(BUTTON.a);
    await press(0);
    await press(BUTTON.a);
    await expect.poll(heard, { timeout: LIMIT_MS }).toBeGreaterThan(silent);
    await press(BUTTON.select);
    const entry = await console.until(({ state }) => state === "stopped", "comets");
    await press(0);
    expect(entry.last_exit).toMatchObject({ reason: "exit", code: 0 });
    expect(await console.app("uninstall", "comets")).toMatchObject({ status: 200 });
  },
);
