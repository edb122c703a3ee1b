/**
 * Which keys of a file are tried for a role, and when no more of them are; what the boot log says of the file
 * (docs/spec/keys.md#any-number, docs/spec/keys.md#roles).
 */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Scheduler } from "../../../../device/services/scheduler/scheduler.js";
import { TrustedKeysFile } from "../../../../device/services/trust/trusted-keys-file.js";

import { type KeyRole, PROBLEMS_LIMIT } from "../../../../protocol/keys/pem-reader.js";
import type { Timer } from "../../../../protocol/ports/runtime.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { nodeBase64, nodeMemory, nodeSignatures } from "../../../hosts/node-bytes.js";
import { Publisher } from "../../../hosts/publisher.js";
import { newKeys, pem, writeCertificate } from "../../protocol/keys/certificate-writer.js";
import { publisher, trust } from "../apps/emulated-installer.js";

/** The keys of a console whose file is `keys`, or that has none; `warnings` are what it logs. */
function trusting(keys?: string) {
  const storage = new EmulatedStorage();
  if (keys !== undefined) trust(storage, keys);
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, warning: (text: string) => void warnings.push(text), error() {} };
  const timer = { set: (callback: () => void) => queueMicrotask(callback) } as unknown as Timer;
  const file = new TrustedKeysFile({
    files: storage.files,
    scheduler: new Scheduler(timer),
    logger,
    ...nodeSignatures,
    base64: nodeBase64,
    memory: nodeMemory,
  });
  return { file, warnings };
}

/** Whether the publisher's key is found for the role. */
async function finds(file: TrustedKeysFile, role: KeyRole = "app"): Promise<boolean> {
  const isIt = async (key: { publicKey: Uint8Array }) =>
    Buffer.compare(key.publicKey, publisher.publicKey) === 0;
  return (await file.find(role, isIt)) !== undefined;
}

const privateKey = createPrivateKey(publisher.privatePem);
const spki = createPublicKey(publisher.pem).export({ format: "der", type: "spki" });
const PUBLISHER = { privateKey, spki, publicKey: publisher.publicKey };
const certificate = (subject: string, keys = newKeys()) =>
  pem("CERTIFICATE", writeCertificate({ subject, keys }));
const foreign = (count: number) => Array.from({ length: count }, () => new Publisher().pem).join("");
/** All of one name. */
const crowd = (count: number) => Array.from({ length: count }, () => certificate("root")).join("");
const chainOf = (root: ReturnType<typeof newKeys>, leaf: object) =>
  [{ subject: "root", keys: root, isAuthority: true }, leaf]
    .map((fields) => pem("CERTIFICATE", writeCertificate(fields as Parameters<typeof writeCertificate>[0])))
    .join("");
function certificateOfAppRoot(): string {
  const root = newKeys();
  return `# roles: app\n${chainOf(root, { subject: "leaf", issuer: "root", keys: PUBLISHER, signer: root })}`;
}
const loose = () =>
  pem(
    "CERTIFICATE",
    writeCertificate({ subject: "leaf", issuer: "root", keys: PUBLISHER, signer: newKeys() }),
  );

const USELESS = "-----BEGIN PUBLIC KEY-----\n*\n-----END PUBLIC KEY-----\n";

const FOUND: readonly { name: string; keys: () => string; role?: KeyRole; warnings?: number }[] = [
  { name: "the only key", keys: () => publisher.pem },
  { name: "the only key, for firmware", keys: () => publisher.pem, role: "firmware" },
  {
    name: "a key with the role firmware",
    keys: () => `# roles: firmware\n${publisher.pem}`,
    role: "firmware",
  },
  { name: "a key with the roles firmware and app", keys: () => `# roles: firmware, app\n${publisher.pem}` },
  { name: "the first of 1,000 keys", keys: () => publisher.pem + foreign(999) },
  { name: "one in the middle of 1,000 keys", keys: () => foreign(200) + publisher.pem + foreign(799) },
  { name: "the last of 1,000 keys", keys: () => foreign(999) + publisher.pem },
  { name: "a key that is listed twice", keys: () => publisher.pem + publisher.pem },
  { name: "a certificate's key", keys: () => certificate("publisher", PUBLISHER) },
  { name: "the last of 30 certificates' keys", keys: () => crowd(29) + certificate("root", PUBLISHER) },
  { name: "a key after 40 equal certificates", keys: () => certificate("root").repeat(40) + publisher.pem },
  {
    name: "a key after more certificates than are accepted, which is logged",
    keys: () => crowd(200) + publisher.pem,
    warnings: PROBLEMS_LIMIT + 1, // the last one says that there are more
  },
];
describe("A key is found if it is", () => {
  for (const { name, keys, role, warnings: count = 0 } of FOUND)
    test(name, async () => {
      const { file, warnings } = trusting(keys());
      expect([await finds(file, role), warnings.length]).toEqual([true, count]);
    });
});

const NOT_FOUND: readonly { name: string; keys: () => string; role?: KeyRole }[] = [
  { name: "an empty file", keys: () => "" },
  { name: "1,000 other keys", keys: () => foreign(1000) },
  { name: "40 equal certificates", keys: () => certificate("root").repeat(40) },
  { name: "its certificate without a chain to a root", keys: loose },
  { name: "its key for other roles", keys: () => `# roles: firmware, hub, native\n${publisher.pem}` },
  { name: "its key with a role that there is not", keys: () => `# roles: apps\n${publisher.pem}` },
  {
    name: "its key with a roles line that cannot be read",
    keys: () => `# roles: firmware!\n${publisher.pem}`,
    role: "firmware",
  },
  {
    name: "its key in a certificate whose root may sign apps only, for firmware",
    keys: certificateOfAppRoot,
    role: "firmware",
  },
];
describe("A key is not found in a file of", () => {
  for (const { name, keys, role } of NOT_FOUND)
    test(name, async () => expect(await finds(trusting(keys()).file, role)).toBe(false));
});

test("Unusable keys are logged up to the key that matches, and the rest of the file is not read", async () => {
  const { file, warnings } = trusting(USELESS + publisher.pem + foreign(40) + USELESS);
  expect(await finds(file)).toBe(true);
  expect(warnings).toEqual(["trusted keys: line 1: PUBLIC KEY is not base64"]);
});

test("Unusable keys of the whole file are logged if no key matches", async () => {
  const { file, warnings } = trusting(USELESS + foreign(1) + USELESS);
  expect(await finds(file)).toBe(false);
  expect(warnings).toEqual([
    "trusted keys: line 1: PUBLIC KEY is not base64",
    "trusted keys: line 7: PUBLIC KEY is not base64",
  ]);
});

describe("The boot log", () => {
  async function warned(keys?: string): Promise<string[]> {
    const { file, warnings } = trusting(keys);
    await file.warnOfUnlimitedKeys();
    return warnings;
  }

  test("warns of each key without a roles line, by its label", async () => {
    expect(await warned(`# roles: app\n${new Publisher().pem}${publisher.pem}`)).toEqual([
      expect.stringMatching(/^trusted keys: "[0-9a-f]{16}" has no roles line/),
    ]);
  });

  test("has no warning if all keys have a roles line, or no key is trusted", async () => {
    expect(await warned(`# roles: app, firmware, hub, native\n${publisher.pem}`)).toEqual([]);
    expect(await warned()).toEqual([]);
  });

  test(`warns of at most ${PROBLEMS_LIMIT} keys`, async () => {
    expect(await warned(foreign(PROBLEMS_LIMIT + 4))).toHaveLength(PROBLEMS_LIMIT);
  });
});
