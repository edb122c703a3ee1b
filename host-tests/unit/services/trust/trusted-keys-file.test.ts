/**
 * Which of the keys of a file are tried on what is to be installed, and when no more of them are
 * (docs/spec/keys.md#any-number).
 */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { PROBLEMS_LIMIT } from "../../../../protocol/keys/pem-reader.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { Publisher } from "../../../hosts/publisher.js";
import { newKeys, pem, writeCertificate } from "../../protocol/keys/certificate-writer.js";
import { linesOf } from "../apps/emulated-apps.js";
import { type EmulatedInstaller, emulatedInstaller, publisher, trust } from "../apps/emulated-installer.js";

let file: Uint8Array;
beforeAll(async () => {
  file = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
});

function consoleThatTrusts(keys: string): EmulatedInstaller {
  const storage = new EmulatedStorage();
  trust(storage, keys);
  return emulatedInstaller({ storage });
}

const warnings = ({ log }: EmulatedInstaller) => linesOf(log).filter((line) => line.includes("trusted keys"));

const privateKey = createPrivateKey(publisher.privatePem);
const spki = createPublicKey(publisher.pem).export({ format: "der", type: "spki" });
const PUBLISHER = { privateKey, spki, publicKey: Uint8Array.from(spki.subarray(-32)) };
const certificate = (subject: string, keys = newKeys()) =>
  pem("CERTIFICATE", writeCertificate({ subject, keys }));

const USELESS = "-----BEGIN PUBLIC KEY-----\n*\n-----END PUBLIC KEY-----\n";

describe("A package is accepted", () => {
  const HOLDING = [
    { name: "the only key", keys: () => publisher.pem },
    { name: "the last of 100 keys", keys: () => foreign(99) + publisher.pem },
    { name: "a certificate's key", keys: () => certificate("publisher", PUBLISHER) },
    { name: "the last of 30 certificates' keys", keys: () => crowd(29) + certificate("root", PUBLISHER) },
    { name: "a key after 40 equal certificates", keys: () => certificate("root").repeat(40) + publisher.pem },
    {
      name: "a key after more certificates than are accepted, which is logged",
      keys: () => crowd(200) + publisher.pem,
      warnings: PROBLEMS_LIMIT,
    },
  ];
  for (const { name, keys, warnings: count = 0 } of HOLDING)
    test(`if signed by ${name}`, async () => {
      const console = consoleThatTrusts(keys());
      expect(await console.install(file)).toMatchObject({ name: "tetris" });
      expect(warnings(console)).toHaveLength(count);
    });
});

describe("A package is rejected", () => {
  const FOREIGN = [
    { name: "an empty file", keys: () => "" },
    { name: "100 keys", keys: () => foreign(100) },
    { name: "40 equal certificates", keys: () => certificate("root").repeat(40) },
    { name: "certificates that are not self-signed", keys: loose },
  ];
  for (const { name, keys } of FOREIGN)
    test(`if signed by a stranger, with a file of ${name}`, async () => {
      const refused = consoleThatTrusts(keys()).install(file);
      await expect(refused).rejects.toMatchObject({ code: "signature_invalid" });
    });
});

test("Unusable keys are logged up to the key that matches, and the rest of the file is not read", async () => {
  const console = consoleThatTrusts(USELESS + publisher.pem + foreign(40) + USELESS);
  await console.install(file);
  expect(warnings(console)).toEqual(["W apps: trusted keys: line 1: PUBLIC KEY is not base64"]);
});

test("Unusable keys of the whole file are logged if no key matches", async () => {
  const console = consoleThatTrusts(USELESS + foreign(1) + USELESS);
  await expect(console.install(file)).rejects.toMatchObject({ code: "signature_invalid" });
  expect(warnings(console)).toEqual([
    "W apps: trusted keys: line 1: PUBLIC KEY is not base64",
    "W apps: trusted keys: line 7: PUBLIC KEY is not base64",
  ]);
});

function foreign(count: number): string {
  return Array.from({ length: count }, () => new Publisher().pem).join("");
}

/** All of one name. */
function crowd(count: number): string {
  return Array.from({ length: count }, () => certificate("root")).join("");
}

function loose(): string {
  return pem(
    "CERTIFICATE",
    writeCertificate({ subject: "leaf", issuer: "root", keys: PUBLISHER, signer: newKeys() }),
  );
}
