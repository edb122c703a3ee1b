/** What apps store (docs/spec/app-abi-and-quotas.md#storage-limit). */
import { expect, test } from "vitest";
import { AppData } from "../../../../device/services/apps/app-data.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";

const zeros = (byteLength: number) => ({
  byteLength,
  read: (into: Uint8Array, offset: number) => Math.min(into.length, byteLength - offset),
});
const opened = (options?: { capacityBytes: number }) =>
  new AppData(new EmulatedStorage(options).files, "tetris");

test("On a full medium nothing is stored, and the old value stays", () => {
  const data = opened({ capacityBytes: 12 * 4096 });
  expect(data.write("old", zeros(4096))).toBe(0);
  expect(data.write("old", zeros(60_000))).toBe(-28);
  expect(data.size("old")).toBe(4096);
});

const bytesOf = (text: string) => new TextEncoder().encode(text);

function source(bytes: Uint8Array) {
  const read = (into: Uint8Array, offset: number) => {
    const piece = bytes.subarray(offset, offset + into.length);
    into.set(piece);
    return piece.length;
  };
  return { byteLength: bytes.length, read };
}

function contentOf(data: AppData, key: string): string {
  const file = data.open(key);
  if (typeof file === "number") throw new Error(`"${key}" is ${file}`);
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  file.close();
  return new TextDecoder().decode(bytes);
}

test("A part of a value is written in place, over its end, and at its end; a key that is not there begins empty", () => {
  const data = opened();
  const steps: readonly (readonly [offset: number, text: string, after: string])[] = [
    [-1, "abc", "abc"],
    [-1, "def", "abcdef"],
    [1, "BC", "aBCdef"],
    [4, "EFG", "aBCdEFG"],
    [7, "!", "aBCdEFG!"],
    [0, "", "aBCdEFG!"],
  ];
  for (const [offset, text, after] of steps) {
    expect(data.writeAt("log", offset, source(bytesOf(text)))).toBe(0);
    expect(contentOf(data, "log")).toBe(after);
  }
  expect(data.writeAt("empty", 0, source(bytesOf("")))).toBe(0);
  expect(data.size("empty")).toBe(0);
});

test("A part longer than a slice arrives whole, wherever it begins", () => {
  const data = opened();
  const long = "0123456789".repeat(700);
  expect(data.write("long", source(bytesOf("x".repeat(5000))))).toBe(0);
  expect(data.writeAt("long", 3000, source(bytesOf(long)))).toBe(0);
  expect(contentOf(data, "long")).toBe("x".repeat(3000) + long);
});

test("On a full medium a part leaves the old value, or no key", () => {
  const data = opened({ capacityBytes: 12 * 4096 });
  expect(data.write("old", source(bytesOf("abc")))).toBe(0);
  expect(data.writeAt("old", 1, zeros(60_000))).toBe(-28);
  expect(contentOf(data, "old")).toBe("abc");
  expect(data.writeAt("new", -1, zeros(60_000))).toBe(-28);
  expect(data.size("new")).toBe(-2);
});

test("Keys are listed in alphabetical order, without a value that is being written", () => {
  const { files } = new EmulatedStorage();
  const data = new AppData(files, "tetris");
  expect(data.keys).toEqual([]);
  for (const key of ["b", "a.txt", "C"]) data.write(key, zeros(1));
  files.openFile({ path: "apps/tetris/data/.next", mode: "w" }).close();
  expect(data.keys).toEqual(["C", "a.txt", "b"]);
});

test("Power lost at any operation of a write in place leaves what is before it, old or new bytes, then a beginning", async () => {
  const [before, part] = ["keep-OLD", "new-appended"];
  const operations = await sweepPowerCuts({
    prepare: (storage) =>
      void expect(new AppData(storage.files, "tetris").write("log", source(bytesOf(before)))).toBe(0),
    act: (storage) => void new AppData(storage.files, "tetris").writeAt("log", 5, source(bytesOf(part))),
    check: (storage, isDone) => {
      const left = contentOf(new AppData(storage.files, "tetris"), "log");
      const whole = `keep-${part}`;
      if (isDone) expect(left).toBe(whole);
      expect(left.length).toBeGreaterThanOrEqual(before.length);
      for (let index = 0; index < left.length; index++)
        expect([before[index], whole[index]]).toContain(left[index]);
      expect(left.slice(before.length)).toBe(whole.slice(before.length, left.length));
    },
  });
  expect(operations).toBe(3);
});

test("Power lost at any operation of an append to a new key leaves no key or a beginning", async () => {
  await sweepPowerCuts({
    act: (storage) =>
      void new AppData(storage.files, "tetris").writeAt("log", -1, source(bytesOf("0123456789"))),
    check: (storage, isDone) => {
      const data = new AppData(storage.files, "tetris");
      const left = data.size("log") < 0 ? "" : contentOf(data, "log");
      expect("0123456789".startsWith(left)).toBe(true);
      if (isDone) expect(left).toBe("0123456789");
    },
  });
});
