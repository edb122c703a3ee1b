/** The app that starts with the console (docs/spec/home.md#start). */
import { beforeEach, expect, test, vi } from "vitest";
import { StartApp } from "../../../../device/services/apps/start-app.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";

const INSTALLED = ["clock", "bricks"];

let storage: EmulatedStorage;
let chosen: string;

beforeEach(() => {
  storage = new EmulatedStorage();
  chosen = "clock";
});

/** One run of the console. */
function boot() {
  const clock = new EmulatedClock();
  const warning = vi.fn();
  const started: string[] = [];
  const state = {
    front: undefined as string | undefined,
    exit: "trap", // of a run before
    isRunning: true,
  };
  const startApp = new StartApp({
    apps: {
      has: (name) => INSTALLED.includes(name),
      get front() {
        return state.front;
      },
      isRunning: () => state.isRunning,
      lastExit: () => state.exit as ReturnType<ConstructorParameters<typeof StartApp>[0]["apps"]["lastExit"]>,
      start: (name: string) => {
        started.push(name);
        state.front = name;
        startApp.followApps();
        return {} as never;
      },
    },
    preferences: { startApp: chosen },
    settings: new Settings(storage.keyValue),
    timer: clock,
    logger: { debug: vi.fn(), info: vi.fn(), warning, error: vi.fn() },
  });
  /** @param exit how the app ended that was there; it goes on if this is left out */
  const bring = (front: string | undefined, exit?: string) => {
    state.front = front;
    state.isRunning = exit === undefined;
    state.exit = exit ?? state.exit;
    startApp.followApps();
  };
  startApp.begin();
  return { startApp, clock, started, warning, bring };
}

test("No app starts where none is chosen, or the chosen one is not installed", () => {
  chosen = "";
  expect(boot().started).toEqual([]);
  chosen = "tetris";
  expect(boot().started).toEqual([]);
});

test("Which app was last is written only where the user has chosen it", () => {
  const first = boot();
  first.bring("bricks");
  first.startApp.close();
  chosen = "*";
  expect(boot().started).toEqual([]);
});

test("As the last app, none starts if the home screen was in front", () => {
  chosen = "*";
  const first = boot();
  first.bring("bricks");
  first.bring(undefined);
  expect(boot().started).toEqual([]);
});

test("After three runs in which it took the console with it, the home screen is there instead", () => {
  for (let run = 0; run < 3; run++) expect(boot().started).toEqual(["clock"]);
  const { started, warning } = boot();
  expect(started).toEqual([]);
  expect(warning.mock.calls).toEqual([['"clock" is not started: it has failed 3 times in a row']]);
});

test("An app that has failed three times takes nothing from the one after it", () => {
  chosen = "*";
  boot().bring("clock");
  for (let run = 0; run < 3; run++) boot();
  const { started, bring } = boot();
  expect(started).toEqual([]);
  bring("bricks");
  expect(boot().started).toEqual(["bricks"]);
});

test("Traps count in the same way", () => {
  for (let run = 0; run < 3; run++) boot().bring(undefined, "trap");
  expect(boot().started).toEqual([]);
});

test.each([
  ["ran for a minute", (run: ReturnType<typeof boot>) => run.clock.advance(60_000)],
  ["ended by itself", (run: ReturnType<typeof boot>) => run.bring(undefined, "exit")],
  ["was stopped", (run: ReturnType<typeof boot>) => run.bring(undefined, "stopped")],
  ["was left for another", (run: ReturnType<typeof boot>) => run.bring("bricks")],
])("An app that %s has not failed", (_what, goWell) => {
  boot();
  boot();
  goWell(boot());
  for (let run = 0; run < 3; run++) expect(boot().started).toEqual(["clock"]);
});

test("A restart on request before the minute is over counts", () => {
  for (let run = 0; run < 3; run++) boot().startApp.close();
  expect(boot().started).toEqual([]);
});
