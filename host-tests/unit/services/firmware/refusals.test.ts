/**
 * Firmware that is not taken: every code, which of two comes first, and what is left afterwards
 * (docs/spec/firmware-bundles.md#check-order).
 */
import { createPublicKey, type KeyObject } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Updater } from "../../../../device/ports/firmware-slots.js";
import { FAULT_STATUS, type FaultCode } from "../../../../protocol/fault.js";
import { verifySignature } from "../../../../protocol/signature/ed25519.js";
import { nodeSignatures } from "../../../hosts/node-bytes.js";
import { bundleOf, FOREIGNER, flipped, newSigner, SIGNER } from "../../protocol/firmware/bundling.js";
import { newKeys, pem, writeCertificate } from "../../protocol/keys/certificate-writer.js";
import { linesOf } from "../apps/emulated-apps.js";
import { trust } from "../apps/emulated-installer.js";
import {
  bundled,
  flashedStorage,
  imageOf,
  pemOf,
  Run,
  type Sent,
  slotsOf,
  withFailing,
} from "./emulated-update.js";

const image = imageOf();
const bundle = bundleOf(image);
const cut = (bytes: Uint8Array, byteLength: number) => bytes.subarray(0, byteLength);
const longer = (bytes: Uint8Array) => Uint8Array.from([...bytes, 0]);

interface Refused extends Partial<Sent> {
  readonly name: string;
  readonly body: Uint8Array;
  readonly code: FaultCode;
}

/** In the order in which they are reported; the second of each kind has the next fault as well. */
const REFUSALS: readonly Refused[] = [
  { name: "another magic", body: bundleOf(image, { magic: "AKFX" }), code: "bundle_magic" },
  {
    name: "another magic and format",
    body: bundleOf(image, { magic: "PK..", formatVersion: 2 }),
    code: "bundle_magic",
  },
  { name: "another format", body: bundleOf(image, { formatVersion: 2 }), code: "bundle_version" },
  {
    name: "another format and length",
    body: bundleOf(image, { formatVersion: 2, lengthError: 1 }),
    code: "bundle_version",
  },
  { name: "a length that is too large", body: bundleOf(image, { lengthError: 1 }), code: "bundle_length" },
  { name: "a length that is too small", body: bundleOf(image, { lengthError: -1 }), code: "bundle_length" },
  { name: "one byte too many", body: longer(bundle), bodyByteLength: null, code: "bundle_length" },
  {
    name: "one byte too few",
    body: cut(bundle, bundle.length - 1),
    bodyByteLength: null,
    code: "bundle_length",
  },
  { name: "an end within the header", body: cut(bundle, 77), bodyByteLength: null, code: "bundle_length" },
  { name: "an end within the magic", body: cut(bundle, 2), code: "bundle_length" },
  {
    name: "another length, by another key",
    body: bundleOf(image, { lengthError: 1, signer: FOREIGNER }),
    code: "bundle_length",
  },
  {
    name: "a length that no slot holds",
    body: bundleOf(image, { lengthError: 100_000 }),
    bodyByteLength: null,
    code: "file_too_large",
  },
  { name: "more bytes than a slot holds", body: bundled({ programBytes: 65_536 }), code: "file_too_large" },
  {
    name: "another key's signature",
    body: bundleOf(image, { signer: FOREIGNER }),
    code: "signature_invalid",
  },
  { name: "a changed image", body: flipped(bundle, 8 * bundle.length - 1), code: "signature_invalid" },
  {
    name: "another key's signature and another CRC",
    body: bundleOf(image, { signer: FOREIGNER, crcError: 1 }),
    code: "signature_invalid",
  },
  { name: "another CRC", body: bundleOf(image, { crcError: 1 }), code: "bundle_crc" },
  {
    name: "another CRC, and no image",
    body: bundleOf(new Uint8Array(500), { crcError: 1 }),
    code: "bundle_crc",
  },
  { name: "no image", body: bundleOf(new Uint8Array(500)), code: "image_invalid" },
  { name: "an empty image", body: bundleOf(new Uint8Array(0)), code: "image_invalid" },
  { name: "a truncated image", body: bundleOf(cut(image, 129)), code: "image_invalid" },
  { name: "an older version", body: bundled({ version: "0.0.9" }), code: "version_downgrade" },
  {
    name: "an older version for another board",
    body: bundled({ version: "0.0.9", board: "toaster" }),
    code: "version_downgrade",
  },
  { name: "another board", body: bundled({ board: "toaster" }), code: "wrong_board" },
  { name: "another architecture", body: bundled({ architecture: "xtensa" }), code: "wrong_board" },
];

