/** What apps store (docs/spec/app-abi-and-quotas.md#storage-limit). */
import { expect, test } from "vitest";
import { APP_DATA_LIMIT_BYTES, APP_KEYS_LIMIT, AppData } from "../../../../device/services/apps/app-data.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";

const zeros = (byteLength: number) => ({
  byteLength,
  read: (into: Uint8Array, offset: number) => Math.min(into.length, byteLength - offset),
});
const opened = (options?: { capacityBytes: number }) =>
  new AppData(new EmulatedStorage(options).files, "tetris");

test("An app stores a value, reads it, and deletes it", () => {
  const data = opened();
  expect(data.size("score")).toBe(-2);
  expect(data.write("score", zeros(5000))).toBe(0);
  expect(data.size("score")).toBe(5000);
  expect(data.delete("score")).toBe(0);
  expect(data.delete("score")).toBe(-2);
  expect(data.open("score")).toBe(-2);
});

test("An app may store an empty value", () => {
  const data = opened();
  expect(data.write("empty", zeros(0))).toBe(0);
  expect(data.size("empty")).toBe(0);
});

for (const key of ["a/b", "/", "..", ".", ".next", "", "a b", "ä", "a\0", "a".repeat(33)])
  test(`A key ${JSON.stringify(key)} is an invalid argument`, () => {
    const data = opened();
    expect([data.size(key), data.open(key), data.write(key, zeros(1)), data.delete(key)]).toEqual([
      -22, -22, -22, -22,
    ]);
  });

test("A value may have 64 KiB, and no more", () => {
  const data = opened();
  expect(data.write("all", zeros(APP_DATA_LIMIT_BYTES + 1))).toBe(-28);
  expect(data.size("all")).toBe(-2);
  expect(data.write("all", zeros(APP_DATA_LIMIT_BYTES))).toBe(0);
  expect(data.write("more", zeros(1))).toBe(-28);
});

test("A replaced value no longer counts", () => {
  const data = opened();
  expect(data.write("all", zeros(APP_DATA_LIMIT_BYTES))).toBe(0);
  expect(data.write("all", zeros(APP_DATA_LIMIT_BYTES))).toBe(0);
});

test("An app has at most as many keys as fit in flash", () => {
  const data = opened();
  for (let number = 0; number < APP_KEYS_LIMIT; number++) expect(data.write(`k${number}`, zeros(1))).toBe(0);
  expect(data.write("one-more", zeros(1))).toBe(-28);
  expect(data.write("k0", zeros(2))).toBe(0);
});

test("On a full medium nothing is stored, and the old value stays", () => {
  const data = opened({ capacityBytes: 12 * 4096 });
  expect(data.write("old", zeros(4096))).toBe(0);
  expect(data.write("old", zeros(60_000))).toBe(-28);
  expect(data.size("old")).toBe(4096);
});

test("Apps do not see values of other apps", () => {
  const { files } = new EmulatedStorage();
  new AppData(files, "tetris").write("score", zeros(1));
  expect(new AppData(files, "snake").size("score")).toBe(-2);
});
