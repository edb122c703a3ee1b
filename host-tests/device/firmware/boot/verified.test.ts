/**
 * Before firmware runs, the boot loader checks who signed it, with nothing that the slots' own files could forge
 * (docs/spec/boot-and-slots.md#verified).
 */
import { generateKeyPairSync } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { signFor } from "../../../hosts/signed-slot.js";
import { type Console, ConsoleDidNotStart, startConsole } from "../../../hosts/simulator.js";
import { firmware, imageOf, provide, send, sendAndAwait } from "./boot-firmware.js";

const OLD = firmware("old");
const NEW = imageOf(firmware("new"));
const EVIL = imageOf(firmware("evil"));
const LINE = /^(old|new|evil) [ab] /;
const TRIAL = 'new b update {"phase":"trial","trials":1}';
const REFUSED = 'old a rollback {"phase":"settled","trials":1,"lastEnd":"damaged"}';
const CONFIRMED = 'new b power_on {"phase":"settled","trials":1,"lastEnd":"confirmed"}';

const states: string[] = [];
afterEach(() => {
  for (const state of states.splice(0)) rmSync(state, { recursive: true, force: true });
});

function newState(): string {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  states.push(state);
  return state;
}

const slotFile = (state: string, name: string) => path.join(state, "slots", name);

async function start(state: string, image: string | null = null): Promise<Console> {
  return startConsole({ image, state });
}

/** Starts and stops the console. @returns the line that names the running firmware */
async function startAndStop(state: string): Promise<string> {
  const console = await start(state);
  const line = await console.waitForLine(LINE);
  await console.stop();
  return line;
}

async function refusalOf(state: string): Promise<string> {
  const refusal = await start(state).catch((error) => error);
  expect(refusal).toBeInstanceOf(ConsoleDidNotStart);
  expect(refusal.status).toBe(1);
  return refusal.stderr.at(-1);
}

function flipped(bytes: Uint8Array, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset);
  return copy;
}

const signed = signFor(NEW);
const STRANGER = generateKeyPairSync("ed25519").privateKey;
const FORGERIES: Readonly<Record<string, Uint8Array>> = {
  "without a signature": new Uint8Array(0),
  "with a wrong R": flipped(signed, 0),
  "with a wrong S": flipped(signed, 32),
  "with an S that is not below the group order": Buffer.concat([
    signed.subarray(0, 32),
    Buffer.alloc(32, 255),
    signed.subarray(64),
  ]),
  "with another public key": Buffer.concat([signed.subarray(0, 64), signFor(NEW, STRANGER).subarray(64)]),
  "with a public key of small order": Buffer.concat([
    signed.subarray(0, 64),
    Buffer.from([1]),
    Buffer.alloc(31),
  ]),
  "with the signature of other firmware": signFor(EVIL),
};

for (const [name, proof] of Object.entries(FORGERIES))
  test(`firmware staged ${name} is not started`, async () => {
    const console = await start(newState(), OLD);
    provide(console.state, NEW, proof);
    expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(REFUSED);
    await console.stop();
  });

test("the signature covers the bytes behind the program", async () => {
  const console = await start(newState(), OLD);
  const longer = Buffer.concat([NEW, Buffer.from("behind the program")]);
  provide(console.state, longer, signFor(NEW));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(REFUSED);
  provide(console.state, longer);
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
  await console.stop();
});

/** Slot b holds new, confirmed firmware; slot a the flashed firmware. */
async function updated(): Promise<string> {
  const console = await start(newState(), OLD);
  provide(console.state, NEW);
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await send(console, "confirm");
  await console.stop();
  expect(await startAndStop(console.state)).toBe(CONFIRMED);
  return console.state;
}

test("an image written over confirmed firmware does not run", async () => {
  const state = await updated();
  writeFileSync(slotFile(state, "b"), EVIL);
  expect(await startAndStop(state)).toMatch(/^old a rollback /);
  for (const slot of ["a", "b"]) writeFileSync(slotFile(state, slot), EVIL);
  expect(await refusalOf(state)).toBe(
    "console: the firmware in slot a is not what was verified for it: flash it with --image FILE",
  );
});

test("an image written over flashed firmware does not run, and flashing repairs the slot", async () => {
  const state = newState();
  await (await start(state, OLD)).stop();
  writeFileSync(slotFile(state, "a"), EVIL);
  expect(await refusalOf(state)).toContain("is not what was verified for it");
  const again = await start(state, OLD);
  expect(again.flashed).toHaveLength(1);
  expect(await again.waitForLine(LINE)).toMatch(/^old a power_on /);
  await again.stop();
});

