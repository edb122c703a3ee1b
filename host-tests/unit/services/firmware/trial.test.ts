/**
 * New firmware on trial: how it is kept, how the old one comes back, and what is told of it afterwards
 * (docs/spec/boot-and-slots.md#trial-once).
 */
import { describe, expect, test, vi } from "vitest";
import { rolledBack } from "../../../../device/services/firmware/update-phase.js";
import { LAST_UPDATE_SETTING } from "../../../../device/services/settings/settings.js";
import { linesOf } from "../apps/emulated-apps.js";
import { bundled, flashedStorage, imageOf, Run, type RunOptions, withFailing } from "./emulated-update.js";

async function staged(version = "0.2.0"): Promise<Run> {
  const run = new Run(flashedStorage());
  await run.upload(bundled({ version }));
  return run;
}

async function onTrial(options?: RunOptions): Promise<Run> {
  return (await staged()).reboot("software", options);
}

describe("Firmware on trial", () => {
  test("logs how long the trial lasts", async () => {
    const run = await onTrial({ config: { CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S: "90" } });
    expect(linesOf(run.log)).toContain(
      "W ota: firmware 0.2.0 is on trial: it is rolled back unless it is confirmed within 90 s after its start",
    );
    run.clock.advance(30_000);
    expect(run.ota.status()).toMatchObject({ state: "pending_confirm", confirm_within_ms: 60_000 });
  });

  test("has the time since its boot, however long its start took", async () => {
    const run = await onTrial({ uptimeMs: 2000 });
    expect(run.ota.status()).toMatchObject({ confirm_within_ms: 298_000 });
    run.clock.advance(298_000);
    expect(run.system.restarts()).toBe(1);
  });

  test("is not rolled back before its time, nor by a closed service", async () => {
    const run = await onTrial();
    run.clock.advance(299_999);
    expect(run.system.restarts()).toBe(0);
    run.ota.close();
    run.ota.close();
    expect(run.clock.timerCount).toBe(0);
  });

  test("is rolled back even if that cannot be recorded", async () => {
    const staging = await staged();
    const { storage } = staging.reboot();
    const revert = () => {
      throw new Error("The flash does not answer");
    };
    const run = new Run(storage, { slots: withFailing(storage.slots, { revert }) });
    run.clock.advance(300_000);
    expect(run.system.restarts()).toBe(1);
    expect(run.reboot().ota.status()).toMatchObject({ last_result: { error: "reboot" } });
  });

  test("stays on trial if the confirmation cannot be stored", async () => {
    const { storage } = (await staged()).reboot();
    const confirm = () => {
      throw Object.assign(new Error("No space left"), { code: "storage_full" });
    };
    const run = new Run(storage, { slots: withFailing(storage.slots, { confirm }) });
    expect(() => run.ota.confirm()).toThrow(expect.objectContaining({ code: "storage_full" }));
    expect(run.ota.status()).toMatchObject({ state: "pending_confirm" });
    run.clock.advance(300_000);
    expect(run.reboot().ota.status()).toMatchObject({ running_version: "0.1.0" });
  });
});

