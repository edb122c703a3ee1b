/** The player's page in Chromium: its controls, and apps and pages that mean ill (docs/spec/web-player.md). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { violations, walkByKeyboard } from "../hosts/accessibility.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { PageServer } from "../hosts/page-server.js";
import { PlayerPage } from "../hosts/player-page.js";
import { unreachablePads } from "../hosts/reached-pads.js";

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
});
beforeEach(() => player?.page.setViewportSize({ width: 1280, height: 800 }));

const CAPABILITIES = ["display.write", "gpio.read", "storage.read", "storage.write", "sound.play"];
const IMPORTS = `
  (import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_flush" (func $flush (result i32)))
  (import "svc" "storage_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "svc" "sound_tone" (func $tone (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "sound_play" (func $play (param i32 i32) (result i32)))`;
/** Logs the five bytes at 0. */
const LOG = "(drop (call $log (i32.const 1) (i32.const 0) (i32.const 5)))";
const START = `(memory 1) (data (i32.const 0) "began")`;

const packageWith = async (fields: string, more: object = {}) =>
  packageOf(await moduleOf(`(module ${IMPORTS} ${fields})`), { capabilities: CAPABILITIES, ...more });

const SLEEPING = `${START} (func (export "main") ${LOG} (loop (drop (call $sleep (i32.const 100))) (br 0)))`;

const button = (name: string) => player.page.getByRole("button", { name, exact: true });
const says = (text: string | RegExp) => player.page.getByText(text).first().waitFor();

async function started(fields: string, more: object = {}): Promise<void> {
  player.play(await packageWith(fields, more));
  await player.logged("began");
}

/**
 * Presses Stop, and waits until the page has told of it, lest that were taken for the end of the next app.
 * @returns milliseconds until the page says that the app has ended, as the page measures them
 */
async function stopped(): Promise<number> {
  const { endings } = player;
  const tookMs = await player.page.evaluate(async () => {
    const began = performance.now();
    const buttons = [...document.querySelectorAll("button")];
    buttons.find(({ textContent }) => textContent === "Stop")?.click();
    while (!document.body.innerText.includes("The app was stopped"))
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - began;
  });
  await expect.poll(() => player.endings).toBeGreaterThan(endings);
  return tookMs;
}

