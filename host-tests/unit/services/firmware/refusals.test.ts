import { describe, expect, test } from "vitest";
import type { Updater } from "../../../../device/ports/firmware-slots.js";
import { verifySignature } from "../../../../protocol/signature/ed25519.js";
import { nodeSignatures } from "../../../hosts/node-bytes.js";
import { bundleOf } from "../../protocol/firmware/bundling.js";
import { pem } from "../../protocol/keys/certificate-writer.js";
import { linesOf } from "../apps/emulated-apps.js";
import { trust } from "../apps/emulated-installer.js";
import { bundled, flashedStorage, imageOf, Run, withFailing } from "./emulated-update.js";

const image = imageOf();
const bundle = bundleOf(image);
describe("A bundle is rejected for", () => {
  test("a length that its chunks cannot have, as soon as it is read", async () => {
    const run = new Run(flashedStorage());
    const body = bundleOf(imageOf({ programBytes: 7000 }));
    const parameters = { chunk: 1, total: 2 };
    expect(await run.send({ parameters, body: body.subarray(0, 78) })).toMatchObject({
      body: { error: "bundle_length" },
    });
  });

  test("a length that no slot holds", async () => {
    const run = new Run(flashedStorage());
    for (const body of [bundleOf(image, { lengthError: 100_000 }), bundled({ programBytes: 65_536 })])
      expect(await run.upload(body, { bodyByteLength: null })).toMatchObject({
        body: { error: "file_too_large" },
      });
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
