/** How long the console asks about a key, and what a loss of power leaves of a change (docs/spec/keys.md#owner-keys). */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type AppLoaderOptions, isRevoked } from "../../../../device/services/apps/app-loader.js";
import type { AppRecord } from "../../../../device/services/apps/app-store.js";
import { Scheduler } from "../../../../device/services/scheduler/scheduler.js";
import { OwnerKeys } from "../../../../device/services/trust/owner-keys.js";
import { TrustedKeysFile } from "../../../../device/services/trust/trusted-keys-file.js";
import { Fault } from "../../../../protocol/fault.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedDirectory } from "../../../hosts/emulated-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { nodeBase64, nodeMemory, nodeSignatures } from "../../../hosts/node-bytes.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";
import { Publisher } from "../../../hosts/publisher.js";
import { trust } from "../apps/emulated-installer.js";

const [ONE, OTHER, THIRD] = Array.from({ length: 3 }, () => new Publisher().hex) as [string, string, string];
const QUESTION_MS = 120_000;

const silent = { debug() {}, info() {}, warning() {}, error() {} };

function ownerKeysOn(storage: EmulatedStorage, clock = new EmulatedClock(), onChange = () => {}): OwnerKeys {
  const trustedKeys = new TrustedKeysFile({
    files: storage.files,
    scheduler: new Scheduler(clock),
    logger: silent,
    ...nodeSignatures,
    base64: nodeBase64,
    memory: nodeMemory,
  });
  return new OwnerKeys({ ...nodeSignatures, trustedKeys, timer: clock, logger: silent, onChange });
}

/** Storage whose directory of keys is there. */
function trustingStorage(): EmulatedStorage {
  const storage = new EmulatedStorage();
  trust(storage, new Publisher().pem);
  return storage;
}

describe("A question about a key", () => {
  let clock: EmulatedClock;
  let keys: OwnerKeys;
  let changes: number;
  beforeEach(() => {
    clock = new EmulatedClock();
    changes = 0;
    keys = ownerKeysOn(trustingStorage(), clock, () => changes++);
  });
  const ask = (key: string, isRemoval = false) => keys.change(key, isRemoval, true);
  const codeOf = (act: () => void) => {
    try {
      act();
      return undefined;
    } catch (error) {
      return error instanceof Fault ? error.code : error;
    }
  };

  test("waits two minutes and not longer; then its answer counts no more", () => {
    ask(ONE);
    clock.advance(QUESTION_MS - 1);
    expect(keys.summary()).toEqual({ keys: [], question: "add_key-1" });
    const told = changes;
    clock.advance(1);
    expect(changes).toBe(told + 1);
    expect(keys.summary()).toEqual({ keys: [] });
    expect(keys.answer("add_key-1", true)).toBe(false);
    expect(keys.summary()).toEqual({ keys: [] });
  });

  test("that is asked again is the same one, changes nothing, and does not wait longer for it", () => {
    expect(ask(ONE)).toBe("add_key-1");
    clock.advance(QUESTION_MS - 1);
    const told = changes;
    expect(ask(ONE)).toBe("add_key-1");
    expect(changes).toBe(told);
    expect(keys.summary().question).toBe("add_key-1");
    clock.advance(1);
    expect(keys.summary().question).toBeUndefined();
  });

  test("has another id after each, so that no answer to one counts for the next", () => {
    ask(ONE);
    clock.advance(QUESTION_MS);
    ask(OTHER);
    expect(keys.answer("add_key-1", true)).toBe(false);
    expect(keys.summary()).toEqual({ keys: [], question: "add_key-2" });
    expect(keys.answer("add_key-2", true)).toBe(true);
    expect(keys.summary()).toEqual({ keys: [{ key: OTHER }] });
  });

  test("that was refused keeps others out until its time is over, one that was accepted does not", () => {
    ask(ONE);
    keys.answer("add_key-1", false);
    expect(keys.questions).toEqual([]);
    clock.advance(QUESTION_MS - 1);
    expect(codeOf(() => ask(OTHER))).toBe("busy");
    clock.advance(1);
    ask(OTHER);
    keys.answer("add_key-2", true);
    ask(THIRD);
    expect(keys.summary().question).toBe("add_key-3");
    // The time of the one before ends nothing of this one.
    clock.advance(QUESTION_MS - 1);
    expect(keys.summary().question).toBe("add_key-3");
  });

  test("names all digits of a key that is to go, however many were sent", () => {
    keys.change(ONE, false, false);
    expect(ask(ONE.slice(0, 16), true)).toBe("remove_key-1");
    expect(keys.questions[0]?.name).toBe(ONE);
    expect(ask(ONE.slice(0, 20), true)).toBe("remove_key-1");
  });

  test("is named to who has asked it, not to who makes a change beside it", () => {
    ask(ONE);
    expect(keys.change(OTHER, false, false)).toBeUndefined();
    expect(keys.summary("")).toEqual({ keys: [{ key: OTHER }] });
  });

  test("whose key is gone when it is accepted changes nothing, and says so", () => {
    keys.change(ONE, false, false);
    ask(ONE, true);
    keys.change(ONE, true, false);
    expect(codeOf(() => keys.answer("remove_key-1", true))).toBe("key_not_found");
    expect(keys.summary()).toEqual({ keys: [] });
  });

  test("for which there is no room when it is accepted changes nothing, and says so", () => {
    ask(ONE);
    for (let count = 0; count < 4; count++) keys.change(new Publisher().hex, false, false);
    const before = keys.summary().keys;
    expect(codeOf(() => keys.answer("add_key-1", true))).toBe("too_many_keys");
    expect(keys.summary()).toEqual({ keys: before });
  });
});

