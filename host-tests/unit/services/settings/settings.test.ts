import { expect, test } from "vitest";
import { LOG_LEVEL_SETTING, TOKEN_SETTING } from "../../../../device/services/settings/paths.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";

test("Settings keeps values by path, each domain apart", () => {
  const settings = new Settings(new EmulatedStorage().keyValue);
  settings.write("svc/a/name", "one");
  settings.write("svc/b/name", "two");
  expect([settings.read("svc/a/name"), settings.read("svc/b/name")]).toEqual(["one", "two"]);
  settings.delete("svc/a/name");
  settings.delete("svc/a/name");
  expect([settings.read("svc/a/name"), settings.read("svc/b/name")]).toEqual([undefined, "two"]);
});

test("Settings does not wear the flash with what is there already", () => {
  const storage = new EmulatedStorage();
  const settings = new Settings(storage.keyValue);
  settings.write("svc/a/name", "one");
  const operations = storage.operationCount;
  settings.write("svc/a/name", "one");
  expect(storage.operationCount).toBe(operations);
});

for (const path of [TOKEN_SETTING, LOG_LEVEL_SETTING])
  test(`${path} fits the 15 characters that NVS allows a domain and a key`, () => {
    const slash = path.lastIndexOf("/");
    expect(slash).toBeLessThanOrEqual(15);
    expect(path.length - slash - 1).toBeLessThanOrEqual(15);
  });
