/**
 * What a list of revoked keys does to a console, and which lists are taken (docs/spec/keys.md#revocation-checks).
 */
import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Scheduler } from "../../../../device/services/scheduler/scheduler.js";
import { TrustedKeysFile } from "../../../../device/services/trust/trusted-keys-file.js";
import { writeRevocationList } from "../../../../protocol/keys/revocation-list.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import type { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { nodeBase64, nodeMemory, nodeSignatures } from "../../../hosts/node-bytes.js";
import { bundleOf, FOREIGNER, newSigner, SIGNER, type Signer } from "../../protocol/firmware/bundling.js";
import { pem, writeCertificate } from "../../protocol/keys/certificate-writer.js";
import { linesOf } from "../apps/emulated-apps.js";
import { emulatedInstaller, publisher, trust } from "../apps/emulated-installer.js";
import { bundled, flashedStorage, imageOf, pemOf, Run } from "../firmware/emulated-update.js";

const LIST = "hub/revocations.bin";
const OTHER = newSigner();
const APP_KEY = Uint8Array.from(
  createPublicKey(publisher.pem).export({ format: "der", type: "spki" }).subarray(-32),
);

function listOf(number: number, keys: readonly Uint8Array[], signer: Signer = SIGNER): Uint8Array {
  return writeRevocationList({
    number,
    keys,
    signer: signer.publicKey,
    sign: (message) => Uint8Array.from(sign(null, message, signer.privateKey as KeyObject)),
  });
}

let storage: EmulatedStorage;
let run: Run;
let app: Uint8Array;

const KEYS = `${pemOf(SIGNER)}# roles: firmware\n${pemOf(OTHER)}# roles: app\n${publisher.pem}`;

beforeAll(async () => {
  app = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
});

beforeEach(() => {
  storage = flashedStorage();
  trust(storage, KEYS);
  run = new Run(storage);
});

const send = (body: Uint8Array, transport: "http" | "usb" = "http") =>
  run.send({ path: "/api/keys/revocations", transport, body });
const codeOf = async (body: Uint8Array) => ((await send(body)).body as { error?: string }).error;

function trustedKeys(): TrustedKeysFile {
  const scheduler = new Scheduler({
    set: (callback) => {
      queueMicrotask(callback);
      return {};
    },
    repeat: () => ({}),
    clear: () => undefined,
  });
  return new TrustedKeysFile({
    files: storage.files,
    scheduler,
    logger: run.log.loggerFor("keys"),
    ...nodeSignatures,
    base64: nodeBase64,
    memory: nodeMemory,
  });
}

async function isTrusted(publicKey: Uint8Array): Promise<boolean> {
  const isIt = async (key: { publicKey: Uint8Array }) => Buffer.compare(key.publicKey, publicKey) === 0;
  for (const role of ["app", "firmware", "hub", "native"] as const)
    if (await trustedKeys().find(role, isIt)) return true;
  return false;
}

describe("A list of revoked keys", () => {
  test("makes firmware that a revoked key has signed rejected", async () => {
    await send(listOf(1, [OTHER.publicKey]));
    const bundle = bundleOf(imageOf(), { signer: OTHER });
    expect(await run.upload(bundle)).toMatchObject({ body: { error: "signature_invalid" } });
    expect(await run.upload(bundled())).toMatchObject({ status: 200 });
  });

  test("is replaced as a whole by one with a higher number", async () => {
    await send(listOf(1, [APP_KEY]));
    expect(await send(listOf(2, []))).toMatchObject({ status: 200, body: { number: 2, revoked: 0 } });
    expect(await isTrusted(APP_KEY)).toBe(true);
  });

  test("may be sent again without a change, also if it revokes its own signer", async () => {
    const list = listOf(4, [SIGNER.publicKey]);
    expect(await send(list)).toMatchObject({ status: 200 });
    const before = storage.operationCount;
    expect(await send(list)).toMatchObject({ status: 200, body: { number: 4, revoked: 1 } });
    expect(storage.operationCount).toBe(before);
  });

  for (const role of ["leaf", "middle", "root"] as const)
    test(`removes trust from a key whose chain has a revoked ${role}`, async () => {
      const [root, middle, leaf] = ["root", "middle", "leaf"].map((subject) => {
        const { privateKey, publicKey } = newSigner();
        const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
        return { subject, keys: { privateKey, publicKey, spki } };
      }) as [Certified, Certified, Certified];
      const chain = [
        { ...root, isAuthority: true },
        { ...middle, issuer: "root", signer: root.keys, isAuthority: true },
        { ...leaf, issuer: "middle", signer: middle.keys },
      ];
      trust(storage, KEYS + chain.map((fields) => pem("CERTIFICATE", writeCertificate(fields))).join(""));
      expect(await isTrusted(leaf.keys.publicKey)).toBe(true);
      const revoked = { leaf, middle, root }[role].keys.publicKey;
      expect(await send(listOf(1, [revoked]))).toMatchObject({ status: 200 });
      expect(await isTrusted(leaf.keys.publicKey)).toBe(false);
      const bundle = bundleOf(imageOf(), { signer: leaf.keys });
      expect(await run.upload(bundle)).toMatchObject({ body: { error: "signature_invalid" } });
    });
});

