/** Power that goes during an install (docs/spec/apps.md#install-atomic). */
import { beforeAll, expect, test } from "vitest";
import { AppData } from "../../../../device/services/apps/app-data.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { bitmap } from "../../../hosts/bitmap.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";
import { aotFile } from "./aot-file.js";
import { emulatedInstaller, trust } from "./emulated-installer.js";

let older: Uint8Array;
let newer: Uint8Array;

const module = (value: number) =>
  moduleOf(`(module (memory 1) (data (i32.const 0) "${"x".repeat(5000)}")
    (func $main (export "main") (result i32) (loop $again (br_if $again (i32.const 0))) (i32.const ${value})))`);

beforeAll(async () => {
  older = packageOf(await module(1), {}, bitmap(), { xtensa: aotFile() });
  newer = packageOf(await module(2), { version: "2.0.0", description: "Now with colours" });
});

const installs = (file: () => Uint8Array) => async (storage: EmulatedStorage) =>
  void (await emulatedInstaller({ storage }).install(file()));

/** SHA-256 of the prepared module of each version, as it is after an install that nothing disturbed. */
async function undisturbed(...files: readonly Uint8Array[]) {
  const storage = new EmulatedStorage();
  trust(storage);
  const console = emulatedInstaller({ storage });
  for (const file of files) await console.install(file);
  emulatedInstaller({ storage });
  return { free: storage.capacity().freeBytes, sha256: console.store.record("tetris").module?.sha256 };
}

/** A directory of two blocks, and a block. */
const SCORE_BYTES = 3 * 4096;

/** The older app, which has stored something. */
async function withScore(storage: EmulatedStorage): Promise<void> {
  trust(storage);
  await installs(() => older)(storage);
  const score = { byteLength: 1, read: () => 1 };
  expect(new AppData(storage.files, "tetris").write("score", score)).toBe(0);
}

/** Boots the remaining state, and starts the app if it is present, which checks its module's digest. */
function expectWhole(
  storage: EmulatedStorage,
  states: readonly (Awaited<ReturnType<typeof undisturbed>> | undefined)[],
) {
  const console = emulatedInstaller({ storage });
  const isThere = console.store.has("tetris");
  const sha256 = isThere ? console.store.record("tetris").module?.sha256 : undefined;
  const state = states.find((candidate) => candidate?.sha256 === sha256);
  expect(states).toContain(state);
  if (!state) return undefined;
  expect(storage.capacity().freeBytes).toBe(state.free);
  console.apps.start("tetris");
  return state;
}

test("Power lost at any operation of an install leaves no app or a whole one, and loses no space", async () => {
  const installed = await undisturbed(older);
  const empty = new EmulatedStorage();
  trust(empty);
  const operations = await sweepPowerCuts({
    prepare: (storage) => trust(storage),
    act: installs(() => older),
    check: (storage, isDone) => {
      const state = expectWhole(storage, isDone ? [installed] : [undefined, installed]);
      if (!state)
        expect(storage.capacity().freeBytes).toBeGreaterThanOrEqual(empty.capacity().freeBytes - 2 * 4096);
    },
  });
  console.log(`install: power cut at each of ${operations} operations, 8 seeds each`);
  expect(operations).toBeGreaterThan(20);
});

test("Power lost at any operation of a replacement leaves the old app or the new one, with its data", async () => {
  const before = await undisturbed(older);
  const after = await undisturbed(older, newer);
  const operations = await sweepPowerCuts({
    prepare: withScore,
    act: installs(() => newer),
    check: (storage, isDone) => {
      const withData = [before, after].map((state) => ({ ...state, free: state.free - SCORE_BYTES }));
      expectWhole(storage, isDone ? withData.slice(1) : withData);
      expect(new AppData(storage.files, "tetris").size("score")).toBe(1);
    },
  });
  console.log(`replace: power cut at each of ${operations} operations, 8 seeds each`);
});

test("Power lost at any operation of an uninstall leaves the whole app or nothing of it", async () => {
  const { free, sha256 } = await undisturbed(older);
  const installed = { sha256, free: free - SCORE_BYTES };
  const operations = await sweepPowerCuts({
    prepare: withScore,
    act: (storage) => emulatedInstaller({ storage }).apps.uninstall("tetris"),
    check: (storage, isDone) => {
      const state = expectWhole(storage, isDone ? [undefined] : [installed, undefined]);
      if (!state) expect([...storage.files.scan("apps")]).toEqual([]);
    },
  });
  console.log(`uninstall: power cut at each of ${operations} operations, 8 seeds each`);
});

test("Power lost again during recovery still leaves the old app or the new one", async () => {
  const states = [await undisturbed(older), await undisturbed(older, newer)];
  const operations = 40;
  for (let first = 1; first <= operations; first += 3)
    for (let second = 1; second <= 6; second++) {
      const storage = new EmulatedStorage();
      trust(storage);
      await installs(() => older)(storage);
      storage.cutPowerAt(first);
      await installs(() => newer)(storage).catch(() => {});
      storage.restart();
      storage.cutPowerAt(second);
      try {
        emulatedInstaller({ storage });
      } catch {
        // the power went in the midst of the recovery
      }
      storage.restart();
      expectWhole(storage, states);
    }
});
