/**
 * A damaged image never runs: its trial ends before it begins, and unconfirmed firmware never replaces it
 * (docs/spec/boot-and-slots.md#damaged).
 */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Console, ConsoleDidNotStart, startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, send, sendAndAwait } from "./boot-firmware.js";

const OLD = firmware("old");
const NEW = imageOf(firmware("new"));
const LINE = /^(old|new) [ab] /;
const DAMAGED = 'old a rollback {"phase":"settled","trials":1,"lastEnd":"damaged"}';

const states: string[] = [];
afterEach(() => {
  for (const state of states.splice(0)) rmSync(state, { recursive: true, force: true });
});

async function startOld(): Promise<Console> {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  states.push(state);
  const console = await startConsole({ image: OLD, state });
  expect(await console.waitForLine(LINE)).toBe('old a power_on {"phase":"settled","trials":0}');
  return console;
}

function flipped(image: Uint8Array, offset: number): Buffer {
  const copy = Buffer.from(image);
  copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset);
  return copy;
}

function claiming(image: Uint8Array, programBytes: number): Buffer {
  const copy = Buffer.from(image);
  copy.writeUInt32LE(programBytes, 12);
  return copy;
}

/** Offsets are those of tools/image.ts. */
const DAMAGES: readonly { readonly name: string; readonly image: Uint8Array }[] = [
  { name: "has a wrong magic", image: flipped(NEW, 0) },
  { name: "has a wrong format", image: flipped(NEW, 8) },
  { name: "has a wrong header length", image: flipped(NEW, 10) },
  { name: "declares a program one byte shorter", image: claiming(NEW, NEW.length - 129) },
  { name: "declares a program one byte longer", image: claiming(NEW, NEW.length - 127) },
  { name: "declares the longest possible program", image: claiming(NEW, 0xffffffff) },
  { name: "has a wrong version", image: flipped(NEW, 16) },
  { name: "has a wrong board", image: flipped(NEW, 48) },
  { name: "has a wrong digest", image: flipped(NEW, 127) },
  { name: "has a wrong first byte of program", image: flipped(NEW, 128) },
  { name: "has a wrong last byte of program", image: flipped(NEW, NEW.length - 1) },
  { name: "lacks its last byte", image: NEW.subarray(0, -1) },
  { name: "lacks its program", image: NEW.subarray(0, 128) },
  { name: "lacks the end of its header", image: NEW.subarray(0, 127) },
  { name: "is empty", image: new Uint8Array(0) },
];

test("a damaged staged image is not started, whichever part is damaged", async () => {
  const console = await startOld();
  for (const [index, { name, image }] of DAMAGES.entries()) {
    provide(console.state, image);
    const line = await sendAndAwait(console, ["stage", "restart"], LINE);
    expect(line, name).toBe(DAMAGED.replace('"trials":1', `"trials":${index + 1}`));
  }
  expect(await console.stop()).toBe(0);
});

test("bytes behind the image in its slot are ignored", async () => {
  const console = await startOld();
  provide(console.state, Buffer.concat([NEW, Buffer.alloc(5000, 1)]));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(
    'new b update {"phase":"trial","trials":1}',
  );
  await console.stop();
});

test("a whole image is started after a damaged one", async () => {
  const console = await startOld();
  provide(console.state, flipped(NEW, 200));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(DAMAGED);
  provide(console.state, NEW);
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(
    'new b update {"phase":"trial","trials":2}',
  );
  await console.stop();
});

const slotFile = (state: string, name: string) => path.join(state, "slots", name);

const DAMAGE: Readonly<Record<string, (file: string) => void>> = {
  changed: (file) => writeFileSync(file, flipped(readFileSync(file), 300)),
  truncated: (file) => truncateSync(file, 300),
  missing: (file) => rmSync(file),
};

/** Slot a is confirmed; slot b holds whole firmware whose trial ended unconfirmed. */
async function stoppedAfterTrial(): Promise<string> {
  const console = await startOld();
  provide(console.state, NEW);
  await sendAndAwait(console, ["stage", "restart"], LINE);
  await sendAndAwait(console, ["restart"], LINE);
  await console.stop();
  return console.state;
}

for (const [name, damage] of Object.entries(DAMAGE))
  test(`with ${name} confirmed firmware, the console does not start unconfirmed firmware and needs flashing`, async () => {
    const state = await stoppedAfterTrial();
    damage(slotFile(state, "a"));
    const refusal = await startConsole({ image: null, state }).catch((error) => error);
    expect(refusal).toBeInstanceOf(ConsoleDidNotStart);
    expect(refusal.status).toBe(1);
    expect(refusal.stderr).toEqual([
      "console: the firmware in slot a is not whole: flash it with --image FILE",
    ]);
    const again = await startConsole({ image: OLD, state });
    expect(again.flashed).toHaveLength(1);
    expect(await again.waitForLine(LINE)).toBe('old a power_on {"phase":"settled","trials":1}');
    await again.stop();
  });