test("a seal of another console, of another slot or with any field changed prevents the start", async () => {
  const state = await updated();
  const stranger = await updated();
  const seal = readFileSync(slotFile(state, "b.seal"));
  const forged = [
    readFileSync(slotFile(stranger, "b.seal")),
    readFileSync(slotFile(state, "a.seal")),
    ...[0, 8, 12, 16, 20, 24, 56, 120, 152, 183].map((offset) => flipped(seal, offset)),
    seal.subarray(0, -1),
  ];
  rmSync(slotFile(state, "a"));
  for (const bytes of forged) {
    writeFileSync(slotFile(state, "b.seal"), bytes);
    expect(await refusalOf(state)).toContain("is not what was verified for it");
  }
  writeFileSync(slotFile(state, "b.seal"), seal);
  expect(await startAndStop(state)).toBe(CONFIRMED);
});

test("wrong lengths of a slot or in its header are reported", async () => {
  const state = await updated();
  rmSync(slotFile(state, "a"));
  for (const size of [0, 1, 127, 128, 129]) {
    writeFileSync(slotFile(state, "b"), NEW.subarray(0, size));
    expect(await refusalOf(state)).toContain("is not whole");
  }
  const endless = Buffer.from(NEW);
  endless.writeUInt32LE(0xffffffff, 12);
  writeFileSync(slotFile(state, "b"), endless);
  expect(await refusalOf(state)).toContain("is not whole");
});

test("slots, seals and records copied from another console are not accepted", async () => {
  const state = await updated();
  const stranger = newState();
  await (await start(stranger, OLD)).stop();
  rmSync(path.join(stranger, "slots"), { recursive: true });
  cpSync(path.join(state, "slots"), path.join(stranger, "slots"), { recursive: true });
  expect(await refusalOf(stranger)).toContain("flash it with --image FILE");
});

test("a damaged secret is reported, and not replaced", async () => {
  const state = await updated();
  const secret = path.join(state, "fuses.bin");
  const bytes = readFileSync(secret);
  expect(bytes).toHaveLength(32);
  rmSync(secret);
  writeFileSync(secret, bytes.subarray(1));
  expect(await refusalOf(state)).toMatch(/^console: cannot use ".*fuses.bin": it does not have 32 bytes$/);
});

test("without its secret, a console makes another one and runs nothing until it is flashed", async () => {
  const state = await updated();
  const secret = path.join(state, "fuses.bin");
  const before = readFileSync(secret);
  rmSync(secret);
  expect(await refusalOf(state)).toContain("flash it with --image FILE");
  const made = readFileSync(secret);
  expect(made).toHaveLength(32);
  expect(made).not.toEqual(before);
  const console = await start(state, OLD);
  expect(await console.waitForLine(LINE)).toBe('old a power_on {"phase":"settled","trials":0}');
  await console.stop();
  expect(readFileSync(secret)).toEqual(made);
});

/** The image header holds the security version at 92, in little-endian, and the digest at 96. */
function withSecurityVersion(name: string, securityVersion: number): Buffer {
  return imageOf(firmware(name), securityVersion);
}

test("firmware below the confirmed security version is not started, and a trial alone does not raise the version", async () => {
  const console = await start(newState(), OLD);
  const stage = (image: Uint8Array) => provide(console.state, image);
  stage(withSecurityVersion("new", 2));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await sendAndAwait(console, ["restart"], LINE)).toContain('"lastEnd":"reboot"');
  stage(withSecurityVersion("new", 1));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
  await send(console, "confirm");
  stage(withSecurityVersion("old", 0));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(
    'new b rollback {"phase":"settled","trials":3,"lastEnd":"damaged"}',
  );
  stage(withSecurityVersion("old", 1));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(
    'old a update {"phase":"trial","trials":4}',
  );
  await console.stop();
});

test("firmware below the confirmed security version does not replace damaged firmware", async () => {
  const console = await start(newState(), OLD);
  provide(console.state, withSecurityVersion("new", 1));
  expect(await sendAndAwait(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await send(console, "confirm");
  await console.stop();
  renameSync(slotFile(console.state, "b"), slotFile(console.state, "gone"));
  expect(await refusalOf(console.state)).toBe(
    "console: the firmware in slot b is not whole: flash it with --image FILE",
  );
});
