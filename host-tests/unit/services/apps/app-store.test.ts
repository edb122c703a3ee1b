/** What is kept of installed apps (docs/spec/storage-layout.md#file-system). */
import { expect, test } from "vitest";
import { AppData } from "../../../../device/services/apps/app-data.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";
import { installedContent, openStore, stage } from "./staged-apps.js";

const value = (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return {
    byteLength: bytes.length,
    read: (into: Uint8Array, offset: number) => {
      const piece = bytes.subarray(offset, offset + into.length);
      into.set(piece);
      return piece.length;
    },
  };
};

test("An attached variant replaces the previous one", () => {
  const storage = new EmulatedStorage();
  const store = openStore(storage);
  store.install(stage(storage));
  for (const sequence of [2, 3]) {
    const [variant] = stage(storage, { withExtras: true }).variants;
    if (!variant) throw new Error("nothing staged");
    store.attach("tetris", variant);
    expect(store.record("tetris").variants).toEqual([
      { architecture: "xtensa", file: `${sequence}.xtensa.aot` },
    ]);
  }
  expect([...storage.files.scan("apps/tetris")].sort()).toEqual(["1.wasm", "3.xtensa.aot", "app.json"]);
});

// docs/spec/app-packages.md#app-name
test("All spellings of a name are one app in one directory, which the newest package spells", () => {
  const storage = new EmulatedStorage();
  const store = openStore(storage);
  for (const [name, version] of [
    ["Pong", "1.0.0"],
    ["pong", "1.1.0"],
    ["PONG", "1.2.0"],
  ] as const) {
    const app = stage(storage, { version });
    store.install({ ...app, manifest: { ...app.manifest, name } });
    new AppData(storage.files, name).writeAt("games", -1, value("x"));
  }
  expect([store.names, store.has("pOnG"), store.record("pong").manifest.version]).toEqual([
    ["PONG"],
    true,
    "1.2.0",
  ]);
  const directories = () => [...storage.files.scan("apps")].filter((found) => found !== ".staging");
  expect(directories()).toEqual(["pong"]);
  expect(new AppData(storage.files, "Pong").size("games")).toBe(3);
  expect(openStore(storage).names).toEqual(["PONG"]);
  store.remove("Pong");
  expect([store.names, directories()]).toEqual([[], []]);
});

test("An app that does not fit is rejected as storage_full, and the previous one stays whole", () => {
  const storage = new EmulatedStorage({ capacityBytes: 15 * 4096 });
  const store = openStore(storage);
  store.install(stage(storage));
  const next = stage(storage, { version: "2.0.0", content: "newer", byteLength: 5000 });
  const filler = storage.files.openFile({ path: "filler", mode: "w" });
  filler.write(new Uint8Array(storage.capacity().freeBytes), 0);
  expect(() => store.install(next)).toThrow(expect.objectContaining({ code: "storage_full" }));
  expect(store.record("tetris").manifest.version).toBe("1.0.0");
  expect([...storage.files.scan("apps/tetris")].sort()).toEqual(["1.wasm", "app.json"]);
});

test("Names are in alphabetical order, and each leads to the next, also from one that is not there", () => {
  const storage = new EmulatedStorage();
  const store = openStore(storage);
  for (const name of ["snake", "clock", "tetris", "bricks"]) {
    const app = stage(storage, { byteLength: 100 });
    store.install({ ...app, manifest: { ...app.manifest, name } });
  }
  store.remove("snake");
  expect(store.names).toEqual(["bricks", "clock", "tetris"]);
  expect(openStore(storage).names).toEqual(store.names);
  expect(["", "bricks", "cat", "snake", "tetris", "zoo"].map((name) => store.nameAfter(name))).toEqual([
    ...["bricks", "clock", "clock", "tetris", undefined, undefined],
  ]);
});