describe("The old firmware reports about the new one", () => {
  test("that it lost power, at error level and once", async () => {
    const run = (await onTrial()).reboot("power_on");
    const message = "Firmware 0.2.0 lost power before it was confirmed";
    const last_result = { result: "rolled_back", error: "power_loss", message, version: "0.2.0" };
    expect(run.ota.status()).toMatchObject({ state: "idle", running_version: "0.1.0" });
    expect(run.ota.status().last_result).toStrictEqual(last_result);
    const line = `E ota: the update failed: ${message}`;
    expect(linesOf(run.log)).toContain(line);
    const next = run.reboot("power_on");
    expect(next.ota.status().last_result).toStrictEqual(last_result);
    expect(linesOf(next.log)).not.toContain(line);
  });

  test("the version of a damaged one, if still readable", async () => {
    const run = new Run(flashedStorage());
    const updater = run.storage.slots.open();
    updater.write(imageOf().subarray(0, -1));
    updater.complete();
    const message = "Firmware 0.2.0 was damaged at its start";
    expect(run.reboot().ota.status()).toMatchObject({ last_result: { error: "damaged", message } });
  });

  test("that it was damaged, if nothing is readable", async () => {
    const run = new Run(flashedStorage());
    const updater = run.storage.slots.open();
    updater.write(Uint8Array.of(1, 2, 3));
    updater.complete();
    const message = "The new firmware was damaged at its start";
    const last_result = { result: "rolled_back", error: "damaged", message };
    expect(run.reboot().ota.status().last_result).toStrictEqual(last_result);
  });

  test("that a board has replaced confirmed firmware, with the version of what was damaged", () => {
    const { slots } = flashedStorage();
    expect(rolledBack("replaced", slots)).toStrictEqual({
      result: "rolled_back",
      error: "replaced",
      message: "The confirmed firmware was damaged after it was confirmed",
    });
    slots.open().write(imageOf());
    expect(rolledBack("replaced", slots)).toMatchObject({
      message: "Firmware 0.2.0 was damaged after it was confirmed",
      version: "0.2.0",
    });
  });

  test("the result of each trial, one after the other", async () => {
    let run = await onTrial();
    run = run.reboot("crash");
    expect(await run.upload(bundled({ version: "0.3.0" }))).toMatchObject({ status: 200 });
    expect(run.ota.status()).toMatchObject({ last_result: { error: "crash" } });
    run = run.reboot();
    expect(run.ota.status()).toMatchObject({ last_result: { error: "crash" } });
    run = run.reboot("power_on");
    expect(run.ota.status()).toMatchObject({ last_result: { error: "power_loss", version: "0.3.0" } });
    await run.upload(bundled({ version: "0.4.0" }));
    run = run.reboot();
    run.ota.confirm();
    run = run.reboot();
    expect(run.ota.status()).toMatchObject({ last_result: { result: "confirmed", version: "0.4.0" } });
  });

  test("the result of the next trial, after the record with the last one's number was lost", async () => {
    let run = (await onTrial()).reboot("crash");
    run.storage.bootLoader.forget();
    run = run.reboot("power_on");
    await run.upload(bundled({ version: "0.3.0" }));
    run = run.reboot().reboot("watchdog");
    expect(run.ota.status()).toMatchObject({ last_result: { error: "watchdog", version: "0.3.0" } });
  });

  test("nothing, if it was staged and then dropped", async () => {
    const run = await staged();
    run.deliver({ transport: "http", body: bundled().subarray(0, 200), bodyByteLength: null }).abort();
    expect(run.reboot().ota.status()).not.toHaveProperty("last_result");
  });

  test("its result also if an upload was rejected in between", async () => {
    const run = await staged();
    await run.upload(Uint8Array.of(1, 2, 3, 4));
    const back = run.reboot().reboot("crash");
    expect(back.ota.status()).toMatchObject({ last_result: { result: "rolled_back", error: "crash" } });
  });
});

describe("The record of the last result", () => {
  const DAMAGED = ["", "{", "null", "[]", '{"result":"confirmed"}', '{"result":"eaten","trial":1}'];
  for (const text of DAMAGED)
    test(`is ignored if it is ${JSON.stringify(text)}, which is logged`, async () => {
      const { storage, settings } = new Run(flashedStorage());
      settings.write(LAST_UPDATE_SETTING, text);
      const run = new Run(storage);
      expect(run.ota.status()).not.toHaveProperty("last_result");
      const about = /^W ota: cannot read the result of the last update: /;
      expect(linesOf(run.log)).toEqual([expect.stringMatching(about)]);
      expect(await run.upload(bundled())).toMatchObject({ status: 200 });
    });

  test("that cannot be written is logged, counts in this run, and is written in the next", async () => {
    const trial = await onTrial();
    const { storage } = trial;
    const { keyValue } = storage;
    const open = keyValue.open.bind(keyValue);
    const full = Object.assign(new Error("No space left"), { code: "storage_full" });
    const failing = vi.spyOn(keyValue, "open").mockImplementation((options) => {
      const domain = open(options);
      const write = () => {
        throw full;
      };
      return withFailing(domain, { write });
    });
    const run = trial.reboot("crash");
    expect(run.ota.status()).toMatchObject({ last_result: { error: "crash" } });
    expect(linesOf(run.log)).toContainEqual(expect.stringContaining("cannot store the result"));
    failing.mockRestore();
    const next = run.reboot();
    expect(next.ota.status()).toMatchObject({ last_result: { error: "crash" } });
    expect(linesOf(next.log)).toContainEqual(expect.stringContaining("the update failed"));
  });
});
