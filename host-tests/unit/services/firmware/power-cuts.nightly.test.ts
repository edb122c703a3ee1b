/**
 * Power is cut at every operation of firmware updates, and at every operation of what follows each cut
 * (docs/spec/boot-and-slots.md#atomic).
 */
import { describe, expect, test } from "vitest";
import type { Upload } from "../../../faults/belief.js";
import { beginning, beginningByCable, live, nameOf } from "../../../faults/console-life.js";
import type { Firmware } from "../../../faults/firmware.js";
import type { Move } from "../../../faults/update-move.js";
import type { RunEnd } from "../../../hosts/emulated-slots.js";
import { sweepLife } from "../../../hosts/power-sweep.js";

/** Each cut loses other unflushed data. */
const SEEDS = Object.freeze([2, 2]);

const LEAST_CUTS = 5000;
let cuts = 0;

function sweeps(name: string, moves: readonly Move[], begin = beginning): void {
  test(name, { timeout: 120_000 }, async () => {
    const tried = await sweepLife({ live, nameOf }, begin(moves), SEEDS);
    expect(tried).toBeGreaterThan(0);
    cuts += tried;
  });
}

const SMALL: Firmware = { version: "0.2.0", programBytes: 0 };
const MIDDLE: Firmware = { version: "0.2.0", programBytes: 1500 };
const LARGE: Firmware = { version: "0.2.0", programBytes: 12_000 };
const NEWER: Firmware = { version: "0.3.0", programBytes: 700 };

const upload = (firmware: Firmware, how: Partial<Upload> = {}): Move => ({
  kind: "upload",
  upload: { firmware, chunkBytes: 512, ...how },
});
const end = (why: RunEnd): Move => ({ kind: "end", why });
const RESTART = end("software");
const CONFIRM: Move = { kind: "confirm" };
const WAIT: Move = { kind: "wait" };

describe("Whenever power is lost, the old firmware or the new one runs, if", () => {
  const WAYS: readonly { name: string; firmware: Firmware; how: Omit<Upload, "firmware"> }[] = [
    { name: "chunks of 1 byte", firmware: SMALL, how: { chunkBytes: 1 } },
    { name: "chunks of 7 bytes", firmware: SMALL, how: { chunkBytes: 7 } },
    { name: "chunks of 512 bytes", firmware: MIDDLE, how: { chunkBytes: 512 } },
    { name: "chunks of 2048 bytes", firmware: LARGE, how: { chunkBytes: 2048 } },
    { name: "chunks of 3072 bytes", firmware: LARGE, how: { chunkBytes: 3072 } },
    { name: "one request", firmware: SMALL, how: {} },
    { name: "one request, in pieces of 1000 bytes", firmware: LARGE, how: { pieceBytes: 1000 } },
  ];
  for (const { name, firmware, how } of WAYS)
    sweeps(`it comes in ${name} (${firmware.programBytes} bytes)`, [
      { kind: "upload", upload: { firmware, ...how } },
      RESTART,
      CONFIRM,
    ]);

  const ends: readonly RunEnd[] = ["software", "crash", "watchdog", "timeout", "power_on"];
  for (const why of ends) sweeps(`its trial ends by ${why}`, [upload(MIDDLE), RESTART, end(why)]);
  sweeps("it is not confirmed", [upload(MIDDLE), RESTART, WAIT]);

  sweeps("it brings other keys", [upload({ ...MIDDLE, keys: "second" }), RESTART, CONFIRM]);
  sweeps("it would have brought other keys", [upload({ ...MIDDLE, keys: "second" }), RESTART, RESTART]);
  sweeps("it brings the first keys back", [
    upload({ ...SMALL, keys: "second" }, { chunkBytes: 3072 }),
    RESTART,
    CONFIRM,
    upload({ ...NEWER, keys: "first" }),
    RESTART,
    CONFIRM,
  ]);

  sweeps(
    "it is the first after the one that came by cable with the first keys",
    [upload({ ...SMALL, keys: "second" }), RESTART, CONFIRM],
    beginningByCable,
  );

  sweeps("its signature is wrong", [upload(MIDDLE, { flaw: "signature" }), RESTART, CONFIRM]);
  sweeps("its CRC is wrong", [upload(MIDDLE, { flaw: "crc" }), RESTART, CONFIRM]);
  sweeps("it is for another board", [upload({ ...MIDDLE, board: "another" }), RESTART, CONFIRM]);
  sweeps("it is older", [upload({ ...MIDDLE, version: "0.0.9" }), RESTART, CONFIRM]);
  sweeps("half of it comes", [upload(MIDDLE, { flaw: "broken_off" }), RESTART, CONFIRM]);

  sweeps("it replaces what is staged", [upload(MIDDLE), upload(NEWER), RESTART, CONFIRM]);
  for (const flaw of ["signature", "broken_off"] as const)
    sweeps(`what is staged makes way for a bundle with a flaw (${flaw})`, [
      upload(MIDDLE),
      upload(NEWER, { flaw, chunkBytes: 256 }),
      RESTART,
      CONFIRM,
    ]);
  sweeps("it comes while other firmware is on trial", [upload(MIDDLE), RESTART, upload(NEWER), CONFIRM]);
  sweeps("it comes after one that failed", [
    upload(SMALL),
    RESTART,
    end("crash"),
    upload(MIDDLE),
    RESTART,
    CONFIRM,
  ]);
});

test(`Power was cut at least ${LEAST_CUTS} times`, () => {
  console.log(`firmware updates: ${cuts} power cuts tried`);
  expect(cuts).toBeGreaterThanOrEqual(LEAST_CUTS);
});
