import { expect, test } from "vitest";
import { bundled, flashedStorage, Run, slotsOf } from "./emulated-update.js";

const signatureOf = (bundle: Uint8Array) => Buffer.from(bundle.subarray(6, 70)).toString("hex");

async function receive(run: Run, bundle: Uint8Array, ordered: { version: string; signature: string }) {
  const reception = run.receiveFirmware({ totalBytes: bundle.length, mostBytes: undefined, ordered });
  try {
    for (let at = 0; at < bundle.length; at += 100) reception.write(bundle.subarray(at, at + 100));
  } catch (error) {
    reception.abort();
    throw error;
  }
  await reception.complete();
}

test("Ordered firmware is staged if version and signature match the order", async () => {
  const run = new Run(flashedStorage());
  const bundle = bundled();
  await receive(run, bundle, { version: "0.2.0", signature: signatureOf(bundle).toUpperCase() });
  expect(run.ota.status()).toMatchObject({ state: "staged", staged_version: "0.2.0" });
});

test("A signature other than ordered is signature_invalid, and staged firmware stays", async () => {
  const run = new Run(flashedStorage());
  await run.upload(bundled());
  const before = slotsOf(run);
  const newer = bundled({ version: "0.3.0" });
  const ordered = { version: "0.3.0", signature: signatureOf(bundled()) };
  await expect(receive(run, newer, ordered)).rejects.toMatchObject({ code: "signature_invalid" });
  expect(slotsOf(run)).toEqual(before);
  expect(run.ota.status()).toMatchObject({
    state: "staged",
    staged_version: "0.2.0",
    last_result: { result: "rejected", error: "signature_invalid" },
  });
});

test("A version other than ordered is download_mismatch, and is not staged", async () => {
  const run = new Run(flashedStorage());
  const bundle = bundled();
  const ordered = { version: "0.3.0", signature: signatureOf(bundle) };
  await expect(receive(run, bundle, ordered)).rejects.toMatchObject({ code: "download_mismatch" });
  expect(run.ota.status()).toMatchObject({
    state: "idle",
    last_result: { result: "rejected", error: "download_mismatch", version: "0.2.0" },
  });
});

test("Available firmware is in the status while announced, and each change is reported", () => {
  const run = new Run(flashedStorage());
  const available = { version: "0.2.0", download_url: "http://192.0.2.1/api/v1/firmware/0.2.0/download" };
  run.ota.announce(available);
  expect(run.ota.status().available).toEqual(available);
  run.ota.announce(undefined);
  expect(run.ota.status()).not.toHaveProperty("available");
  expect(run.changeCount).toBe(2);
});
