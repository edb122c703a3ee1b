/** What is kept of installed apps (docs/spec/storage-layout.md#file-system). */
import { expect, test } from "vitest";
import { AppData } from "../../../../device/services/apps/app-data.js";
import { INSTALLED_APPS_LIMIT } from "../../../../device/services/apps/app-store.js";
import { readLastExit, writeLastExit } from "../../../../device/services/apps/last-exit.js";
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

test("An installed app is present after a restart, with its manifest and files", () => {
  const storage = new EmulatedStorage();
  openStore(storage).install(stage(storage, { withExtras: true }));
  const store = openStore(storage);
  expect(store.names).toEqual(["tetris"]);
  expect(store.record("tetris")).toMatchObject({
    manifest: { name: "tetris", version: "1.0.0", capabilities: ["display.write"] },
    icon: "1.bmp",
    variants: [{ architecture: "xtensa", file: "1.xtensa.aot" }],
    sizeBytes: 6150,
  });
  expect(installedContent(storage, store)).toBe("module");
});

test("Installing over an app replaces its files and keeps its stored values and last exit", () => {
  const storage = new EmulatedStorage();
  const store = openStore(storage);
  store.install(stage(storage, { withExtras: true }));
  expect(new AppData(storage.files, "tetris").write("score", value("12"))).toBe(0);
  writeLastExit(storage.files, "tetris", { reason: "exit", code: 3, at_ms: 5 });
  store.install(stage(storage, { version: "2.0.0", content: "newer" }));
  expect(store.record("tetris")).toMatchObject({ manifest: { version: "2.0.0" }, variants: [] });
  expect(installedContent(storage, store)).toBe("newer");
  expect([...storage.files.scan("apps/tetris")].sort()).toEqual([
    "2.wasm",
    "app.json",
    "data",
    "last-exit.json",
  ]);
  expect(new AppData(storage.files, "tetris").size("score")).toBe(2);
  expect(readLastExit(storage.files, "tetris")).toEqual({ reason: "exit", code: 3, at_ms: 5 });
});

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

test("An image alone has no module, and takes no variant", () => {
  const storage = new EmulatedStorage();
  openStore(storage).install(stage(storage, { isImageAlone: true }));
  const store = openStore(storage);
  const before = store.record("tetris");
  expect(before).toMatchObject({ sizeBytes: 6000, variants: [{ file: "1.native.aot" }] });
  expect(before).not.toHaveProperty("module");
  const [variant] = stage(storage, { withExtras: true }).variants;
  if (!variant) throw new Error("nothing staged");
  expect(() => store.attach("tetris", variant)).toThrow(expect.objectContaining({ code: "variant_invalid" }));
  expect(store.record("tetris")).toEqual(before);
  expect([...storage.files.scan("apps/tetris")].sort()).toEqual(["1.native.aot", "app.json"]);
});

test("Removing an app removes all its files", () => {
  const storage = new EmulatedStorage();
  const store = openStore(storage);
  store.install(stage(storage));
  new AppData(storage.files, "tetris").write("score", value("12"));
  store.remove("tetris");
  expect(store.names).toEqual([]);
  expect([...storage.files.scan("apps")]).not.toContain("tetris");
  expect(() => store.record("tetris")).toThrow(expect.objectContaining({ code: "app_not_found" }));
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

test("One app more than a console keeps is rejected as storage_full, and leaves nothing", () => {
  const storage = new EmulatedStorage();
  const store = openStore(storage);
  for (let number = 0; number < INSTALLED_APPS_LIMIT; number++) {
    const app = stage(storage, { byteLength: 100 });
    store.install({ ...app, manifest: { ...app.manifest, name: `app-${number}` } });
  }
  const names = [...store.names];
  expect(() => store.requireRoomFor("tetris")).toThrow(expect.objectContaining({ code: "storage_full" }));
  expect(() => store.install(stage(storage))).toThrow(expect.objectContaining({ code: "storage_full" }));
  expect(store.names).toEqual(names);
  expect(names.length).toBe(64);
  expect([...storage.files.scan("apps")]).not.toContain("tetris");
  expect(openStore(storage).names).toEqual(names);
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
const installNew = (storage: EmulatedStorage) =>
  openStore(storage).install(stage(storage, { version: "2.0.0", content: "newer", byteLength: 9000 }));

test("Power lost at any operation of an install leaves no app or a whole one, and loses no space", async () => {
  const nothing = freeBytesAfter((storage) => storage.files.createDirectory("apps"));
  const installed = freeBytesAfter(installOld);
  const operations = await sweepPowerCuts({
    prepare: (storage) => void storage.files.createDirectory("apps"),
    act: installOld,
    check: (storage, isDone) => {
      const store = openStore(storage);
      const isThere = store.has("tetris");
      expect(isThere || !isDone).toBe(true);
      if (isThere) expect(installedContent(storage, store)).toBe("module");
      expect(storage.capacity().freeBytes).toBe(isThere ? installed : nothing);
    },
  });
  expect(operations).toBeGreaterThan(10);
});

test("Power lost at any operation of a replacement leaves the old app or the new one, and its data", async () => {
  const data = (storage: EmulatedStorage) => new AppData(storage.files, "tetris");
  const before = (storage: EmulatedStorage) => {
    installOld(storage);
    data(storage).write("score", value("12"));
  };
  const free = {
    "1.0.0": freeBytesAfter(before),
    "2.0.0": freeBytesAfter((storage) => {
      before(storage);
      installNew(storage);
    }),
  };
  await sweepPowerCuts({
    prepare: before,
    act: installNew,
    check: (storage, isDone) => {
      const store = openStore(storage);
      const version = store.record("tetris").manifest.version as keyof typeof free;
      if (isDone) expect(version).toBe("2.0.0");
      expect(installedContent(storage, store)).toBe(version === "2.0.0" ? "newer" : "module");
      expect(data(storage).size("score")).toBe(2);
      expect(storage.capacity().freeBytes).toBe(free[version]);
    },
  });
});

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

test("Power lost at any operation of an uninstall leaves the whole app or nothing of it", async () => {
  const nothing = freeBytesAfter((storage) => storage.files.createDirectory("apps"));
  const installed = freeBytesAfter(installOld);
  await sweepPowerCuts({
    prepare: installOld,
    act: (storage) => openStore(storage).remove("tetris"),
    check: (storage, isDone) => {
      const store = openStore(storage);
      if (isDone) expect(store.has("tetris")).toBe(false);
      if (store.has("tetris")) expect(installedContent(storage, store)).toBe("module");
      expect(storage.capacity().freeBytes).toBe(store.has("tetris") ? installed : nothing);
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
