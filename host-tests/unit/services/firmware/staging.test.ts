/**
 * Firmware that is taken: over both transports, in one request or in chunks, and again
 * (docs/spec/boot-and-slots.md#ota-upload).
 */
import { describe, expect, test, vi } from "vitest";
import { bundleOf, FOREIGNER, newSigner, SIGNER } from "../../protocol/firmware/bundling.js";
import { newKeys, pem, writeCertificate } from "../../protocol/keys/certificate-writer.js";
import { linesOf } from "../apps/emulated-apps.js";
import { trust } from "../apps/emulated-installer.js";
import { bundled, flashedStorage, imageOf, pemOf, Run, slotsOf } from "./emulated-update.js";

const run = (options?: ConstructorParameters<typeof Run>[1]) => new Run(flashedStorage(), options);
const otherSlot = ({ storage: { bootLoader } }: Run) => Buffer.from(bootLoader.content(bootLoader.other));

const STAGED = {
  ...{ state: "staged", progress_percent: 100, staged_version: "0.2.0" },
  ...{ running_version: "0.1.0", running_slot: "a" },
};

describe("A bundle is staged", () => {
  const bundle = bundled({ programBytes: 5000 });
  const lengths = { received_bytes: bundle.length, total_bytes: bundle.length };
  const WAYS = [
    { name: "in one request", send: (to: Run) => to.upload(bundle) },
    { name: "byte by byte", send: (to: Run) => to.upload(bundle, { pieceBytes: 1 }) },
    { name: "in one piece", send: (to: Run) => to.upload(bundle, { pieceBytes: bundle.length }) },
    { name: "without a known length", send: (to: Run) => to.upload(bundle, { bodyByteLength: null }) },
    { name: "in chunks", send: (to: Run) => to.uploadInChunks(bundle) },
    { name: "in the longest chunks", send: (to: Run) => to.uploadInChunks(bundle, { chunkBytes: 3072 }) },
    { name: "in chunks of 16 bytes", send: (to: Run) => to.uploadInChunks(bundle, { chunkBytes: 16 }) },
  ];
  for (const { name, send } of WAYS)
    test(name, async () => {
      const console = run();
      expect(await send(console)).toMatchObject({ status: 200, body: { ...STAGED, ...lengths } });
      expect(console.ota.status()).toStrictEqual({ ...STAGED, ...lengths });
      expect(otherSlot(console)).toEqual(Buffer.from(bundle.subarray(78)));
      expect(console.storage.slots.record()).toEqual({ phase: "staged", trials: 1 });
      expect(console.restart.isRequested).toBe(false);
    });

  test("and runs after the next restart", async () => {
    const console = run();
    await console.upload(bundle);
    const next = console.reboot();
    expect(next.ota.status()).toMatchObject({
      ...{ state: "pending_confirm", running_version: "0.2.0", running_slot: "b" },
      confirm_within_ms: 300_000,
    });
  });

  test("of the running version", async () => {
    expect(await run().upload(bundled({ version: "0.1.0" }))).toMatchObject({ status: 200 });
  });

  test("of an older version if the build allows that", async () => {
    const console = run({ config: { CONFIG_SVC_OTA_ALLOW_DOWNGRADE: "on" } });
    expect(await console.upload(bundled({ version: "0.0.9" }))).toMatchObject({ status: 200 });
  });

  test("in place of the previously staged one", async () => {
    const console = run();
    await console.upload(bundle);
    expect(await console.upload(bundled({ version: "0.3.0" }))).toMatchObject({ status: 200 });
    expect(otherSlot(console)).toEqual(Buffer.from(imageOf({ version: "0.3.0" })));
    expect(console.storage.slots.record()).toEqual({ phase: "staged", trials: 2 });
    expect(console.reboot().ota.status()).toMatchObject({ running_version: "0.3.0" });
  });
});

describe("A bundle is staged if signed by", () => {
  const foreign = (count: number) => Array.from({ length: count }, () => pemOf(newSigner())).join("");
  const keys = newKeys();
  const certificate = pem("CERTIFICATE", writeCertificate({ subject: "root", keys }));
  const TRUSTED = [
    { name: "the last of 100 keys", keys: foreign(99) + pemOf(SIGNER), signer: SIGNER },
    { name: "the first of 1,000 keys", keys: pemOf(SIGNER) + foreign(999), signer: SIGNER },
    {
      name: "one in the middle of 1,000 keys",
      keys: foreign(200) + pemOf(SIGNER) + foreign(799),
      signer: SIGNER,
    },
    { name: "the last of 1,000 keys", keys: foreign(999) + pemOf(SIGNER), signer: SIGNER },
    { name: "a key that is listed twice", keys: pemOf(SIGNER) + pemOf(SIGNER), signer: SIGNER },
    { name: "the key of a certificate", keys: pemOf(FOREIGNER) + certificate, signer: keys },
  ];
  for (const { name, keys, signer } of TRUSTED)
    test(name, async () => {
      const storage = flashedStorage();
      trust(storage, keys);
      const bundle = bundleOf(imageOf(), { signer });
      expect(await new Run(storage).upload(bundle)).toMatchObject({ status: 200 });
    });
});

