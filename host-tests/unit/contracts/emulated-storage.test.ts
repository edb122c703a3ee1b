import { describe, expect, test } from "vitest";
import { FILES_CONTRACT } from "../../contracts/files.js";
import { KEY_VALUE_CONTRACT } from "../../contracts/key-value.js";
import { EmulatedStorage } from "../../hosts/emulated-storage.js";
import { runContract } from "./run-contract.js";

runContract("EmulatedStorage, files", FILES_CONTRACT, () => new EmulatedStorage().files);
runContract("EmulatedStorage, a directory in it", FILES_CONTRACT, () => {
  const { files } = new EmulatedStorage();
  files.createDirectory("inner");
  return files.openDirectory({ path: "inner" });
});
runContract("EmulatedStorage, key-value", KEY_VALUE_CONTRACT, () => new EmulatedStorage().keyValue);

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);
const text = (value: string) => new TextEncoder().encode(value);

function read(storage: EmulatedStorage, path: string): string {
  const file = storage.files.openFile({ path });
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  return new TextDecoder().decode(bytes);
}

/** "old" in the file `a`, flushed, and then "NEWER" written over it. */
function overwritten({ isFlushed }: { isFlushed: boolean }) {
  const storage = new EmulatedStorage();
  const file = storage.files.openFile({ path: "a", mode: "w" });
  file.write(text("old"), 0);
  file.flush();
  file.write(text("NEW"), 0);
  file.write(text("ER"), 3);
  if (isFlushed) file.flush();
  file.close();
  return storage;
}

describe("EmulatedStorage without power", () => {
  test("throws on every call until restarted", () => {
    const storage = overwritten({ isFlushed: true });
    const { files } = storage;
    storage.cutPowerAt(1);
    expect(() => files.createDirectory("b")).toThrow("The power was cut");
    expect(storage.isOff).toBe(true);
    for (const call of [
      () => files.scan(),
      () => files.delete("a"),
      () => storage.files.status("a"),
      () => storage.keyValue.open({ path: "svc", format: "string" }),
    ])
      expect(call).toThrow("The power is off");
    storage.restart();
    expect([...storage.files.scan()]).toEqual(["a"]);
    expect(() => files.scan()).toThrow("before the restart");
  });

  test("keeps what was flushed", () => {
    for (const seed of SEEDS) {
      const storage = overwritten({ isFlushed: true });
      storage.cutPowerAt(1, seed);
      expect(() => storage.files.createDirectory("b")).toThrow("The power was cut");
      storage.restart();
      expect(read(storage, "a")).toBe("NEWER");
    }
  });

  test("may lose unflushed changes, newest first", () => {
    const found = new Set<string>();
    for (const seed of SEEDS) {
      const storage = overwritten({ isFlushed: false });
      storage.cutPowerAt(1, seed);
      expect(() => storage.files.createDirectory("b")).toThrow("The power was cut");
      storage.restart();
      found.add(read(storage, "a"));
    }
    expect([...found].sort()).toEqual(["NEW", "NEWER", "old"]);
  });

  test("may tear the interrupted write", () => {
    const found = new Set<string>();
    for (const seed of SEEDS) {
      const storage = overwritten({ isFlushed: true });
      const file = storage.files.openFile({ path: "a", mode: "r+" });
      storage.cutPowerAt(1, seed);
      expect(() => file.write(text("12345"), 0)).toThrow("The power was cut");
      storage.restart();
      found.add(read(storage, "a"));
    }
    expect([...found].sort()).toEqual(["12345", "1234R", "123ER", "12WER", "1EWER", "NEWER"]);
  });

  test("keeps completed renames, deletions and creations, and not the interrupted one", () => {
    const storage = overwritten({ isFlushed: true });
    storage.files.move("a", "b");
    storage.files.createDirectory("c");
    storage.cutPowerAt(1);
    expect(() => storage.files.move("b", "d")).toThrow("The power was cut");
    storage.restart();
    expect([...storage.files.scan()].sort()).toEqual(["b", "c"]);
  });
});

test("EmulatedStorage reports its capacity in blocks, as littlefs counts them", () => {
  const storage = new EmulatedStorage({ capacityBytes: 10 * 4096 });
  expect(storage.capacity()).toEqual({ totalBytes: 10 * 4096, freeBytes: 8 * 4096 });
  storage.files.createDirectory("a");
  const file = storage.files.openFile({ path: "a/b", mode: "w" });
  file.write(new Uint8Array(4097), 0);
  expect(storage.capacity().freeBytes).toBe(4 * 4096);
  file.setSize(4096);
  expect(storage.capacity().freeBytes).toBe(5 * 4096);
});