describe.skipIf(missesChromium)("The player", () => {
  test("starts, pauses, goes on, stops and starts again", async () => {
    await started(`${START} (func (export "main")
      (loop ${LOG} (drop (call $sleep (i32.const 10))) (br 0)))`);
    await button("Pause").click();
    await player.page.waitForTimeout(200);
    const paused = player.lines.length;
    await player.page.waitForTimeout(300);
    expect(player.lines.length).toBe(paused);
    await says("Paused");
    await button("Pause").click();
    await expect.poll(() => player.lines.length).toBeGreaterThan(paused);
    await stopped();
    await button("Run again").click();
    await expect.poll(() => button("Stop").isEnabled()).toBe(true);
    await stopped();
  });

  test("shows the trap of an app with the functions on the stack", async () => {
    player.play(
      await packageWith(`(func $divide (param i32) (result i32) (i32.div_u (i32.const 1) (local.get 0)))
        (func $main (export "main") (drop (call $divide (i32.const 0))))`),
    );
    await says("The app was ended by a trap: integer divide by zero");
    await says(/^divide@[0-9a-f]+ < main@[0-9a-f]+$/);
  });

  test("refuses what a console refuses, in its words", async () => {
    player.play(await packageWith(`(func (export "main"))`, { capabilities: [] }));
    await says(/The app was not started: Cannot import "svc.display_fill": the manifest does not declare/);
    player.play(new Uint8Array(100));
    await says("The file is not a package (.svcpkg)");
    player.play((await packageWith(`(func (export "main"))`)).subarray(0, 200));
    await says(/The app was not started: /);
  });

  test("is used by keyboard alone, is clean to axe, and fits from 320 to 1920 pixels", async () => {
    await started(SLEEPING);
    expect(await violations(player.page)).toEqual([]);
    await player.page.locator("body").click({ position: { x: 2, y: 2 } });
    expect(await walkByKeyboard(player.page)).toEqual({ missed: [], unmarked: [] });
    for (const width of [320, 375, 768, 1024, 1920]) {
      await player.page.setViewportSize({ width, height: 800 });
      const over = await player.page.evaluate(() => {
        const inside = document.querySelector(".handheld")?.getBoundingClientRect();
        const pads = [...document.querySelectorAll(".pad")].map((pad) => pad.getBoundingClientRect());
        const outside = pads.map(({ left, right }) =>
          Math.max((inside?.left ?? 0) - left, right - (inside?.right ?? 0)),
        );
        return Math.max(document.documentElement.scrollWidth - innerWidth, ...outside);
      });
      expect([width, Math.max(0, over)]).toEqual([width, 0]);
    }
    const [shown, ratio] = await player.page.evaluate(() => {
      const { width } = (document.querySelector("canvas") as HTMLCanvasElement).getBoundingClientRect();
      return [width, devicePixelRatio];
    });
    expect((shown * ratio) % 240).toBe(0);
    await stopped();
  });

  const ON_THEIR_SIDE = [
    [568, 320],
    [667, 375],
    [740, 360],
    [844, 390],
    [932, 430],
  ] as const;
  test.each(ON_THEIR_SIDE)(
    "has all of its buttons within reach of a telephone on its side, %i by %i pixels",
    async (width, height) => {
      await player.page.setViewportSize({ width, height });
      await started(SLEEPING);
      expect(await unreachablePads(player.page)).toEqual([]);
      await stopped();
    },
  );

  test("plays what an app plays once the user has clicked, until it is muted", async () => {
    await player.page.evaluate(() => {
      const heard = { pieces: 0, peak: 0 };
      const { start } = AudioBufferSourceNode.prototype;
      AudioBufferSourceNode.prototype.start = function (...when) {
        heard.pieces++;
        heard.peak = Math.max(heard.peak, ...(this.buffer?.getChannelData(0) ?? []));
        start.apply(this, when);
      };
      Object.assign(globalThis, { heard });
    });
    const heard = () =>
      player.page.evaluate(
        () => (globalThis as unknown as { heard: { pieces: number; peak: number } }).heard,
      );
    await started(
      `${START} (func (export "main") ${LOG} (loop
        (drop (call $tone (i32.const 0) (i32.const 440) (i32.const 440) (i32.const 400) (i32.const 100) (i32.const 0)))
        (drop (call $sleep (i32.const 300))) (br 0)))`,
    );
    await player.page.getByRole("application").click();
    await expect.poll(async () => (await heard()).peak).toBeCloseTo(0.25, 2);
    await button("Mute").click();
    const { pieces } = await heard();
    await player.page.waitForTimeout(400);
    expect((await heard()).pieces).toBeLessThanOrEqual(pieces + 1);
    await button("Mute").click();
    await expect.poll(async () => (await heard()).pieces).toBeGreaterThan(pieces + 5);
    await stopped();
  });

  test("an app that is hidden is not in front", async () => {
    await started(`${START} (func (export "main") (result i32) ${LOG}
      (loop (drop (call $sleep (i32.const 5))) (br_if 0 (i32.eqz (call $flush))))
      (call $flush))`);
    await player.page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    expect(await player.ending()).toBe("exit -16");
    await player.page.evaluate(() => {
      Reflect.deleteProperty(document, "visibilityState");
      document.dispatchEvent(new Event("visibilitychange"));
    });
  });
});

