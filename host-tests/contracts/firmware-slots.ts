/** Contract of all firmware slots, while the running firmware is confirmed and while it is on trial. */
import type { FirmwareSlots, SlotRecord } from "../../device/ports/firmware-slots.js";
import { ascii, type ContractCase, equal, equalBytes, throws } from "./assert.js";

const IMAGE = ascii("bytes that are not an image");

/** Bytes of one write while a case fills a slot; fits a board's heap. */
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
    name: "staging an image does not change which slot runs",
    run(slots) {
      const { running } = slots;
      equal(running === "a" || running === "b", true, `"${running}" is a slot`);
      stage(slots, IMAGE);
      equal(slots.running, running, "running");
    },
  },
  {
    name: "an image written in pieces is read back whole, and from an offset",
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
    name: "completing an image stages it and counts a trial",
    run(slots) {
      const { trials } = slots.record();
      stage(slots, IMAGE);
      equalRecord(slots.record(), { phase: "staged", trials: trials + 1 });
    },
  },
  {
    name: "an incomplete image is not staged",
    run(slots) {
      const before = slots.record();
      const updater = slots.open();
      updater.write(IMAGE);
      equalRecord(slots.record(), before);
      updater.close();
    },
  },
  {
    name: "open() drops the staged image and empties its slot",
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
    name: "close() of an incomplete updater empties the slot; a second close() does nothing",
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
    name: "close() of a completed updater changes nothing, nor does a second close()",
    run(slots) {
      const updater = stage(slots, IMAGE);
      updater.close();
      equal(slots.record().phase, "staged", "phase");
      equalBytes(contentOf(slots), IMAGE);
    },
  },
  {
    name: "a later image fully replaces an earlier one",
    run(slots) {
      const { trials } = slots.record();
      stage(slots, IMAGE);
      stage(slots, ascii("short"));
      equalBytes(contentOf(slots), ascii("short"));
      equalRecord(slots.record(), { phase: "staged", trials: trials + 2 });
    },
  },
  {
    name: "a completed or closed updater rejects write() and complete()",
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
    name: "open() throws while another updater writes",
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
    name: "a slot holds its capacity and rejects one byte more with storage_full",
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
    name: "confirm() and revert() throw without a running trial",
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
    name: "during a trial the other slot can be read but not opened",
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
    name: "confirm() ends the trial once, and open() works again",
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
    name: "revert() ends the trial once, and open() still throws",
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

/** Content of the slot that is not running; no image here is longer than the buffer. */
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