describe("A bundle is rejected for", () => {
  for (const { name, code, ...sent } of REFUSALS)
    test(`${name}: ${code}`, async () => {
      const run = new Run(flashedStorage());
      const before = slotsOf(run);
      const reply = await run.upload(sent.body, sent);
      expect(reply).toMatchObject({ status: FAULT_STATUS[code], body: { error: code } });
      expect(slotsOf(run)).toEqual(before);
      expect(run.ota.status()).toMatchObject({ state: "idle" });
    });

  test("each of these reasons also in chunks, byte by byte or at once", async () => {
    const run = new Run(flashedStorage());
    for (const { code, body } of REFUSALS.filter(({ bodyByteLength }) => bodyByteLength === undefined)) {
      const error = { body: { error: code } };
      expect(await run.uploadInChunks(body, { chunkBytes: 3072 })).toMatchObject(error);
      if (body.length > 60_000) continue;
      expect(await run.upload(body, { pieceBytes: 1, bodyByteLength: null })).toMatchObject(error);
      expect(await run.upload(body, { pieceBytes: body.length })).toMatchObject(error);
    }
  });

  test("a length that its chunks cannot have, as soon as it is read", async () => {
    const run = new Run(flashedStorage());
    const body = bundleOf(imageOf({ programBytes: 7000 }));
    const parameters = { chunk: 1, total: 2 };
    expect(await run.send({ parameters, body: cut(body, 78) })).toMatchObject({
      body: { error: "bundle_length" },
    });
  });

  const NOT_TRUSTING = [
    { name: "no file of keys", keys: undefined },
    { name: "an empty file of keys", keys: "" },
    { name: "another key", keys: pemOf(FOREIGNER) },
    { name: "its key for other roles", keys: `# roles: app, hub, native\n${pemOf(SIGNER)}` },
    { name: "its key with a roles line that cannot be read", keys: `# roles: firmware!\n${pemOf(SIGNER)}` },
    { name: "its key in a certificate whose root may sign apps only", keys: certificateOfAppRoot() },
    { name: "a certificate without a chain to a root", keys: looseCertificate() },
    { name: "1,000 other keys", keys: Array.from({ length: 1000 }, () => pemOf(newSigner())).join("") },
  ];
  for (const { name, keys } of NOT_TRUSTING)
    test(`its signature, if the console has ${name}`, async () => {
      const storage = flashedStorage();
      if (keys === undefined) storage.files.delete("hub/trusted_keys.pem");
      else trust(storage, keys);
      expect(await new Run(storage).upload(bundle)).toMatchObject({ body: { error: "signature_invalid" } });
    });

  test("no reason, if the key has the role firmware", async () => {
    const storage = flashedStorage();
    trust(storage, `# roles: firmware\n${pemOf(SIGNER)}`);
    expect(await new Run(storage).upload(bundle)).toMatchObject({ status: 200 });
  });

  test("a signature that anybody could make under a key of small order", async () => {
    // The neutral element as the key and as R, and S = 0: it holds over whatever one likes (RFC 8032 §5.1.7).
    const neutral = Uint8Array.of(1, ...new Uint8Array(31));
    const anybody = pem(
      "PUBLIC KEY",
      Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), neutral]),
    );
    const forged = Uint8Array.from(bundle);
    forged.set([...neutral, ...new Uint8Array(32)], 6);
    const signature = forged.subarray(6, 70);
    const message = forged.subarray(70);
    expect(verifySignature({ signature, message, publicKey: neutral, ...nodeSignatures })).toBe(true);
    const storage = flashedStorage();
    trust(storage, anybody);
    expect(await new Run(storage).upload(forged)).toMatchObject({ body: { error: "signature_invalid" } });
  });
});

describe("A rejection", () => {
  const LEVELS = [
    { level: "E", body: bundleOf(image, { signer: FOREIGNER }), code: "signature_invalid" },
    { level: "W", body: bundled({ board: "toaster" }), code: "wrong_board", facts: { version: "0.2.0" } },
  ];
  for (const { level, body, code, facts = {} } of LEVELS)
    test(`is stored as the last result, and logged: ${code} at level ${level}`, async () => {
      const run = new Run(flashedStorage());
      const { body: answer } = await run.upload(body);
      const { message } = answer as { message: string };
      const last_result = { result: "rejected", error: code, message, ...facts };
      expect(run.ota.status().last_result).toStrictEqual(last_result);
      expect(run.reboot().ota.status().last_result).toStrictEqual(last_result);
      expect(linesOf(run.log)).toContain(`${level} ota: rejected firmware: ${message}`);
    });

  test("keeps what was staged before the header was accepted", async () => {
    const run = new Run(flashedStorage());
    await run.upload(bundle);
    const before = slotsOf(run);
    for (const fields of [{ magic: "AKFX" }, { formatVersion: 2 }, { lengthError: 1 }]) {
      await run.upload(bundleOf(image, fields));
      expect(slotsOf(run)).toEqual(before);
      expect(run.ota.status()).toMatchObject({ state: "staged", staged_version: "0.2.0" });
    }
    expect(run.reboot().ota.status()).toMatchObject({ running_version: "0.2.0" });
  });

  test("leaves nothing staged after the header was accepted", async () => {
    const run = new Run(flashedStorage());
    await run.upload(bundle);
    await run.upload(bundleOf(image, { crcError: 1 }));
    expect(run.ota.status()).toMatchObject({ state: "idle" });
    expect(run.reboot().ota.status()).toMatchObject({ state: "idle", running_version: "0.1.0" });
  });

  test("does not prevent a good bundle from being staged", async () => {
    const run = new Run(flashedStorage());
    for (const { body } of REFUSALS) await run.upload(body);
    expect(await run.upload(bundle)).toMatchObject({ status: 200 });
  });
});