describe.skipIf(missesChromium)("A hostile app", () => {
  const ENDLESS = [
    { name: "computes", body: "(br 0)" },
    {
      name: "draws",
      body: "(drop (call $fill (i32.const 0) (i32.const 0) (i32.const 240) (i32.const 320) (i32.const 7))) (drop (call $flush)) (br 0)",
    },
    { name: "logs", body: `${LOG} (br 0)` },
    {
      name: "stores 64 KiB",
      body: "(drop (call $write (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 65536))) (br 0)",
    },
    { name: "grows its memory", body: "(drop (memory.grow (i32.const 1))) (br 0)" },
    {
      name: "fills 4 MiB",
      body: "(drop (memory.grow (i32.const 63))) (memory.fill (i32.const 64) (i32.const 7) (i32.const 4000000)) (br 0)",
    },
    {
      name: "makes sound",
      body: `(drop (call $tone (i32.const 0) (i32.const 20) (i32.const 8000) (i32.const 60000) (i32.const 100) (i32.const 3)))
        (drop (call $play (i32.const 0) (i32.const 32768))) (br 0)`,
    },
    { name: "sleeps", body: "(drop (call $sleep (i32.const 0x7fffffff))) (br 0)" },
  ];
  test.each(ENDLESS)(
    "that $name without end ends within a second, and the page answers meanwhile",
    async ({ body }) => {
      await started(`${START} (func (export "main") ${LOG} (loop ${body}))`, {
        memory_quota: 4 * 1024 * 1024,
      });
      await player.page.waitForTimeout(300);
      await player.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      expect(await stopped()).toBeLessThan(1000);
    },
  );

  test("that logs without end leaves 500 lines in the page, and says how many are lost", async () => {
    await started(`${START} (func (export "main") (loop ${LOG} (br 0)))`);
    await player.page.waitForTimeout(1500);
    await stopped();
    expect(await player.page.locator(".player-line").count()).toBe(500);
    await says(/lines lost/);
  });

  test("stores in its own entry alone, no more than its share, and the page keeps clear of other storage", async () => {
    await started(`${START} (func (export "main") ${LOG}
      (drop (call $write (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 65536))))`);
    await player.ending();
    await expect.poll(() => player.keptValues()).toEqual([["dev/tetris", 65_550]]);
    expect(await player.page.evaluate(() => localStorage.length)).toBe(0);
  });

  test("has a worker that reaches nothing, if it could run scripts", async () => {
    const [worker] = await Promise.all([
      player.page.waitForEvent("worker"),
      player.page.evaluate(() => {
        Object.assign(globalThis, { idle: new Worker("app-worker.js", { type: "module" }) });
      }),
    ]);
    await expect.poll(() => worker.evaluate(() => typeof fetch)).toBe("undefined");
    const reached = await worker.evaluate(() => {
      const names = [
        ...[
          "fetch",
          "XMLHttpRequest",
          "WebSocket",
          "WebTransport",
          "EventSource",
          "importScripts",
          "indexedDB",
        ],
        ...["caches", "BroadcastChannel", "navigator", "Worker", "SharedWorker", "cookieStore", "location"],
        ...["Notification", "FileReaderSync", "RTCPeerConnection", "setTimeout", "queueMicrotask", "storage"],
      ];
      return names.filter((name) => name in globalThis);
    });
    expect(reached).toEqual([]);
    const loaded = await worker.evaluate(`import("./player.js").then(() => "loaded", () => "refused")`);
    expect(loaded).toBe("refused");
    await player.page.evaluate(() => (globalThis as unknown as { idle: Worker }).idle.terminate());
  });
});

describe.skipIf(missesChromium)("A page of another origin", () => {
  test("neither embeds the player, nor reads the app, nor reports for it, nor keeps hold of it", async () => {
    await started(SLEEPING);
    const foreign = await PageServer.ofPage("<p>foreign</p>");
    const page = await player.page.context().newPage();
    try {
      await page.goto(foreign.origin);
      const outcome = await page.evaluate(async (address) => {
        const tried = (work: Promise<unknown>) =>
          work.then(
            () => "done",
            () => "refused",
          );
        const frame = document.createElement("iframe");
        frame.src = address;
        document.body.append(frame);
        await new Promise((resolve) => {
          frame.onload = resolve;
        });
        const opened = window.open(address);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return {
          read: await tried(fetch(`${address}app.svcpkg`)),
          script: await tried(
            new Promise((resolve, reject) => {
              const script = document.createElement("script");
              script.src = `${address}player.js`;
              script.onload = resolve;
              script.onerror = reject;
              document.body.append(script);
            }),
          ),
          posted: await tried(fetch(`${address}report`, { method: "POST", mode: "no-cors", body: "{}" })),
          frame: frame.contentDocument === null,
          isOut: opened === null || opened.closed,
        };
      }, player.server.address);
      expect(outcome).toEqual({
        read: "refused",
        script: "refused",
        posted: "refused",
        frame: true,
        isOut: true,
      });
      const framed = page.frames().find((frame) => frame !== page.mainFrame());
      expect(await framed?.locator("#player").count()).toBe(0);
    } finally {
      await page.close();
      await foreign.close();
    }
  });
});
