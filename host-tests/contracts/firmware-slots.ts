/** What all firmware slots do: for firmware that is confirmed, and for firmware that is on trial. */
import type { FirmwareSlots, SlotRecord } from "../../device/ports/firmware-slots.js";
import { ascii, type ContractCase, equal, equalBytes, throws } from "./assert.js";

const IMAGE = ascii("no image that boots, but bytes");

/** Bytes of one write where a slot is being filled: not too many for a board's heap. */
const FILLING_BYTES = 16384;

/** The running firmware is confirmed. A fresh port has an empty slot beside it, and nothing is staged. */
export const FIRMWARE_SLOTS_CONTRACT: readonly ContractCase<FirmwareSlots>[] = [
  {
    name: "an empty slot has no bytes",
    run(slots) {
      equalBytes(contentOf(slots), new Uint8Array(0));
      equal(slots.readOther(new Uint8Array(4), 1000), 0, "bytes far behind its end");
    },
  },
  {
    name: "one of the slots runs, and opening the other does not change that",
    run(slots) {
      const { running } = slots;
      equal(running === "a" || running === "b", true, `"${running}" is a slot`);
      stage(slots, IMAGE);
      equal(slots.running, running, "running");
    },
  },
  {
    name: "what was written in pieces is read as a whole, and from anywhere in it",
    run(slots) {
      const updater = slots.open();
      for (let offset = 0; offset < IMAGE.length; offset += 7)
        updater.write(IMAGE.subarray(offset, offset + 7));
      updater.write(new Uint8Array(0));
      updater.complete();
      updater.close();
      equalBytes(contentOf(slots), IMAGE);
      const tail = new Uint8Array(10);
      equal(slots.readOther(tail, IMAGE.length - 4), 4, "bytes at the end");
      equalBytes(tail.subarray(0, 4), IMAGE.subarray(IMAGE.length - 4));
      equal(slots.readOther(tail, IMAGE.length), 0, "bytes behind the end");
    },
  },
  {
    name: "an image that is complete is staged, and counts as a trial that has not ended",
    run(slots) {
      const { trials } = slots.record();
      stage(slots, IMAGE);
      equalRecord(slots.record(), { phase: "staged", trials: trials + 1 });
    },
  },
  {
    name: "an image is not staged before it is complete",
    run(slots) {
      const before = slots.record();
      const updater = slots.open();
      updater.write(IMAGE);
      equalRecord(slots.record(), before);
      updater.close();
    },
  },
  {
    name: "opening drops what was staged, and empties its slot",
    run(slots) {
      stage(slots, IMAGE);
      const { trials } = slots.record();
      const updater = slots.open();
      equalRecord(slots.record(), { phase: "settled", trials });
      equalBytes(contentOf(slots), new Uint8Array(0));
      updater.close();
      equalRecord(slots.record(), { phase: "settled", trials });
    },
  },
  {
    name: "closing without completing empties the slot, also for a second time",
    run(slots) {
      const before = slots.record();
      const updater = slots.open();
      updater.write(IMAGE);
      updater.close();
      equalBytes(contentOf(slots), new Uint8Array(0));
      updater.close();
      equalRecord(slots.record(), before);
    },
  },
  {
    name: "closing after completing changes nothing, also for a second time",
    run(slots) {
      const updater = stage(slots, IMAGE);
      updater.close();
      equal(slots.record().phase, "staged", "phase");
      equalBytes(contentOf(slots), IMAGE);
    },
  },
  {
    name: "a later image takes the place of an earlier one whole",
    run(slots) {
      const { trials } = slots.record();
      stage(slots, IMAGE);
      stage(slots, ascii("short"));
      equalBytes(contentOf(slots), ascii("short"));
      equalRecord(slots.record(), { phase: "staged", trials: trials + 2 });
    },
  },
  {
    name: "an updater that is complete or closed writes no more",
    run(slots) {
      const complete = slots.open();
      complete.write(IMAGE);
      complete.complete();
      throws(() => complete.write(IMAGE), "write once it is complete");
      throws(() => complete.complete(), "complete once it is complete");
      complete.close();
      throws(() => complete.write(IMAGE), "write once it is closed");
      throws(() => complete.complete(), "complete once it is closed");
      equalBytes(contentOf(slots), IMAGE);
      const closed = slots.open();
      closed.close();
      throws(() => closed.complete(), "complete without an image");
      equal(slots.record().phase, "settled", "phase");
    },
  },
  {
    name: "there is one updater at a time",
    run(slots) {
      const updater = slots.open();
      updater.write(IMAGE);
      throws(() => slots.open(), "open while another one writes");
      updater.complete();
      equalBytes(contentOf(slots), IMAGE);
      updater.close();
    },
  },
  {
    name: "a slot holds what it says and no byte more",
    run(slots) {
      const { trials } = slots.record();
      const updater = slots.open();
      fill(slots, (bytes) => updater.write(bytes));
      const { code } = throws(() => updater.write(new Uint8Array(1)), "a byte too many") as { code?: string };
      equal(code, "storage_full", "code");
      equal(slots.readOther(new Uint8Array(8), slots.capacityBytes - 4), 4, "bytes at the end");
      updater.close();
      equalBytes(contentOf(slots), new Uint8Array(0));
      equal(slots.record().trials, trials, "trials");
    },
  },
  {
    name: "there is no trial to be ended",
    run(slots) {
      throws(() => slots.confirm(), "confirm while settled");
      throws(() => slots.revert(), "revert while settled");
      stage(slots, IMAGE);
      throws(() => slots.confirm(), "confirm while staged");
      throws(() => slots.revert(), "revert while staged");
      equal(slots.record().phase, "staged", "phase");
    },
  },
];