describe("While the running firmware is on trial", () => {
  async function onTrial(): Promise<Run> {
    const run = new Run(flashedStorage());
    await run.upload(bundle);
    return run.reboot();
  }

  test("other firmware is rejected, which is not stored as a result", async () => {
    const run = await onTrial();
    const before = slotsOf(run);
    for (const sent of [{}, { path: "/upload" as const }])
      expect(await run.upload(bundle, sent)).toMatchObject({
        status: 409,
        body: { error: "confirm_pending" },
      });
    expect(await run.uploadInChunks(bundle)).toMatchObject({ body: { error: "confirm_pending" } });
    expect(slotsOf(run)).toEqual(before);
    expect(run.ota.status()).not.toHaveProperty("last_result");
  });

  test("other firmware is accepted once it is confirmed", async () => {
    const run = await onTrial();
    run.ota.confirm();
    expect(await run.upload(bundled({ version: "0.1.9" }))).toMatchObject({
      body: { error: "version_downgrade" },
    });
    expect(await run.upload(bundled({ version: "0.3.0" }))).toMatchObject({ status: 200 });
    expect(run.storage.bootLoader.content("b")).toEqual(image);
  });
});

describe("A slot that cannot be written", () => {
  const full = Object.assign(new Error("No space left"), { code: "storage_full" });
  const broken = new Error("The flash does not answer");
  const fails = (error: Error) => () => {
    throw error;
  };

  async function uploadOver(methods: Partial<Updater>) {
    const storage = flashedStorage();
    const { slots } = storage;
    const open = () => withFailing(slots.open(), methods);
    const run = new Run(storage, { slots: withFailing(slots, { open }) });
    return { run, reply: run.upload(bundle) };
  }

  for (const method of ["write", "complete"] as const) {
    test(`is full: ${method} makes the answer 507 and the upload a rejected one`, async () => {
      const { run, reply } = await uploadOver({ [method]: fails(full) });
      expect(await reply).toMatchObject({ status: 507, body: { error: "storage_full" } });
      const last_result = { result: "rejected", error: "storage_full" };
      expect(run.ota.status()).toMatchObject({ state: "idle", last_result });
    });

    test(`is broken: ${method} throws an internal error`, async () => {
      const { run, reply } = await uploadOver({ [method]: fails(broken) });
      await expect(reply).rejects.toBe(broken);
      expect(run.ota.status()).toMatchObject({ state: "idle" });
      expect(run.ota.status()).not.toHaveProperty("last_result");
    });
  }

  for (const { name, isDropped } of [
    { name: "keeps what was staged if it cannot be opened", isDropped: false },
    {
      name: "leaves nothing staged if that was dropped before the slot could not be opened",
      isDropped: true,
    },
  ])
    test(name, async () => {
      const storage = flashedStorage();
      const { slots } = storage;
      let isBroken = false;
      const open = () => {
        if (!isBroken || isDropped) slots.open().close();
        if (isBroken) throw full;
        return slots.open();
      };
      const run = new Run(storage, { slots: withFailing(slots, { open }) });
      await run.upload(bundle);
      isBroken = true;
      expect(await run.upload(bundle)).toMatchObject({ status: 507 });
      expect(run.ota.status()).toMatchObject({ state: isDropped ? "idle" : "staged" });
      const running_version = isDropped ? "0.1.0" : "0.2.0";
      expect(run.reboot().ota.status()).toMatchObject({ running_version });
    });

  test("does not hide the reason of a rejection if it cannot be erased", async () => {
    const storage = flashedStorage();
    const { slots } = storage;
    const open = () => withFailing(slots.open(), { close: fails(broken) });
    const run = new Run(storage, { slots: withFailing(slots, { open }) });
    const refused = bundleOf(image, { crcError: 1 });
    expect(await run.upload(refused)).toMatchObject({ body: { error: "bundle_crc" } });
    expect(linesOf(run.log)).toContain(`E ota: the slot could not be emptied: ${broken}`);
    expect(run.ota.status()).toMatchObject({ state: "idle" });
  });
});

function certificateOfAppRoot(): string {
  const root = newKeys();
  const { privateKey, publicKey } = SIGNER;
  const spki = createPublicKey(privateKey as KeyObject).export({ type: "spki", format: "der" });
  const leaf = { subject: "leaf", issuer: "root", keys: { privateKey, publicKey, spki }, signer: root };
  const chain = [{ subject: "root", keys: root, isAuthority: true }, leaf];
  return `# roles: app\n${chain.map((fields) => pem("CERTIFICATE", writeCertificate(fields))).join("")}`;
}

/** Of the usual signer's key. */
function looseCertificate(): string {
  const { privateKey, publicKey } = SIGNER;
  const spki = createPublicKey(privateKey as KeyObject).export({ type: "spki", format: "der" });
  const keys = { privateKey, publicKey, spki };
  return pem("CERTIFICATE", writeCertificate({ subject: "leaf", issuer: "root", keys, signer: newKeys() }));
}
