/** What apps store (docs/spec/app-abi-and-quotas.md#storage-limit). */
import { expect, test } from "vitest";
import { AppData } from "../../../../device/services/apps/app-data.js";
import { APP_DATA_LIMIT_BYTES, APP_KEYS_LIMIT } from "../../../../device/services/apps/app-data-limits.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";

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

for (const offset of [4, -2, -0x8000_0000, 0x7fff_ffff])
  test(`A part at ${offset} of a value of 3 bytes is an invalid argument`, () => {
    const data = opened();
    data.write("three", source(bytesOf("abc")));
    expect(data.writeAt("three", offset, source(bytesOf("x")))).toBe(-22);
    expect(data.writeAt("none", offset, source(bytesOf("x")))).toBe(-22);
    expect([contentOf(data, "three"), data.size("none")]).toEqual(["abc", -2]);
  });

test("Parts count towards the 64 KiB and the keys, and one that does not fit changes nothing", () => {
  const data = opened();
  expect(data.write("big", zeros(APP_DATA_LIMIT_BYTES - 4))).toBe(0);
  expect(data.writeAt("small", -1, source(bytesOf("abc")))).toBe(0);
  expect(data.writeAt("small", -1, source(bytesOf("de")))).toBe(-28);
  expect(data.writeAt("small", 1, source(bytesOf("1234")))).toBe(-28);
  expect(contentOf(data, "small")).toBe("abc");
  expect(data.writeAt("small", 0, source(bytesOf("1234")))).toBe(0);
  expect(data.writeAt("big", 0, source(bytesOf("over what is there")))).toBe(0);
  for (let number = 2; number < APP_KEYS_LIMIT; number++) data.writeAt(`k${number}`, 0, zeros(0));
  expect(data.writeAt("one-more", -1, zeros(0))).toBe(-28);
  expect(data.size("one-more")).toBe(-2);
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
