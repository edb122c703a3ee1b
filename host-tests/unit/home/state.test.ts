/** The home screen and the state of the console: settings, the line on top, and what is asked for again. */
import { beforeAll, describe, expect, test } from "vitest";
import { APPS, HUB, SETTINGS, STATUS, SYSTEM } from "../../../device/home/app/parts.js";
import { ConsoleModel, failure } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, runHome } from "./home-app.js";
import type { HomeHost, Script } from "./home-host.js";
import { changedArea } from "./pictures.js";
import { posts, setting, times } from "./presses.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

const run = (script: (host: HomeHost) => Script, model?: ConsoleModel) => runHome(module, script, model);

test("The mark of a plug is shown while a program of a USB host has the port open", () => {
  run(function* (host) {
    const before = host.shown.slice();
    host.model.isUsbConnected = true;
    host.model.changed(SYSTEM);
    yield 1000;
    const { left, right, bottom } = changedArea(before, host.shown);
    expect(left).toBeGreaterThanOrEqual(88);
    expect(right).toBeLessThan(104);
    expect(bottom).toBeLessThan(22);
    host.model.isUsbConnected = false;
    host.model.changed(SYSTEM);
    yield 1000;
    expect(host.shown).toEqual(before);
  });
});

// docs/spec/home.md#storage-page
test("The page of the storage tells what the start has found on the SD card, and that there is more", () => {
  const model = new ConsoleModel(fourApps());
  model.cardApps = { files: 64, refused: 2, more: true };
  run(function* (host) {
    yield* host.press(...setting(4));
    yield 500;
    for (const text of ["SD card files: 64", "refused: 2", "More were left"])
      expect(host.shows(text)).toBe(true);
  }, model);
});

describe("settings", () => {
  test.each([
    [[...setting(6), "left"], "POST /api/settings?brightness_percent=90"],
    [[...setting(6), "a"], "POST /api/settings?brightness_percent=10"],
    [[...setting(6), "down", "right"], "POST /api/settings?sleep_after_s=30"],
    [[...setting(7), "down", "a"], "POST /api/settings?start_app=%2A"],
    [[...setting(7), "down", "down", "a"], "POST /api/settings?start_app=bricks"],
    [[...setting(7), "a"], "POST /api/settings?start_app="],
    [[...setting(8), "down", "a"], "POST /api/settings?updates=automatic"],
    [[...setting(8), "down", "down", "a"], "POST /api/settings?updates=ask_all"],
  ] as const)("%o send %s", (presses, request) => {
    const { model } = run((host) => host.press(...presses));
    expect(posts(model)).toEqual([request]);
  });

  test("that another client changes are shown within a second", () => {
    run(function* (host) {
      yield* host.press(...setting(6));
      expect(host.shows("100 %")).toBe(true);
      host.model.settings["brightness_percent"] = 40;
      host.model.changed(SETTINGS);
      yield 1000;
      expect(host.shows("40 %")).toBe(true);
    });
  });

  test("start another app than the one under the cursor for no change of the list", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(7), "down", "down");
      host.model.apps.shift();
      host.model.changed(APPS);
      yield 1000;
      yield* host.press("a");
    });
    expect(posts(model)).toEqual(["POST /api/settings?start_app="]);
  });

  test("reset the console only after two questions", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(10), "a", "a", "down", "a", "a");
      expect(posts(host.model)).toEqual([]);
      yield* host.press("a", "down", "a", "down", "a");
      expect(host.shows("The console restarts")).toBe(true);
    });
    expect(posts(model)).toEqual(["POST /api/factory-reset"]);
  });
});

describe("the console's state", () => {
  test("is asked for again only after a change, but the status every 10 s", () => {
    const { model } = run(function* (host) {
      host.model.requests.length = 0;
      yield 30_000;
    });
    expect(model.requests).toEqual(times(3, "a").map(() => "GET /api/status"));
  });

  test("is asked for again a second after the console was busy", () => {
    const model = new ConsoleModel(fourApps());
    model.instead.set("GET /api/apps/list", failure(503, "busy", "Busy"));
    run(function* (host) {
      expect(host.shows("No apps yet")).toBe(true);
      host.model.instead.clear();
      yield 1500;
      expect(host.shows("clock")).toBe(true);
    }, model);
  });

  test("stays as it was when an answer fails", () => {
    run(function* (host) {
      for (const answer of [
        -16,
        -22,
        failure(500, "internal_error", "A bug"),
        { status: 200, body: new Uint8Array() },
      ])
        for (const path of ["GET /api/apps/list", "GET /api/status", "GET /api/hub"]) {
          host.model.instead.set(path, answer);
          host.model.changed(APPS | STATUS | HUB);
          yield 2500;
          expect(host.shows("clock"), `${path} ${JSON.stringify(answer)}`).toBe(true);
        }
    });
  });

  test("flushes nothing for a minute but the clock", () => {
    run(function* (host) {
      const { flushes } = host;
      yield 60_000;
      expect(host.flushes - flushes).toBe(1);
    });
  });

  test.each([...Array(10).keys()])("flushes nothing in setting %i, either", (row) => {
    run(function* (host) {
      yield* host.press(...setting(row));
      yield 3000;
      const { flushes } = host;
      yield 50_000;
      expect(host.flushes - flushes).toBeLessThanOrEqual(1);
    });
  });
});
