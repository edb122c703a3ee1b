import { expect, test } from "vitest";
import { LOG_LEVEL_SETTING, Settings, TOKEN_SETTING } from "../../../../device/services/settings/settings.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";

test("Settings stores values by path, separately for each domain", () => {
  const settings = new Settings(new EmulatedStorage().keyValue);
  settings.write("svc/a/name", "one");
  settings.write("svc/b/name", "two");
  expect([settings.read("svc/a/name"), settings.read("svc/b/name")]).toEqual(["one", "two"]);
  settings.delete("svc/a/name");
  settings.delete("svc/a/name");
  expect([settings.read("svc/a/name"), settings.read("svc/b/name")]).toEqual([undefined, "two"]);
});

test("Settings does not write an unchanged value", () => {
  const storage = new EmulatedStorage();
  const settings = new Settings(storage.keyValue);
  settings.write("svc/a/name", "one");
  const operations = storage.operationCount;
  settings.write("svc/a/name", "one");
  expect(storage.operationCount).toBe(operations);
});

test("Settings throws when the storage is full, and keeps the old value", () => {
  const written = new Map([["name", "old"]]);
  const domain = {
    read: (key: string) => written.get(key),
    write: () => {
      throw Object.assign(new Error("No space left on device"), { code: "storage_full" });
    },
    delete: () => {},
    close: () => {},
  };
  const settings = new Settings({ open: () => domain });
  expect(() => settings.write("svc/a/name", "new")).toThrow(
    expect.objectContaining({ code: "storage_full" }),
  );
  expect(settings.read("svc/a/name")).toBe("old");
});

for (const path of [TOKEN_SETTING, LOG_LEVEL_SETTING])
  test(`${path} fits the 15 characters that NVS allows for domain and key`, () => {
    const slash = path.lastIndexOf("/");
    expect(slash).toBeLessThanOrEqual(15);
    expect(path.length - slash - 1).toBeLessThanOrEqual(15);
  });
