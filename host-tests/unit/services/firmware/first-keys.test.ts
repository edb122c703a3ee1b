/**
 * Firmware that came by cable brings the first keys that its console trusts, and no others
 * (docs/spec/boot-and-slots.md#first-keys).
 */
import { beforeEach, describe, expect, test } from "vitest";
import { namesIn } from "../../../../device/services/storage/stored-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { FOREIGNER, SIGNER } from "../../protocol/firmware/bundling.js";
import { linesOf } from "../apps/emulated-apps.js";
import { bundled, imageOf, pemOf, Run, readText } from "./emulated-update.js";

const KEYS = pemOf(SIGNER);
const OTHER_KEYS = pemOf(FOREIGNER);

let storage: EmulatedStorage;
beforeEach(() => {
  storage = flashed(KEYS);
});

/** A console with nothing but the firmware that a programmer has put into its flash, switched on. */
function flashed(trustedKeys?: string): EmulatedStorage {
  const fresh = new EmulatedStorage({ slotBytes: 64 * 1024, capacityBytes: 8 * 4096 });
  flash(fresh, trustedKeys);
  return fresh;
}

function flash({ bootLoader }: EmulatedStorage, trustedKeys?: string): void {
  bootLoader.flash(imageOf({ version: "0.1.0", ...(trustedKeys !== undefined && { trustedKeys }) }));
  bootLoader.boot("power_on");
}

const keysIn = (place: EmulatedStorage) => filesIn(place)["trusted_keys.pem"];

function filesIn(place: EmulatedStorage): Record<string, string | undefined> {
  return Object.fromEntries(
    namesIn(place.files, "hub").map((name) => [name, readText(place, `hub/${name}`)]),
  );
}

const newsOf = ({ log }: Run) => linesOf(log).filter((line) => line.includes("keys"));

describe("The keys of flashed firmware", () => {
  test("are written once: the next start logs and changes nothing", () => {
    new Run(storage);
    const operations = storage.operationCount;
    const next = new Run(storage).reboot("power_on");
    expect(newsOf(next)).toEqual([]);
    expect(storage.operationCount).toBe(operations);
  });

  test("are none if it contains none", async () => {
    const bare = flashed();
    const run = new Run(bare);
    expect(filesIn(bare)).toEqual({});
    expect(newsOf(run)).toEqual([]);
    expect(await run.upload(bundled())).toMatchObject({ body: { error: "signature_invalid" } });
  });

  test("do not replace keys that were confirmed later, even if it is flashed again", async () => {
    const first = new Run(storage);
    await first.upload(bundled({ trustedKeys: OTHER_KEYS }));
    first.reboot().ota.confirm();
    flash(storage, KEYS);
    new Run(storage);
    expect(filesIn(storage)).toEqual({ "trusted_keys.pem": OTHER_KEYS });
  });

  test("are stored again if a trial in which they were lost fails", async () => {
    const first = new Run(storage);
    await first.upload(bundled({ trustedKeys: OTHER_KEYS }));
    const trial = first.reboot();
    storage.files.delete("hub/trusted_keys.pem");
    trial.reboot("crash");
    expect(filesIn(storage)).toEqual({ "trusted_keys.pem": KEYS });
  });

  test("are written by the first start with room for them, and the console runs meanwhile", () => {
    const filler = storage.files.openFile({ path: "filler", mode: "w" });
    filler.write(new Uint8Array(storage.capacity().freeBytes), 0);
    const run = new Run(storage);
    expect(run.ota.status()).toMatchObject({ state: "idle" });
    expect(newsOf(run)).toEqual([expect.stringMatching(/^E ota: cannot apply the first keys yet: /)]);
    expect(keysIn(storage)).toBeUndefined();
    storage.files.delete("filler");
    run.reboot();
    expect(filesIn(storage)).toEqual({ "trusted_keys.pem": KEYS });
  });

  test("are whole or missing whenever power is lost, and whole after the next start", () => {
    const { operations } = startWithCut(Number.POSITIVE_INFINITY);
    expect(operations).toBeGreaterThan(3);
    const found = new Set<string | undefined>();
    for (let operation = 1; operation <= operations; operation++) {
      const { place } = startWithCut(operation);
      found.add(keysIn(place));
      expect([undefined, KEYS]).toContain(keysIn(place));
      place.bootLoader.boot("power_on");
      new Run(place);
      expect(filesIn(place)).toEqual({ "trusted_keys.pem": KEYS });
    }
    expect(found).toContain(undefined);
  });
});

test("Firmware on trial stores no keys in a console without keys", async () => {
  const first = new Run(storage);
  await first.upload(bundled({ trustedKeys: OTHER_KEYS }));
  storage.files.delete("hub/trusted_keys.pem");
  const trial = first.reboot();
  expect(filesIn(storage)).toEqual({});
  trial.ota.confirm();
  expect(filesIn(storage)).toEqual({ "trusted_keys.pem": OTHER_KEYS });
});

/** The first start of a console, which loses power before that operation; the power is then back. */
function startWithCut(operation: number): { place: EmulatedStorage; operations: number } {
  const place = flashed(KEYS);
  const before = place.operationCount;
  if (Number.isFinite(operation)) place.cutPowerAt(operation);
  new Run(place);
  const operations = place.operationCount - before;
  if (place.isOff) place.restart();
  return { place, operations };
}