test("A file that cannot be read now is not replaced", () => {
  const storage = trustingStorage();
  const keys = ownerKeysOn(storage);
  keys.change(ONE, false, false);
  const broken = vi.spyOn(EmulatedDirectory.prototype, "openFile").mockImplementationOnce(() => {
    throw new Error("EIO");
  });
  expect(() => keys.change(OTHER, false, false)).toThrow("EIO");
  broken.mockRestore();
  expect(keys.summary()).toEqual({ keys: [{ key: ONE }] });
});

test.each([
  { what: "is there", isThere: true, isRevoked: false, isStopped: false },
  { what: "was removed", isThere: false, isRevoked: false, isStopped: true },
  { what: "is revoked", isThere: true, isRevoked: true, isStopped: true },
])(
  "An app that another key has signed under the owner's is stopped if the owner's $what: $isStopped",
  (row) => {
    const trustedKeys = {
      hasOwnerKey: () => row.isThere,
      revocations: { has: (key: Uint8Array) => row.isRevoked && Buffer.from(key).toString("hex") === ONE },
    };
    const record = { publisher: OTHER, signer: OTHER, ownerKey: ONE };
    const isStopped = isRevoked(
      { trustedKeys } as unknown as AppLoaderOptions,
      record as unknown as AppRecord,
    );
    expect(isStopped).toBe(row.isStopped);
  },
);

describe("A loss of power while a key", () => {
  const keysOf = (storage: EmulatedStorage) =>
    ownerKeysOn(storage)
      .summary()
      .keys.map(({ key }) => key);
  const CHANGES = [
    { name: "is the first", before: [], change: [ONE, false], after: [ONE] },
    { name: "is added to another", before: [ONE], change: [OTHER, false], after: [ONE, OTHER] },
    { name: "is removed beside another", before: [ONE, OTHER], change: [ONE, true], after: [OTHER] },
    { name: "is removed, the last", before: [ONE], change: [ONE, true], after: [] },
  ] as const;
  test.each(CHANGES)("$name leaves the keys of before or of after", async ({ before, change, after }) => {
    const operations = await sweepPowerCuts({
      prepare(storage) {
        trust(storage, new Publisher().pem);
        for (const key of before) ownerKeysOn(storage).change(key, false, false);
      },
      act: (storage) => void ownerKeysOn(storage).change(change[0], change[1], false),
      check(storage, isDone) {
        expect(isDone ? [after] : [before, after]).toContainEqual(keysOf(storage));
      },
    });
    expect(operations).toBeGreaterThan(0);
  });
});
