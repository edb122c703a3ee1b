/** The player where a browser lacks a part, or has one that fails: apps run all the same (docs/spec/web-player.md). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { PlayerPage } from "../hosts/player-page.js";

let chromium: Chromium;
let player: PlayerPage;
beforeAll(async () => {
  if (!missesChromium) chromium = await Chromium.launch();
});
afterEach(() => player?.close());
afterAll(() => chromium?.close());

/** Plays a tone, waits, fills the display with white, stores a value, and asks for A until it is down. */
const APP = `(module
  (import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (import "svc" "buttons" (func $buttons (result i32)))
  (import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_flush" (func $flush (result i32)))
  (import "svc" "storage_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "svc" "sound_tone" (func $tone (param i32 i32 i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "began")
  (func (export "main")
    (drop (call $log (i32.const 1) (i32.const 0) (i32.const 5)))
    (drop (call $tone (i32.const 0) (i32.const 440) (i32.const 440) (i32.const 5000) (i32.const 100) (i32.const 0)))
    (drop (call $sleep (i32.const 300)))
    (drop (call $write (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 5)))
    (drop (call $fill (i32.const 0) (i32.const 0) (i32.const 240) (i32.const 320) (i32.const 65535)))
    (drop (call $flush))
    (loop (drop (call $sleep (i32.const 10))) (br_if 0 (i32.eqz (i32.and (call $buttons) (i32.const 16)))))))`;
const CAPABILITIES = ["display.write", "gpio.read", "storage.read", "storage.write", "sound.play"];

const started = async (change: () => void): Promise<void> => {
  player = await PlayerPage.open(chromium.browser, change);
  player.play(packageOf(await moduleOf(APP), { capabilities: CAPABILITIES }));
  await player.logged("began");
};

const isWhite = async () => (await player.picture()).rgb.every((value) => value === 255);

describe.skipIf(missesChromium)("An app is seen and played in a browser", () => {
  const SOUNDLESS = [
    { that: "has no AudioContext", change: () => void Reflect.deleteProperty(globalThis, "AudioContext") },
    {
      that: "has no room for an AudioContext",
      change: () =>
        Object.assign(globalThis, {
          AudioContext: class {
            constructor() {
              throw new DOMException("No hardware contexts", "NotSupportedError");
            }
          },
        }),
    },
    {
      that: "does not know the rate of the samples",
      change: () =>
        Object.assign(AudioContext.prototype, {
          createBuffer: () => {
            throw new DOMException("The rate is not supported", "NotSupportedError");
          },
        }),
    },
    {
      that: "lets no page resume its sound",
      change: () =>
        Object.assign(AudioContext.prototype, {
          resume: () => Promise.reject(new DOMException("Not allowed", "NotAllowedError")),
        }),
    },
    {
      that: "has no game controllers",
      change: () =>
        Object.defineProperty(Navigator.prototype, "getGamepads", {
          value: () => {
            throw new DOMException("Blocked by policy", "SecurityError");
          },
        }),
    },
  ];
  test.each(SOUNDLESS)("that $that", async ({ change }) => {
    await started(change);
    const errors: Error[] = [];
    player.page.on("pageerror", (error) => errors.push(error));
    await player.page.getByRole("application").click();
    await expect.poll(isWhite).toBe(true);
    await player.page.keyboard.press("z", { delay: 100 });
    expect(await player.ending()).toBe("exit 0");
    expect(errors).toEqual([]);
  });

  const UNKEPT = [
    {
      that: "whose database never answers",
      change: () => {
        IDBFactory.prototype.open = () => ({}) as IDBOpenDBRequest;
      },
    },
    {
      that: "that blocks its database",
      change: () => {
        IDBFactory.prototype.open = () => {
          throw new DOMException("Blocked", "SecurityError");
        };
      },
    },
    { that: "that has no database", change: () => void Reflect.deleteProperty(globalThis, "indexedDB") },
  ];
  test.each(UNKEPT)("$that, and the page says that nothing is stored", async ({ change }) => {
    await started(change);
    await expect.poll(isWhite).toBe(true);
    await player.page.getByText("This browser does not store what the app saves").waitFor();
  });
});

describe.skipIf(missesChromium)("Values that the browser gives late", () => {
  test("are not replaced by those of a run without them", async () => {
    player = await PlayerPage.open(chromium.browser);
    await player.forgetValues(); // makes the database, if the page has not
    player.play(packageOf(await moduleOf(APP), { capabilities: CAPABILITIES }));
    await expect.poll(() => player.keptValues()).toHaveLength(1);
    const kept = await player.keptValues();
    await player.page.addInitScript(() => {
      const { get } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.get = function (key) {
        return Object.defineProperty(get.call(this, key), "result", {
          get: () => {
            throw new DOMException("Reading failed", "DataError");
          },
        });
      };
    });
    const other = APP.replace(
      "(i32.const 5) (i32.const 0) (i32.const 5)))\n    (drop (call $fill",
      "(i32.const 5) (i32.const 0) (i32.const 900)))\n    (drop (call $fill",
    );
    player.play(packageOf(await moduleOf(other), { capabilities: CAPABILITIES }));
    await player.page.reload();
    await expect.poll(isWhite).toBe(true);
    await player.page.getByText("This browser does not store what the app saves").waitFor();
    expect(await player.keptValues()).toEqual(kept);
  });
});

describe.skipIf(missesChromium)("A game controller", () => {
  test("that is held while the page loses the focus, or vanishes, holds nothing more", async () => {
    await started(() => {
      const pad = {
        index: 0,
        mapping: "standard",
        connected: true,
        axes: [0, 0],
        buttons: [{}, { pressed: true }],
      };
      Object.assign(globalThis, { pads: [pad] });
      Navigator.prototype.getGamepads = () => (globalThis as unknown as { pads: Gamepad[] }).pads;
    });
    expect(await player.ending()).toBe("exit 0"); // which takes A
    const held = player.page.locator('[data-button="a"].pad-held');
    await held.waitFor();
    const frames = () =>
      player.page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      );
    await player.page.evaluate(() => window.dispatchEvent(new Event("blur")));
    await frames();
    expect(await held.count()).toBe(0);
    await player.page.evaluate(() => {
      const [pad] = (globalThis as unknown as { pads: { buttons: object[] }[] }).pads;
      if (pad) pad.buttons = [{ pressed: true }];
    });
    const heldB = player.page.locator('[data-button="b"].pad-held');
    await heldB.waitFor();
    await player.page.evaluate(() => void (globalThis as unknown as { pads: object[] }).pads.pop());
    await heldB.waitFor({ state: "detached" });
  });
});
