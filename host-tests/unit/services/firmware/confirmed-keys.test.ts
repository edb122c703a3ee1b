/**
 * The keys that come with firmware take the place of those before them with its confirmation, and not without it
 * (docs/spec/boot-and-slots.md#confirm-keys).
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { FOREIGNER, SIGNER } from "../../protocol/firmware/bundling.js";
import { linesOf } from "../apps/emulated-apps.js";
import {
  bundled,
  flashedStorage,
  pemOf,
  Run,
  type RunOptions,
  readText,
  withFailing,
} from "./emulated-update.js";

const OLD_KEYS = pemOf(SIGNER);
const NEW_KEYS = pemOf(FOREIGNER);
const FILE = "hub/trusted_keys.pem";
const NEXT = "hub/trusted_keys.pem.new";

const keysOf = ({ storage }: Run) => ({ file: readText(storage, FILE), next: readText(storage, NEXT) });
const BEFORE = { file: OLD_KEYS, next: undefined };
const AFTER = { file: NEW_KEYS, next: undefined };

let storage: EmulatedStorage;

beforeEach(() => {
  storage = flashedStorage({ capacityBytes: 8 * 4096 });
});

async function onTrial(options?: RunOptions): Promise<Run> {
  const run = new Run(storage);
  await run.upload(bundled({ trustedKeys: NEW_KEYS }));
  return run.reboot("software", options);
}

describe("The keys of new firmware", () => {
  test("are stored in a console that had none", async () => {
    const run = await onTrial();
    storage.files.delete(FILE);
    storage.files.delete("hub");
    run.ota.confirm();
    expect(keysOf(run)).toEqual(AFTER);
  });

  test("keep it on trial if there is no room for them", async () => {
    const run = await onTrial();
    const filler = storage.files.openFile({ path: "filler", mode: "w" });
    filler.write(new Uint8Array(storage.capacity().freeBytes), 0);
    expect(() => run.ota.confirm()).toThrow(expect.objectContaining({ code: "storage_full" }));
    expect(run.ota.status()).toMatchObject({ state: "pending_confirm" });
    expect(keysOf(run)).toEqual(BEFORE);
    expect(storage.slots.record()).toMatchObject({ phase: "trial" });
    storage.files.delete("filler");
    run.ota.confirm();
    expect(keysOf(run)).toEqual(AFTER);
  });

  test("are the old or the new ones together with their firmware, whenever power is lost", async () => {
    const operations = await confirmWithCut(Number.POSITIVE_INFINITY);
    expect(operations).toBeGreaterThan(4);
    const found = new Set<string>();
    for (let operation = 1; operation <= operations; operation++) {
      storage = flashedStorage();
      await confirmWithCut(operation);
      const run = new Run(storage).reboot("power_on");
      const { running_version, last_result } = run.ota.status();
      const isNew = running_version === "0.2.0";
      expect(last_result?.result).toBe(isNew ? "confirmed" : "rolled_back");
      expect(keysOf(run)).toEqual(isNew ? AFTER : BEFORE);
      found.add(running_version);
      const next = run.reboot();
      expect(next.ota.status()).toMatchObject({ running_version, last_result });
      expect(keysOf(next)).toEqual(isNew ? AFTER : BEFORE);
    }
    expect(found.size).toBe(2);
  });
});

describe("Keys of confirmed firmware that cannot be moved into place", () => {
  async function confirmed(): Promise<Run> {
    const { storage } = await onTrial();
    const move = () => {
      throw Object.assign(new Error("No space left"), { code: "storage_full" });
    };
    const run = new Run(storage, { files: withFailing(storage.files, { move }) });
    run.ota.confirm();
    return run;
  }

  test("stay pending: the firmware is confirmed, and no other firmware is accepted", async () => {
    const run = await confirmed();
    expect(run.ota.status()).toMatchObject({ state: "idle", last_result: { result: "confirmed" } });
    expect(linesOf(run.log)).toContainEqual(expect.stringMatching(/^E ota: cannot apply the keys/));
    expect(await run.upload(bundled())).toMatchObject({ status: 507, body: { error: "storage_full" } });
    expect(run.ota.status()).toMatchObject({ state: "idle" });
  });

  test("are in place after the next start", async () => {
    const next = (await confirmed()).reboot("power_on");
    expect(keysOf(next)).toEqual(AFTER);
    expect(next.ota.status()).toMatchObject({ last_result: { result: "confirmed", version: "0.2.0" } });
  });
});

/** @returns how many operations the confirmation has had; the storage is restarted where power was cut */
async function confirmWithCut(operation: number): Promise<number> {
  const run = await onTrial();
  const before = storage.operationCount;
  if (Number.isFinite(operation)) storage.cutPowerAt(operation);
  try {
    run.ota.confirm();
  } catch (error) {
    if (!storage.isOff) throw error;
  }
  const operations = storage.operationCount - before;
  if (!storage.isOff) return operations;
  storage.restart();
  storage.bootLoader.boot("power_on");
  return operations;
}
