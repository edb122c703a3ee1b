/** What the user chooses on the console (docs/spec/home.md#chosen). */
import { expect, test, vi } from "vitest";
import { Preferences } from "../../../../device/services/preferences/preferences.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { Fault } from "../../../../protocol/fault.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";

const open = (storage = new EmulatedStorage(), isAutomaticFirst = false, hasHomeScreen = true) =>
  new Preferences(new Settings(storage.keyValue), { isAutomaticFirst, hasHomeScreen });

const FIRST = {
  start_app: "",
  brightness_percent: 100,
  sleep_after_s: 0,
  updates: "ask",
  utc_offset: "+00:00",
};

test("Before anything was chosen, no app starts, and updates are as the firmware was built", () => {
  expect(open().body).toEqual(FIRST);
  expect(open(new EmulatedStorage(), true).body).toEqual({ ...FIRST, updates: "automatic" });
});

test("What is chosen stays, and what is not given stays as it was", () => {
  const storage = new EmulatedStorage();
  open(storage).change({ startApp: "clock", brightnessPercent: 40 });
  open(storage).change({ updates: "automatic", sleepAfterS: 30, utcOffset: "-03:30" });
  const changed = {
    start_app: "clock",
    brightness_percent: 40,
    sleep_after_s: 30,
    updates: "automatic",
    utc_offset: "-03:30",
  };
  expect(open(storage).body).toEqual(changed);
  open(storage).change({ startApp: "*", updates: "ask" });
  expect(open(storage, true).body).toEqual({ ...changed, start_app: "*", updates: "ask" });
  open(storage).change({ startApp: "", sleepAfterS: 0 });
  expect(open(storage).body).toMatchObject({ start_app: "", sleep_after_s: 0 });
});

test.each([
  ["no app name", { startApp: "a/b" }],
  ["neither of the ways to update", { startApp: "clock", updates: "never" }],
  ["a display that nobody can read", { updates: "automatic", brightnessPercent: 9 }],
  ["more than full brightness", { brightnessPercent: 101 }],
  ["more than a day", { brightnessPercent: 50, sleepAfterS: 86_401 }],
  ["a time zone that there is not", { utcOffset: "+14:01" }],
  ["another one", { utcOffset: "-12:30" }],
  ["minutes without a sign", { utcOffset: "02:00" }],
  ["nothing for a time zone", { utcOffset: "" }],
])("%s is a bad parameter, and changes nothing", (_name, choice) => {
  const preferences = open();
  preferences.onChange = vi.fn();
  expect(() => preferences.change(choice)).toThrow(expect.objectContaining({ code: "bad_parameter" }));
  expect(preferences.body).toEqual(FIRST);
  expect(preferences.onChange).not.toHaveBeenCalled();
});

test("Apps are asked about only where a home screen asks, whatever was chosen before", () => {
  const storage = new EmulatedStorage();
  open(storage).change({ updates: "ask_all" });
  expect(open(storage).updates).toBe("ask_all");
  const without = open(storage, false, false);
  expect(without.updates).toBe("ask");
  expect(() => without.change({ updates: "ask_all" })).toThrow(/has no home screen|without a home screen/);
});

test.each([
  ["+00:00", 0],
  ["+14:00", 840],
  ["-12:00", -720],
  ["-03:30", -210],
])("Local time of %s is %d minutes ahead of UTC", (utcOffset, minutes) => {
  const preferences = open();
  preferences.change({ utcOffset });
  expect(preferences.utcOffsetMin).toBe(minutes);
});

test("Of a change that the storage has no room for, what is chosen is told", () => {
  const written: string[] = [];
  const write = (path: string) => {
    if (written.length > 0) throw new Fault("storage_full", "There is no room");
    written.push(path);
  };
  const settings = { read: () => undefined, write, delete: vi.fn() } as unknown as Settings;
  const preferences = new Preferences(settings, { isAutomaticFirst: false, hasHomeScreen: true });
  preferences.onChange = vi.fn();
  expect(() => preferences.change({ startApp: "clock", brightnessPercent: 50 })).toThrow("no room");
  expect([written.length, vi.mocked(preferences.onChange).mock.calls.length]).toEqual([1, 1]);
});

test("Power lost during a change leaves each setting as it was or as it was to be", async () => {
  await sweepPowerCuts({
    prepare: (storage) => open(storage).change({ startApp: "clock", updates: "ask" }),
    act: (storage) => open(storage).change({ startApp: "bricks", updates: "automatic" }),
    check(storage, isDone) {
      const { start_app, updates } = open(storage).body;
      expect(isDone ? ["bricks"] : ["clock", "bricks"]).toContain(start_app);
      expect(isDone ? ["automatic"] : ["ask", "automatic"]).toContain(updates);
    },
  });
});