test("The user's choice for an app survives restarts and updates, and goes with the app", () => {
  const storage = new EmulatedStorage();
  const store = openStore(storage);
  const isAllowed = () => openStore(storage).record("tetris").isAllowedBehind;
  expect(() => store.allowBehind("tetris", true)).toThrow(expect.objectContaining({ code: "app_not_found" }));
  store.install(stage(storage));
  expect(isAllowed()).toBeUndefined();
  store.allowBehind("tetris", true);
  expect(isAllowed()).toBe(true);
  store.install(stage(storage, { version: "2.0.0", content: "newer" }));
  expect(isAllowed()).toBe(true);
  expect(installedContent(storage, store)).toBe("newer");
  store.allowBehind("tetris", false);
  expect(isAllowed()).toBeUndefined();
  store.allowBehind("tetris", true);
  store.remove("tetris");
  store.install(stage(storage));
  expect(isAllowed()).toBeUndefined();
});

test("An app with an unreadable record is not listed, and none of its files is deleted", () => {
  const storage = new EmulatedStorage();
  openStore(storage).install(stage(storage));
  const record = storage.files.openFile({ path: "apps/tetris/app.json", mode: "w" });
  record.write(new TextEncoder().encode("{"), 0);
  expect(openStore(storage).names).toEqual([]);
  expect([...storage.files.scan("apps/tetris")].sort()).toEqual(["1.wasm", "app.json"]);
});

/** The free space of a console on which just this has happened. */
function freeBytesAfter(act: (storage: EmulatedStorage) => void): number {
  const storage = new EmulatedStorage();
  act(storage);
  openStore(storage);
  return storage.capacity().freeBytes;
}

const installOld = (storage: EmulatedStorage) =>
  openStore(storage).install(stage(storage, { withExtras: true }));
for (const isToImage of [true, false])
  test(`Power lost while ${isToImage ? "an image alone replaces a module" : "a module replaces an image alone"} leaves one of them whole`, async () => {
    const older = (storage: EmulatedStorage) =>
      openStore(storage).install(stage(storage, { isImageAlone: !isToImage }));
    const newer = { version: "2.0.0", content: "newer", byteLength: 9000, isImageAlone: isToImage };
    const replace = (storage: EmulatedStorage) => openStore(storage).install(stage(storage, newer));
    const free = {
      "1.0.0": freeBytesAfter(older),
      "2.0.0": freeBytesAfter((storage) => {
        older(storage);
        replace(storage);
      }),
    };
    await sweepPowerCuts({
      prepare: older,
      act: replace,
      check: (storage, isDone) => {
        const store = openStore(storage);
        const { manifest, module, variants } = store.record("tetris");
        const version = manifest.version as keyof typeof free;
        const isImage = (version === "2.0.0") === isToImage;
        if (isDone) expect(version).toBe("2.0.0");
        expect([module === undefined, variants.length]).toEqual([isImage, isImage ? 1 : 0]);
        expect(installedContent(storage, store)).toBe(version === "2.0.0" ? "newer" : "module");
        expect(storage.capacity().freeBytes).toBe(free[version]);
      },
    });
  });

test("Power lost while an app stores a value leaves the old value or the new one", async () => {
  const before = (storage: EmulatedStorage) => {
    installOld(storage);
    new AppData(storage.files, "tetris").write("score", value("12"));
  };
  await sweepPowerCuts({
    prepare: before,
    act: (storage) => void new AppData(storage.files, "tetris").write("score", value("345")),
    check: (storage, isDone) => {
      openStore(storage);
      const file = new AppData(storage.files, "tetris").open("score");
      if (typeof file === "number") throw new Error(`no value: ${file}`);
      const bytes = new Uint8Array(10);
      const text = new TextDecoder().decode(bytes.subarray(0, file.read(bytes, 0)));
      expect(isDone ? ["345"] : ["12", "345"]).toContain(text);
      expect([...storage.files.scan("apps/tetris/data")]).toEqual(["score"]);
    },
  });
});