describe("The console restarts into staged firmware", () => {
  const bundle = bundled();
  const total = Math.ceil(bundle.length / 100);
  const chunk = (number: number) => bundle.subarray((number - 1) * 100, number * 100);
  const sendChunks = async (to: Run, rebootWith: number) => {
    for (let number = 1; ; number++) {
      const parameters = { chunk: number, total, ...(number === rebootWith && { reboot: true }) };
      const reply = await to.send({ parameters, body: chunk(number) });
      if (number === total) return reply;
    }
  };
  const WAYS = [
    { name: "one request", send: (to: Run) => to.upload(bundle, { parameters: { reboot: true } }) },
    { name: "the first chunk", send: (to: Run) => sendChunks(to, 1) },
    { name: "the last chunk", send: (to: Run) => sendChunks(to, total) },
  ];
  for (const { name, send } of WAYS)
    test(`if ${name} requests it, after the answer`, async () => {
      const console = run();
      const { status, answer } = await send(console);
      expect(status).toBe(200);
      expect(console.restart.isRequested).toBe(true);
      expect(console.system.restarts()).toBe(0);
      answer?.onSent?.();
      expect(console.system.restarts()).toBe(1);
    });

  test("unless requested not to", async () => {
    const console = run();
    expect((await console.upload(bundle, { parameters: { reboot: false } })).answer?.onSent).toBeUndefined();
    expect(console.restart.isRequested).toBe(false);
  });
});

describe("Chunks of a bundle", () => {
  const bundle = bundled({ programBytes: 1000 });
  const total = Math.ceil(bundle.length / 500);
  const send = (to: Run, number: number) =>
    to.send({
      parameters: { chunk: number, total },
      body: bundle.subarray((number - 1) * 500, number * 500),
    });

  test("may each be sent twice, and the last one again once the bundle is staged", async () => {
    const console = run();
    for (let number = 1; number < total; number++) {
      const body = { received_bytes: number * 500, next: number + 1 };
      expect(await send(console, number)).toMatchObject({ status: 206, body });
      expect(await send(console, number)).toMatchObject({ status: 206, body });
    }
    const answered = await send(console, total);
    expect(answered).toMatchObject({ status: 200, body: STAGED });
    expect(await send(console, total)).toEqual(answered);
    expect(otherSlot(console)).toEqual(Buffer.from(bundle.subarray(78)));
    expect(console.storage.slots.record()).toEqual({ phase: "staged", trials: 1 });
  });

  test("start again with the first one", async () => {
    const console = run();
    for (const number of [1, 2, 1, 2, 3]) await send(console, number);
    expect(otherSlot(console)).toEqual(Buffer.from(bundle.subarray(78)));
    expect(console.ota.status()).toMatchObject(STAGED);
  });
});

describe("Progress", () => {
  const bundle = bundled({ programBytes: 10_000 });

  test("is reported in the log and to listeners, at each tenth and each change of state", async () => {
    const console = run();
    await console.upload(bundle, { pieceBytes: 100 });
    const lines = linesOf(console.log).filter((line) => line.startsWith("I ota:"));
    const tenths = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
    expect(lines).toEqual([
      "I ota: receiving firmware",
      ...tenths.map((percent) => `I ota: received ${percent} % of the firmware`),
      "I ota: staged firmware 0.2.0: the next restart starts it on trial",
    ]);
    expect(console.changeCount).toBe(lines.length);
  });

  test("is shown during an upload, before its length is known and after", async () => {
    const console = run();
    const half = { parameters: { chunk: 1, total: 4 }, body: bundle.subarray(0, 50) };
    await console.send(half);
    const none = { received_bytes: 50, total_bytes: 0, progress_percent: 0 };
    expect(console.ota.status()).toMatchObject({ state: "receiving", ...none });
    await console.send({ parameters: { chunk: 2, total: 4 }, body: bundle.subarray(50, 3000) });
    const some = {
      received_bytes: 3000,
      total_bytes: bundle.length,
      progress_percent: Math.floor(300_000 / bundle.length),
    };
    expect(console.ota.status()).toMatchObject({ state: "receiving", ...some });
  });
});

test("A status request is answered before the signature is checked", async () => {
  const scheduler: (() => void)[] = [];
  const console = run({ onTurn: (callback) => void scheduler.push(callback) });
  const done = vi.fn();
  const staged = console.upload(bundled()).then(done);
  let turnsGiven = 0;
  while (!done.mock.calls.length) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!scheduler.length) continue;
    expect(console.ota.status()).toMatchObject({ state: "receiving", progress_percent: 100 });
    scheduler.shift()?.();
    turnsGiven++;
  }
  await staged;
  expect(turnsGiven).toBeGreaterThan(0);
  expect(console.ota.status()).toMatchObject({ state: "staged" });
});

test("A hundred truncated uploads leave the slots unchanged, and no result", async () => {
  const console = run();
  const before = slotsOf(console);
  const bundle = bundled({ programBytes: 3000 });
  for (let count = 1; count <= 100; count++) {
    const body = bundle.subarray(0, Math.ceil((bundle.length * count) / 101));
    if (count % 2) console.deliver({ transport: "http", body, bodyByteLength: bundle.length }).abort();
    else {
      for (let at = 0, chunk = 1; at < body.length; at += 1000, chunk++)
        await console.send({ parameters: { chunk, total: 9 }, body: body.subarray(at, at + 1000) });
      if (count % 4) console.clock.advance(30_000);
      else console.uploads.disconnected("usb");
    }
    expect(slotsOf(console)).toEqual(before);
    expect(console.ota.status()).not.toHaveProperty("last_result");
    expect(console.ota.status()).toMatchObject({ state: "idle" });
  }
  expect(await console.upload(bundle)).toMatchObject({ status: 200 });
});
