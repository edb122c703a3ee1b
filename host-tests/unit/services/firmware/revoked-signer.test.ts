/** Revoking a key also drops unconfirmed firmware that it has signed (docs/spec/keys.md#revocations). */
import { type KeyObject, sign } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { writeRevocationList } from "../../../../protocol/keys/revocation-list.js";
import type { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { bundleOf, newSigner, SIGNER } from "../../protocol/firmware/bundling.js";
import { trust } from "../apps/emulated-installer.js";
import { bundled, flashedStorage, imageOf, pemOf, Run } from "./emulated-update.js";

const OTHER = newSigner();
const REFUSED = { error: "signature_invalid", version: "0.2.0" };

let storage: EmulatedStorage;
let run: Run;
beforeEach(() => {
  storage = flashedStorage();
  trust(storage, `${pemOf(SIGNER)}# roles: firmware\n${pemOf(OTHER)}`);
  run = new Run(storage);
});

const turns = async (count = 50) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

function listOf(number: number, keys: readonly Uint8Array[]): Uint8Array {
  return writeRevocationList({
    number,
    keys,
    signer: SIGNER.publicKey,
    sign: (message) => Uint8Array.from(sign(null, message, SIGNER.privateKey as KeyObject)),
  });
}

const send = (body: Uint8Array) => run.send({ path: "/api/keys/revocations", body });

async function revoke(...keys: Uint8Array[]): Promise<void> {
  expect(await run.revocations.accept(listOf(1, keys))).toMatchObject({ number: 1 }); // as the hub brings it
  await turns();
}

const stage = async (signer = OTHER) =>
  expect(await run.upload(bundleOf(imageOf(), { signer }))).toMatchObject({ status: 200 });

describe("Staged firmware", () => {
  beforeEach(() => stage());

  test("is dropped when its signing key is revoked, and the next restart does not try it", async () => {
    await revoke(OTHER.publicKey);
    const last_result = { result: "rejected", ...REFUSED };
    expect(run.ota.status()).toMatchObject({ state: "idle", last_result });
    run = run.reboot();
    expect(run.ota.status()).toMatchObject({ state: "idle", running_version: "0.1.0", last_result });
    expect(await run.upload(bundled())).toMatchObject({ status: 200 });
  });

  test("stays when another key is revoked", async () => {
    await revoke(newSigner().publicKey);
    expect(run.ota.status()).toMatchObject({ state: "staged" });
    run = run.reboot();
    await turns();
    run.ota.confirm();
    expect(run.ota.status()).toMatchObject({
      running_version: "0.2.0",
      last_result: { result: "confirmed" },
    });
  });

  test("is dropped during an upload whose header is incomplete, and the upload continues", async () => {
    const body = bundled({ version: "0.3.0" });
    const upload = run.deliver({ body: body.subarray(0, 40), bodyByteLength: body.length });
    await revoke(OTHER.publicKey);
    expect(storage.slots.record()).toMatchObject({ phase: "settled" });
    expect(run.ota.status()).toMatchObject({ state: "receiving" });
    upload.write(body.subarray(40));
    expect(await upload.end()).toMatchObject({ status: 200 });
    expect(run.ota.status()).toMatchObject({ state: "staged", staged_version: "0.3.0" });
  });

  test("is rolled back if a restart comes before it is dropped", async () => {
    await send(listOf(1, [OTHER.publicKey]));
    run = run.reboot();
    expect(run.ota.status()).toMatchObject({ state: "pending_confirm" });
    expect(() => run.ota.confirm()).toThrow(expect.objectContaining({ code: "signature_invalid" }));
    await turns();
    expect(() => run.ota.confirm()).toThrow(expect.objectContaining({ code: "signature_invalid" }));
    run.clock.advance(1000);
    expect(run.system.restarts()).toBe(1);
  });
});

test("Firmware whose signature was checked just before its key was revoked does not stay staged", async () => {
  const body = bundleOf(imageOf(), { signer: OTHER });
  for (let headStart = 0; headStart < 12; headStart++) {
    storage = flashedStorage();
    trust(storage, `${pemOf(SIGNER)}# roles: firmware\n${pemOf(OTHER)}`);
    run = new Run(storage);
    const reply = run.upload(body);
    await turns(headStart);
    await revoke(OTHER.publicKey);
    await reply;
    await turns();
    expect(run.ota.status()).toMatchObject({ state: "idle", last_result: { error: "signature_invalid" } });
  }
});

describe("Firmware on trial", () => {
  beforeEach(async () => {
    await stage();
    run = run.reboot();
  });

  test("cannot be confirmed once its key is revoked: the old firmware comes back, with the reason", async () => {
    await revoke(OTHER.publicKey);
    expect(() => run.ota.confirm()).toThrow(expect.objectContaining({ code: "signature_invalid" }));
    expect(run.system.restarts()).toBe(0);
    run.clock.advance(1000);
    expect(run.system.restarts()).toBe(1);
    run = run.reboot();
    const last_result = { result: "rolled_back", ...REFUSED };
    expect(run.ota.status()).toMatchObject({ state: "idle", running_version: "0.1.0", last_result });
  });

  test("continues when another key is revoked", async () => {
    await revoke(newSigner().publicKey);
    run.clock.advance(1000);
    run.ota.confirm();
    expect(run.ota.status()).toMatchObject({ state: "idle", running_version: "0.2.0" });
  });

  test("stays after its confirmation, whatever is revoked", async () => {
    run.ota.confirm();
    await revoke(OTHER.publicKey);
    run = run.reboot("power_on");
    await turns();
    run.clock.advance(1000);
    expect(run.ota.status()).toMatchObject({ state: "idle", running_version: "0.2.0" });
    expect(run.system.restarts()).toBe(0);
  });

  test("waits while the list is damaged, and can be confirmed once it is repaired", async () => {
    await revoke(newSigner().publicKey);
    const file = storage.files.openFile({ path: "hub/revocations.bin", mode: "r+" });
    file.write(new Uint8Array(8), 0);
    file.close();
    run.ota.revocationsChanged();
    await turns();
    expect(() => run.ota.confirm()).toThrow(expect.objectContaining({ code: "signature_invalid" }));
    expect(await send(listOf(2, []))).toMatchObject({ status: 200 });
    await turns();
    run.ota.confirm();
    expect(run.ota.status()).toMatchObject({ state: "idle", running_version: "0.2.0" });
  });
});