interface Certified {
  readonly subject: string;
  readonly keys: Signer & { readonly spki: Buffer };
}

describe("A list of revoked keys is rejected", () => {
  test("without the signature of a trusted firmware key: signature_invalid", async () => {
    const good = listOf(1, [APP_KEY]);
    const damaged = Uint8Array.from(good);
    damaged.set([(good.at(-40) as number) ^ 1], good.length - 40);
    const byApp = writeRevocationList({
      number: 1,
      keys: [],
      signer: APP_KEY,
      sign: (message) => publisher.signBytes(message),
    });
    for (const list of [listOf(1, [APP_KEY], FOREIGNER), damaged, byApp])
      expect(await send(list)).toMatchObject({ status: 403, body: { error: "signature_invalid" } });
    expect(run.revocations.summary()).toEqual({ number: 0, revoked: 0 });
  });

  test("signed by a revoked key: signature_invalid", async () => {
    await send(listOf(1, [OTHER.publicKey]));
    expect(await codeOf(listOf(2, [], OTHER))).toBe("signature_invalid");
  });

  test("if a list received just before it revokes its signer", async () => {
    const [first, second] = [listOf(1, [OTHER.publicKey]), listOf(2, [], OTHER)];
    const results = await Promise.allSettled([run.revocations.accept(first), run.revocations.accept(second)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  test("if it leaves no key for firmware: revocations_invalid", async () => {
    const both = [SIGNER.publicKey, OTHER.publicKey];
    expect(await send(listOf(1, both))).toMatchObject({
      status: 422,
      body: { error: "revocations_invalid" },
    });
    expect(run.revocations.summary()).toEqual({ number: 0, revoked: 0 });
    expect(await send(listOf(1, [SIGNER.publicKey]))).toMatchObject({ status: 200 });
    expect(await codeOf(listOf(2, both, OTHER))).toBe("revocations_invalid");
  });

  test("if its number is more than 65536 above the previous one, so that one stolen key cannot exhaust the numbers", async () => {
    expect(await codeOf(listOf(65_537, []))).toBe("revocations_invalid");
    await send(listOf(1, []));
    for (const number of [65_538, 0xffffffff])
      expect(await codeOf(listOf(number, []))).toBe("revocations_invalid");
    expect(await send(listOf(65_537, []))).toMatchObject({ status: 200 });
  });
});

describe("While the list in force is damaged", () => {
  const DAMAGES: readonly { name: string; bytes: (list: Uint8Array) => Uint8Array | undefined }[] = [
    { name: "in its first byte", bytes: (list) => flipped(list, 0) },
    { name: "in a key that it revokes", bytes: (list) => flipped(list, 20) },
    { name: "in its number, downwards", bytes: (list) => flipped(list, 8) },
    { name: "in its number, upwards", bytes: (list) => flipped(list, 11) },
    { name: "by a missing end", bytes: (list) => list.subarray(0, 60) },
    { name: "by replacement with an older one", bytes: () => listOf(6, [], OTHER) },
    { name: "by deletion", bytes: () => undefined },
  ];
  const list = listOf(7, [OTHER.publicKey, APP_KEY]);

  for (const { name, bytes } of DAMAGES)
    test(`${name}: the same list repairs it, no older one is accepted, and a newer one over the cable alone`, async () => {
      for (const isRestarted of [false, true]) {
        storage = flashedStorage();
        trust(storage, KEYS);
        run = new Run(storage);
        await send(list);
        damage(bytes(list));
        if (isRestarted) {
          run = run.reboot();
          await run.offered;
        }
        for (const transport of ["http", "usb"] as const)
          for (const older of [listOf(1, [], OTHER), listOf(1, []), listOf(7, [])])
            expect(await send(older, transport)).toMatchObject({ status: 409 });
        expect(await codeOf(listOf(8, []))).toBe("signature_invalid");
        expect(await send(list)).toMatchObject({ status: 200, body: { number: 7, revoked: 2 } });
        expect(await isTrusted(OTHER.publicKey)).toBe(false);
        damage(bytes(list));
        expect(await send(listOf(8, [APP_KEY], FOREIGNER), "usb")).toMatchObject({ status: 403 });
        expect(await send(listOf(8, [APP_KEY]), "usb")).toMatchObject({ status: 200, body: { number: 8 } });
        expect(await codeOf(list)).toBe("revocations_older");
      }
    });
});

describe("The list in force", () => {
  test("of a console that has recorded none is recorded at its start", async () => {
    await send(listOf(7, [APP_KEY]));
    storage.keyValue.open({ path: "svc/keys", format: "string" }).delete("revoked");
    run = run.reboot();
    await run.offered;
    damage(new Uint8Array(20));
    expect(await codeOf(listOf(6, []))).toBe("revocations_older");
    expect(await send(listOf(7, [APP_KEY]))).toMatchObject({ status: 200 });
  });

  test("stays if firmware contains keys that it revokes", async () => {
    await send(listOf(1, [OTHER.publicKey]));
    await run.upload(bundled({ trustedKeys: KEYS }));
    run = run.reboot();
    run.ota.confirm();
    expect(await isTrusted(OTHER.publicKey)).toBe(false);
    expect(run.revocations.summary()).toEqual({ number: 1, revoked: 1 });
  });

  test("is replaced by that of firmware with its confirmation, not before", async () => {
    await send(listOf(1, []));
    await run.upload(bundled({ revocations: listOf(2, [APP_KEY]) }));
    run = run.reboot();
    await run.offered;
    expect(run.revocations.summary()).toEqual({ number: 1, revoked: 0 });
    run.ota.confirm();
    await run.offered;
    expect(run.revocations.summary()).toEqual({ number: 2, revoked: 1 });
  });

  test("is never that of firmware that is rolled back", async () => {
    await run.upload(bundled({ revocations: listOf(2, [APP_KEY]) }));
    run = run.reboot().reboot("crash");
    await run.offered;
    expect(run.revocations.summary()).toEqual({ number: 0, revoked: 0 });
  });

  test("stays if that of firmware is older or invalid, which is logged", async () => {
    await send(listOf(5, []));
    for (const revocations of [listOf(4, [APP_KEY]), listOf(9, [APP_KEY], FOREIGNER)]) {
      await run.upload(bundled({ revocations }));
      run = run.reboot();
      run.ota.confirm();
      await run.offered;
      expect(run.revocations.summary()).toEqual({ number: 5, revoked: 0 });
    }
    expect(linesOf(run.log)).toContainEqual(
      expect.stringContaining("rejected the revocations of this firmware"),
    );
  });

  test("leaves no key trusted while damaged, until a valid one is sent", async () => {
    await send(listOf(2, [APP_KEY]));
    damage(new Uint8Array(20));
    expect(await run.upload(bundled())).toMatchObject({ body: { error: "signature_invalid" } });
    await expect(emulatedInstaller({ storage }).install(app)).rejects.toMatchObject({
      code: "signature_invalid",
    });
    expect(await send(listOf(2, [APP_KEY]))).toMatchObject({ status: 200 });
    expect(await run.upload(bundled())).toMatchObject({ status: 200 });
  });

  test("is the old one or the new one, as a whole, whenever power is lost", async () => {
    const [old, next] = [listOf(1, [APP_KEY]), listOf(2, [OTHER.publicKey])];
    const before = { number: 1, revoked: 1 };
    const found = new Set<number>();
    const operations = await replaceWithCut(old, next, Number.POSITIVE_INFINITY);
    expect(operations).toBeGreaterThan(2);
    // The last time round, power stays.
    for (let operation = 1; operation <= operations + 1; operation++) {
      await replaceWithCut(old, next, operation);
      run = run.reboot("power_on");
      const summary = run.revocations.summary();
      expect(summary).toEqual({ ...before, number: summary.number });
      expect(await isTrusted(summary.number === 1 ? APP_KEY : OTHER.publicKey)).toBe(false);
      found.add(summary.number);
      await run.offered;
      damage(new Uint8Array(20));
      const [kept, other] = summary.number === 1 ? [old, listOf(1, [])] : [next, old];
      expect(await codeOf(other)).toBe("revocations_older");
      expect(await send(kept)).toMatchObject({ status: 200, body: { number: summary.number } });
      expect(await send(next)).toMatchObject({ status: 200, body: { number: 2 } });
    }
    expect([...found].sort()).toEqual([1, 2]);
  });

  test("is that of the confirmed firmware in the end, whenever power is lost during the confirmation", async () => {
    for (let operation = 1; ; operation++) {
      storage = flashedStorage();
      trust(storage, KEYS);
      run = new Run(storage);
      await run.upload(bundled({ revocations: listOf(2, [APP_KEY]), trustedKeys: KEYS }));
      run = run.reboot();
      storage.cutPowerAt(operation);
      try {
        run.ota.confirm();
        await run.offered;
      } catch (error) {
        if (!storage.isOff) throw error;
      }
      const isCut = storage.isOff;
      run = run.reboot("power_on");
      await run.offered;
      const isNew = run.ota.status().running_version === "0.2.0";
      expect(run.revocations.summary().number).toBe(isNew ? 2 : 0);
      if (!isCut) break;
      expect(operation).toBeLessThan(200);
    }
  });
});

function damage(bytes: Uint8Array | undefined): void {
  storage.files.delete(LIST);
  if (!bytes) return;
  const file = storage.files.openFile({ path: LIST, mode: "w" });
  file.write(bytes, 0);
  file.flush();
  file.close();
}

function flipped(list: Uint8Array, at: number): Uint8Array {
  const bytes = Uint8Array.from(list);
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
}

/** @returns how many operations the new list takes */
async function replaceWithCut(old: Uint8Array, next: Uint8Array, operation: number): Promise<number> {
  storage = flashedStorage();
  trust(storage, KEYS);
  run = new Run(storage);
  await run.revocations.accept(old);
  const before = storage.operationCount;
  if (Number.isFinite(operation)) storage.cutPowerAt(operation);
  await run.revocations.accept(next).catch((error) => {
    if (!storage.isOff) throw error;
  });
  return storage.operationCount - before;
}