test("the console ends when a trial fails while the previous firmware is damaged", async () => {
  const console = await startOld();
  provide(console.state, NEW);
  await sendAndAwait(console, ["stage", "restart"], LINE);
  truncateSync(slotFile(console.state, "a"), 10);
  await send(console, "restart");
  expect(await console.exited).toBe(1);
  expect(console.stderr.at(-1)).toContain("slot a is not whole");
});

const COPIES = ["boot.a", "boot.b"];
const WRONG_OFFSETS = [0, 8, 12, 16, 20, 21, 22, 23, 24, 56, 60, 91];

/** Damaged copies of the record: a bit of each part flipped, the end cut off, empty. */
function damaged(copy: Buffer): readonly Buffer[] {
  const flips = WRONG_OFFSETS.map((offset) => flipped(copy, offset));
  return [...flips, copy.subarray(0, -1), Buffer.alloc(0)];
}

test("a damaged or missing copy of the boot record is ignored", async () => {
  const state = await stoppedAfterTrial();
  for (const copy of COPIES) {
    const whole = readFileSync(slotFile(state, copy));
    for (const record of damaged(whole)) {
      writeFileSync(slotFile(state, copy), record);
      const console = await startConsole({ image: null, state });
      expect(await console.waitForLine(LINE)).toBe(
        'old a power_on {"phase":"settled","trials":1,"lastEnd":"reboot"}',
      );
      await console.stop();
    }
    rmSync(slotFile(state, copy));
    const console = await startConsole({ image: null, state });
    expect(await console.waitForLine(LINE)).toMatch(/"trials":1/);
    await console.stop();
    writeFileSync(slotFile(state, copy), whole);
  }
});

test("a boot record of another console is ignored, and an older one does not override a newer one", async () => {
  const [state, stranger] = [await stoppedAfterTrial(), await stoppedAfterTrial()];
  const older = readFileSync(slotFile(state, "boot.b"));
  provide(state, NEW);
  const staging = await startConsole({ image: null, state });
  await send(staging, "stage");
  await staging.stop();
  writeFileSync(slotFile(state, "boot.a"), readFileSync(slotFile(stranger, "boot.a")));
  const first = await startConsole({ image: null, state });
  expect(await first.waitForLine(LINE)).toBe('new b update {"phase":"trial","trials":2}');
  await first.stop();
  writeFileSync(slotFile(state, "boot.a"), older);
  const second = await startConsole({ image: null, state });
  expect(await second.waitForLine(LINE)).toContain('"trials":2');
  await second.stop();
});

test("without a valid boot record, the last confirmed firmware runs, settled and with no trials", async () => {
  const state = await stoppedAfterTrial();
  const damage = () => {
    for (const copy of COPIES) writeFileSync(slotFile(state, copy), Buffer.alloc(92, 1));
  };
  damage();
  const first = await startConsole({ image: null, state });
  expect(await first.waitForLine(LINE)).toBe('old a power_on {"phase":"settled","trials":0}');
  expect(first.stderr[0]).toMatch(/^console: no copy of the record of what boots holds/);
  provide(state, NEW);
  await sendAndAwait(first, ["stage", "restart"], LINE);
  await send(first, "confirm");
  await first.stop();
  damage();
  const second = await startConsole({ image: null, state });
  expect(await second.waitForLine(LINE)).toBe('new b power_on {"phase":"settled","trials":0}');
  await second.stop();
});

/** Slot b is confirmed; slot a holds the previously confirmed firmware. */
async function stoppedAfterUpdate(): Promise<string> {
  const console = await startOld();
  provide(console.state, NEW);
  await sendAndAwait(console, ["stage", "restart"], LINE);
  await send(console, "confirm");
  await console.stop();
  return console.state;
}

for (const [name, damage] of Object.entries(DAMAGE))
  test(`with ${name} confirmed firmware, the previously confirmed firmware runs and can be updated`, async () => {
    const state = await stoppedAfterUpdate();
    damage(slotFile(state, "b"));
    const console = await startConsole({ image: null, state });
    expect(await console.waitForLine(LINE)).toBe('old a rollback {"phase":"settled","trials":1}');
    expect(console.stderr[0]).toBe(
      "console: the firmware in slot b is not whole: that in slot a, confirmed before it, runs instead",
    );
    expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(
      'new b update {"phase":"trial","trials":2}',
    );
    await console.stop();
  });

test("without a boot record and confirmed firmware, unconfirmed firmware does not run", async () => {
  const state = await stoppedAfterTrial();
  rmSync(slotFile(state, "a"));
  for (const copy of COPIES) rmSync(slotFile(state, copy));
  const refusal = await startConsole({ image: null, state }).catch((error) => error);
  expect(refusal).toMatchObject({ status: 1 });
  expect(refusal.stderr.join()).toContain("flash it with --image FILE");
});