/** The running firmware is on trial. */
export const FIRMWARE_TRIAL_CONTRACT: readonly ContractCase<FirmwareSlots>[] = [
  {
    name: "what a failed trial goes back to is there to be read, and cannot be written",
    run(slots) {
      const before = slots.record();
      equal(before.phase, "trial", "phase");
      equal("lastEnd" in before, false, "that it has ended");
      throws(() => slots.open(), "open");
      equal(slots.readOther(new Uint8Array(8), 0), 8, "bytes of the other slot");
      equalRecord(slots.record(), before);
    },
  },
  {
    name: "confirming it keeps it, once, and the other slot can be written",
    run(slots) {
      const { trials } = slots.record();
      const { running } = slots;
      slots.confirm();
      equalRecord(slots.record(), { phase: "settled", trials, lastEnd: "confirmed" });
      equal(slots.running, running, "running");
      throws(() => slots.confirm(), "confirm again");
      throws(() => slots.revert(), "revert what is confirmed");
      slots.open().close();
      equalRecord(slots.record(), { phase: "settled", trials, lastEnd: "confirmed" });
    },
  },
  {
    name: "reverting ends it, and still the other slot cannot be written",
    run(slots) {
      const { trials } = slots.record();
      slots.revert();
      throws(() => slots.confirm(), "confirm what is given up");
      throws(() => slots.revert(), "revert again");
      throws(() => slots.open(), "open");
      equal(slots.readOther(new Uint8Array(8), 0), 8, "bytes of the other slot");
      equalRecord(slots.record(), { phase: "settled", trials, lastEnd: "timeout" });
    },
  },
];

function stage(slots: FirmwareSlots, image: Uint8Array) {
  const updater = slots.open();
  updater.write(image);
  updater.complete();
  updater.close();
  return updater;
}

/** Of the slot that is not running; no image here is longer than the buffer. */
function contentOf(slots: FirmwareSlots): Uint8Array {
  const buffer = new Uint8Array(64);
  return buffer.subarray(0, slots.readOther(buffer, 0));
}

function fill(slots: FirmwareSlots, write: (bytes: Uint8Array) => void): void {
  const bytes = new Uint8Array(FILLING_BYTES);
  for (let left = slots.capacityBytes; left > 0; left -= bytes.length) write(bytes.subarray(0, left));
}

function equalRecord(actual: SlotRecord, expected: SlotRecord): void {
  equal(fieldsOf(actual), fieldsOf(expected), "record");
}

function fieldsOf(record: SlotRecord): string {
  const lastEnd = record.phase === "settled" ? record.lastEnd : undefined;
  return JSON.stringify([record.phase, record.trials, lastEnd]);
}
