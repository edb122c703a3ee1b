import { describe, expect, test } from "vitest";
import type { TrialEnd } from "../../../device/ports/firmware-slots.js";
import type { ResetReason } from "../../../protocol/device/answers.js";
import { writeImage } from "../../../tools/image.js";
import { FIRMWARE_SLOTS_CONTRACT, FIRMWARE_TRIAL_CONTRACT } from "../../contracts/firmware-slots.js";
import type { RunEnd } from "../../hosts/emulated-slots.js";
import { EmulatedStorage } from "../../hosts/emulated-storage.js";
import { runContract } from "./run-contract.js";

const OLD = writeImage({ program: "old", version: "0.1.0" });
const NEW = writeImage({ program: "a newer program", version: "0.2.0" });

function flashed(): EmulatedStorage {
  const storage = new EmulatedStorage({ slotBytes: 4096 });
  storage.bootLoader.flash(OLD);
  storage.bootLoader.boot("power_on");
  return storage;
}

function staged(image: Uint8Array): EmulatedStorage {
  const storage = flashed();
  const updater = storage.slots.open();
  for (let at = 0; at < image.length; at += 50) updater.write(image.subarray(at, at + 50));
  updater.complete();
  return storage;
}

function onTrial(): EmulatedStorage {
  const storage = staged(NEW);
  expect(storage.bootLoader.boot("software")).toEqual({ slot: "b", resetReason: "update" });
  return storage;
}

runContract("EmulatedSlots", FIRMWARE_SLOTS_CONTRACT, () => flashed().slots);
runContract("EmulatedSlots on trial", FIRMWARE_TRIAL_CONTRACT, () => onTrial().slots);

describe("The emulated boot loader", () => {
  const ENDS: readonly { why: RunEnd; lastEnd: TrialEnd }[] = [
    { why: "power_on", lastEnd: "power_loss" },
    { why: "software", lastEnd: "reboot" },
    { why: "crash", lastEnd: "crash" },
    { why: "watchdog", lastEnd: "watchdog" },
    { why: "timeout", lastEnd: "timeout" },
  ];
  for (const { why, lastEnd } of ENDS)
    test(`starts the old image after ${why} ends a trial`, () => {
      const { bootLoader, slots } = onTrial();
      expect(slots.running).toBe("b");
      expect(bootLoader.boot(why)).toEqual({ slot: "a", resetReason: "rollback" });
      expect(bootLoader.record).toEqual({ phase: "settled", trials: 1, lastEnd, confirmed: "a" });
    });

  const SETTLED: readonly { why: RunEnd; resetReason: ResetReason }[] = [
    { why: "power_on", resetReason: "power_on" },
    { why: "software", resetReason: "software" },
    { why: "crash", resetReason: "crash" },
    { why: "watchdog", resetReason: "watchdog" },
  ];
  for (const { why, resetReason } of SETTLED)
    test(`starts the confirmed image again after ${why}`, () => {
      const storage = onTrial();
      storage.slots.confirm();
      expect(storage.bootLoader.boot(why)).toEqual({ slot: "b", resetReason });
    });

  test("starts the old image after a program has ended its own trial", () => {
    const storage = onTrial();
    storage.slots.revert();
    expect(() => storage.slots.open()).toThrow("goes back to");
    expect(storage.bootLoader.boot("software")).toEqual({ slot: "a", resetReason: "rollback" });
    expect(storage.slots.record()).toEqual({ phase: "settled", trials: 1, lastEnd: "timeout" });
  });

  for (const at of [0, 12, 100, NEW.length - 1])
    test(`does not start an image whose byte ${at} is wrong`, () => {
      const image = Uint8Array.from(NEW);
      image[at] = (image[at] as number) ^ 1;
      const storage = staged(image);
      expect(storage.bootLoader.boot("software")).toEqual({ slot: "a", resetReason: "rollback" });
      expect(storage.slots.record()).toEqual({ phase: "settled", trials: 1, lastEnd: "damaged" });
    });

  test("starts nothing if the confirmed image is damaged", () => {
    const storage = staged(NEW);
    storage.bootLoader.flash(OLD.subarray(0, -1));
    expect(() => storage.bootLoader.boot("power_on")).toThrow("it is not whole");
  });

  test("forgets a staged image once the slot was opened", () => {
    const storage = staged(NEW);
    storage.slots.open();
    expect(storage.slots.record()).toEqual({ phase: "settled", trials: 1 });
    expect(storage.bootLoader.content("b")).toHaveLength(0);
  });
});

test("EmulatedSlots boots one whole image after any power cut, and may lose uncompleted writes", () => {
  const kept = new Set<number>();
  for (let operation = 1; operation <= 8; operation++)
    for (let seed = 0; seed < 20; seed++) {
      const storage = flashed();
      storage.cutPowerAt(operation, seed);
      const { slots } = storage;
      expect(() => {
        const updater = slots.open();
        for (let at = 0; at < 143; at += 29) updater.write(NEW.subarray(at, at + 29));
        updater.complete();
        storage.bootLoader.boot("software");
      }).toThrow("The power was cut");
      expect(() => slots.record()).toThrow("The power is off");
      storage.restart();
      expect(() => slots.record()).toThrow("before the restart");
      kept.add(storage.bootLoader.content("b").length);
      const { slot } = storage.bootLoader.boot("power_on");
      expect(slot).toBe(storage.slots.record().phase === "trial" ? "b" : "a");
      expect(Buffer.from(storage.bootLoader.content(slot))).toEqual(slot === "a" ? OLD : NEW);
    }
  expect(kept.size).toBeGreaterThan(20);
});
