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
import { firmware, imageOf, provide, tell, tellAndSee } from "./boot-firmware.js";

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

/** What the start says first, of which firmware runs. */
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
  "with another R": flipped(signed, 0),
  "with another S": flipped(signed, 32),
  "with an S that is not below the order": Buffer.concat([
    signed.subarray(0, 32),
    Buffer.alloc(32, 255),
    signed.subarray(64),
  ]),
  "under another key": Buffer.concat([signed.subarray(0, 64), signFor(NEW, STRANGER).subarray(64)]),
  "under a key of small order": Buffer.concat([signed.subarray(0, 64), Buffer.from([1]), Buffer.alloc(31)]),
  "with the signature of other firmware": signFor(EVIL),
};

for (const [name, proof] of Object.entries(FORGERIES))
  test(`firmware that was staged ${name} is not tried`, async () => {
    const console = await start(newState(), OLD);
    provide(console.state, NEW, proof);
    expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(REFUSED);
    await console.stop();
  });

test("bytes behind the program are signed too", async () => {
  const console = await start(newState(), OLD);
  const longer = Buffer.concat([NEW, Buffer.from("behind the program")]);
  provide(console.state, longer, signFor(NEW));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(REFUSED);
  provide(console.state, longer);
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
  await console.stop();
});

/** Slot b runs new firmware, confirmed; slot a has what was programmed. */
async function updated(): Promise<string> {
  const console = await start(newState(), OLD);
  provide(console.state, NEW);
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await tell(console, "confirm");
  await console.stop();
  expect(await startAndStop(console.state)).toBe(CONFIRMED);
  return console.state;
}

test("a whole image that is written over a confirmed one does not run, signed by anybody or not", async () => {
  const state = await updated();
  writeFileSync(slotFile(state, "b"), EVIL);
  expect(await startAndStop(state)).toMatch(/^old a rollback /);
  for (const slot of ["a", "b"]) writeFileSync(slotFile(state, slot), EVIL);
  expect(await refusalOf(state)).toBe(
    "console: the firmware in slot a is not what was verified for it: flash it with --image FILE",
  );
});

test("an image that is written over the programmed one does not run, and flashing mends it", async () => {
  const state = newState();
  await (await start(state, OLD)).stop();
  writeFileSync(slotFile(state, "a"), EVIL);
  expect(await refusalOf(state)).toContain("is not what was verified for it");
  const again = await start(state, OLD);
  expect(again.flashed).toHaveLength(1);
  expect(await again.waitForLine(LINE)).toMatch(/^old a power_on /);
  await again.stop();
});

test("a seal of another console's, of the other slot's or with any bit changed lets nothing run", async () => {
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

test("lengths in the files of a slot are not trusted", async () => {
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

test("slots, seals and record of a console without its secret are nothing to it", async () => {
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

/** At 92, in little-endian. The digest that the image has of itself is at 96. */
function withSecurityVersion(name: string, securityVersion: number): Buffer {
  return imageOf(firmware(name), securityVersion);
}

test("firmware below the security version that was confirmed is not started, and only a confirmation raises it", async () => {
  const console = await start(newState(), OLD);
  const stage = (image: Uint8Array) => provide(console.state, image);
  stage(withSecurityVersion("new", 2));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  expect(await tellAndSee(console, ["restart"], LINE)).toContain('"lastEnd":"reboot"');
  stage(withSecurityVersion("new", 1));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL.replace("1}", "2}"));
  await tell(console, "confirm");
  stage(withSecurityVersion("old", 0));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(
    'new b rollback {"phase":"settled","trials":3,"lastEnd":"damaged"}',
  );
  stage(withSecurityVersion("old", 1));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(
    'old a update {"phase":"trial","trials":4}',
  );
  await console.stop();
});

test("firmware below the security version that was confirmed does not stand in for what is damaged", async () => {
  const console = await start(newState(), OLD);
  provide(console.state, withSecurityVersion("new", 1));
  expect(await tellAndSee(console, ["stage", "restart"], LINE)).toBe(TRIAL);
  await tell(console, "confirm");
  await console.stop();
  renameSync(slotFile(console.state, "b"), slotFile(console.state, "gone"));
  expect(await refusalOf(console.state)).toBe(
    "console: the firmware in slot b is not whole: flash it with --image FILE",
  );
});
