/** What the user chooses on the console (docs/spec/home.md#settings). */
import { expect, test } from "vitest";
import { Preferences } from "../../../../device/services/preferences/preferences.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";

const open = (storage = new EmulatedStorage(), isAutomaticFirst = false) =>
  new Preferences(new Settings(storage.keyValue), isAutomaticFirst);

test("Before anything was chosen, no app starts, and updates are as the firmware was built", () => {
  expect(open().body).toEqual({ start_app: "", updates: "ask" });
  expect(open(new EmulatedStorage(), true).body).toEqual({ start_app: "", updates: "automatic" });
});

test("What is chosen stays, and what is not given stays as it was", () => {
  const storage = new EmulatedStorage();
  open(storage).change("clock", undefined);
  open(storage).change(undefined, "automatic");
  expect(open(storage).body).toEqual({ start_app: "clock", updates: "automatic" });
  open(storage).change("*", "ask");
  expect(open(storage, true).body).toEqual({ start_app: "*", updates: "ask" });
  open(storage).change("", undefined);
  expect(open(storage).startApp).toBe("");
});

test.each([
  ["no app name", "a/b", undefined],
  ["neither of the ways to update", "clock", "never"],
])("%s is a bad parameter, and changes nothing", (_name, startApp, updates) => {
  const preferences = open();
  expect(() => preferences.change(startApp, updates)).toThrow(
    expect.objectContaining({ code: "bad_parameter" }),
  );
  expect(preferences.body).toEqual({ start_app: "", updates: "ask" });
});

test("Power lost during a change leaves each setting as it was or as it was to be", async () => {
  await sweepPowerCuts({
    prepare: (storage) => open(storage).change("clock", "ask"),
    act: (storage) => open(storage).change("bricks", "automatic"),
    check(storage, isDone) {
      const { start_app, updates } = open(storage).body;
      expect(isDone ? ["bricks"] : ["clock", "bricks"]).toContain(start_app);
      expect(isDone ? ["automatic"] : ["ask", "automatic"]).toContain(updates);
    },
  });
});
