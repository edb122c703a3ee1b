/**
 * What `svc app new` makes, in each language, and the examples, in the player: with the same pictures as on a console, which are
 * kept in host-tests/device/apps/pictures.
 */
import { cpSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { LANGUAGES } from "../../../sdk/languages.js";
import { newApp } from "../../../sdk/new-app.js";
import { type ButtonName, keyOf } from "../../../web/panels/screen/buttons.js";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { PlayerPage } from "../hosts/player-page.js";

const examples = path.join(import.meta.dirname, "../../../sdk/examples");
const pictures = path.join(import.meta.dirname, "../../device/apps/pictures");
const LIMIT_MS = 60_000;

const temporary = temporaryDirectory();
let chromium: Chromium;
let player: PlayerPage;
beforeAll(async () => {
  if (missesChromium) return;
  chromium = await Chromium.launch();
  player = await PlayerPage.open(chromium.browser);
});
afterAll(async () => {
  await player?.close();
  await chromium?.close();
  temporary.remove();
});
afterEach(() => player?.forgetValues());

const shows = (name: string) =>
  expect
    .poll(() => player.differencesFrom(path.join(pictures, `${name}.png`)), { timeout: LIMIT_MS })
    .toBe(0);

const down = (name: ButtonName) => player.page.keyboard.down(keyOf(name).key);
const up = (name: ButtonName) => player.page.keyboard.up(keyOf(name).key);

/** Waits until the picture is another one. */
async function changed(before: number): Promise<number> {
  await expect.poll(() => player.screen(), { timeout: LIMIT_MS }).not.toBe(before);
  return player.screen();
}

/** The time of the console's kept picture, for the worker. */
const CLOCK_AT = `Date.now=()=>${Date.UTC(2026, 10, 26, 8, 41, 45)};Date.prototype.getTimezoneOffset=()=>-60`;

/** Several frames of an app. */
const SETTLED_MS = 250;

/** Waits until the picture stays as it is. */
async function settled(): Promise<void> {
  for (let last = await player.screen(); ; ) {
    await player.page.waitForTimeout(SETTLED_MS);
    const next = await player.screen();
    if (next === last) return;
    last = next;
  }
}

/** Holds buttons until nothing moves any more. */
async function hold(...names: readonly ButtonName[]): Promise<void> {
  const before = await player.screen();
  for (const name of names) await down(name);
  await changed(before);
  await settled();
  for (const name of names) await up(name);
}

async function ends(): Promise<void> {
  await down("select");
  expect(await player.ending()).toBe("exit 0");
  await up("select");
}

/** Builds write files for editors beside the sources. */
function exampleCopy(name: string): string {
  const directory = path.join(temporary.path, "examples", name);
  cpSync(path.join(examples, name), directory, { recursive: true });
  return directory;
}

async function play(directory: string): Promise<void> {
  player.play((await buildApp(directory)).package);
  await player.started();
  await player.page.getByRole("application").focus();
}

for (const lang of LANGUAGES)
  describe.skipIf(missesChromium || lacksCompiler(lang))(`A new app in ${lang}, in the player`, () => {
    test("shows its square, and ends by select", { timeout: RUNTIME_TIMEOUT_MS }, async () => {
      const directory = path.join(temporary.path, lang, "square");
      await newApp(directory, lang);
      await play(directory);
      await shows("square");
      await ends();
    });
  });

describe.skipIf(missesChromium)("In the player", { timeout: RUNTIME_TIMEOUT_MS }, () => {
  test("sketch draws what is set by buttons, keeps it, and shows it again at its next start", async () => {
    await play(exampleCopy("sketch"));
    await settled();
    const tap = async (name: ButtonName) => {
      const before = await player.screen();
      await down(name);
      await changed(before);
      await up(name);
      await settled();
    };
    await tap("x");
    await tap("a");
    await hold("left");
    await tap("a");
    await tap("y");
    await tap("x");
    await tap("x");
    await hold("up");
    await tap("a");
    await hold("right", "down");
    await tap("a");
    await shows("sketch");
    await ends();
    await play(exampleCopy("sketch"));
    await shows("sketch-again");
    await ends();
  });

  test("snake, in Python, is played with the buttons", async () => {
    await play(exampleCopy("snake"));
    await shows("snake");
    const waiting = await player.screen();
    await down("a");
    const playing = await changed(waiting);
    await up("a");
    await changed(playing); // it moves by itself
    await ends();
  });

  test("plot says that there is no sensor", async () => {
    await play(exampleCopy("plot"));
    await shows("plot-no-sensor");
    await ends();
  });

  test("notice says that a browser cannot ask", async () => {
    await play(exampleCopy("notice"));
    await player.logged("this console cannot ask");
    await ends();
  });

  test.skipIf(isMissing("clang"))(
    "lamp says that a browser makes no pulses, and is dimmed all the same",
    async () => {
      await play(exampleCopy("lamp"));
      await player.logged("cannot make pulses: error -19");
      const half = await player.screen();
      await down("right");
      await changed(half);
      await up("right");
      await ends();
    },
  );

  test.skipIf(isMissing("clang"))("counter keeps its value when it is stopped", async () => {
    for (const count of [1, 2]) {
      await play(exampleCopy("counter"));
      if (count === 1) await shows("counter");
      await down("a");
      await player.logged(`count is ${count}`);
      await up("a");
      await player.page.getByRole("button", { name: "Stop", exact: true }).click();
      await player.ending();
    }
  });

  test("bricks flies its ball", async () => {
    await play(exampleCopy("bricks"));
    await shows("bricks");
    const waiting = await player.screen();
    await down("a");
    await changed(await changed(waiting));
    await up("a");
    await ends();
  });

  test("beats takes the notes that are put, and keeps them", async () => {
    const tap = async (name: ButtonName) => {
      const before = await player.screen();
      await down(name);
      await changed(before);
      await up(name);
    };
    await play(exampleCopy("beats"));
    await shows("beats");
    for (const name of ["right", "down", "a", "x"] as const) await tap(name);
    await shows("beats-changed");
    await ends();
    await play(exampleCopy("beats"));
    await settled();
    for (const name of ["right", "down"] as const) await tap(name);
    await shows("beats-changed");
    await ends();
  });

  test.skipIf(lacksCompiler("rust"))("comets, in Rust, shows its title and is played", async () => {
    await play(exampleCopy("comets"));
    await shows("comets");
    const title = await player.screen();
    await down("a");
    await changed(await changed(title));
    await up("a");
    await ends();
  });

  /** Its picture is another one each minute, and the browser's clock is not the test's to set. */
  test("clock shows the browser's time, in its zone", async () => {
    await player.page.route("**/app-worker.js", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${CLOCK_AT};${await response.text()}` });
    });
    try {
      await play(exampleCopy("clock"));
      await shows("clock");
    } finally {
      await player.page.unroute("**/app-worker.js");
    }
  });
});
