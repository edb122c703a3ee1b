import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { type Certificate, readCertificate, readPublicKey } from "../../../../protocol/keys/certificate.js";
import { nodeSignatures } from "../../../hosts/node-bytes.js";
import {
  type CertificateFields,
  ED25519,
  element,
  extension,
  newKeys,
  writeCertificate,
} from "./certificate-writer.js";

const KEYS = newKeys();
const PLAIN: CertificateFields = { subject: "publisher", keys: KEYS };

const readKey = (element: Uint8Array) => readPublicKey(element, nodeSignatures.ed25519);

const read = (fields: Partial<CertificateFields>) =>
  readCertificate(writeCertificate({ ...PLAIN, ...fields }), readKey);

/** The message of the fault, or the certificate. */
function outcome(der: Uint8Array): string | Certificate {
  try {
    return readCertificate(der, readKey);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.code).toBe("keys_invalid");
    return error.message;
  }
}

describe("A certificate", () => {
  test("has the fields that Node reads in it", () => {
    const der = writeCertificate({
      ...PLAIN,
      issuer: "root",
      notBefore: "691231235959Z",
      notAfter: "20500101000000Z",
    });
    const node = new X509Certificate(der);
    const ours = readCertificate(der, readKey);
    expect(node.subject).toBe(`CN=${ours.label}`);
    expect(node.publicKey.export({ format: "der", type: "spki" }).subarray(-32)).toEqual(
      Buffer.from(ours.publicKey),
    );
    expect(Date.parse(node.validFrom)).toBe(ours.notBefore);
    expect(Date.parse(node.validTo)).toBe(ours.notAfter - 999);
    expect(node.verify(node.publicKey)).toBe(true);
  });

  test("without extensions may sign anything but certificates", () =>
    expect(read({})).toMatchObject({ mayCertify: false, maySignPackages: true }));

  test("of an authority may certify, to any depth or to a depth of one", () => {
    expect(read({ isAuthority: true })).toMatchObject({
      mayCertify: true,
      pathLength: Number.POSITIVE_INFINITY,
    });
    expect(read({ isAuthority: true, pathLength: 3 })).toMatchObject({ mayCertify: true, pathLength: 3 });
  });

  test("may have unknown extensions that are not critical", () => {
    expect(read({ extensions: [extension("2a0304", Buffer.from("?"))] }).maySignPackages).toBe(true);
  });

  test("without a common name is named by its key", () =>
    expect(read({ subject: "" }).label).toBe(Buffer.from(KEYS.publicKey.subarray(0, 8)).toString("hex")));

  test("has a printable name of 64 characters at most", () => {
    expect(read({ subject: "a\x1b[31m\nb" }).label).toBe("a?[31m?b");
    expect(read({ subject: "x".repeat(500) }).label).toBe("x".repeat(64));
  });

  const usage = Buffer.from("03020780", "hex");
  /** By a part of the message. */
  const USELESS: Readonly<Record<string, Readonly<Record<string, Partial<CertificateFields>>>>> = {
    "neither of version": {
      "version 2": { version: 1 },
      "a later version": { version: 3 },
    },
    "critical extension": {
      "an unknown critical extension": { extensions: [extension("2a0304", Buffer.from("?"), true)] },
      "name constraints": { extensions: [extension("551d1e", element(0x30), true)] },
    },
    "an extension twice": {
      "an extension twice": { extensions: [extension("551d0f", usage), extension("551d0f", usage)] },
    },
    "is not where it should be": {
      "a key usage of another type": { extensions: [extension("551d0f", Buffer.from("0203"))] },
      "basic constraints with another member": {
        extensions: [extension("551d13", element(0x30, element(0x30)))],
      },
    },
    "bits that it does not count": {
      "a key usage with unused bits set": {
        extensions: [extension("551d0f", Buffer.from("03020781", "hex"))],
      },
      "a key usage without bits and with a count": {
        extensions: [extension("551d0f", Buffer.from("030107", "hex"))],
      },
    },
    "more than there should be": {
      "bytes after basic constraints": {
        extensions: [extension("551d13", Buffer.from("300000", "hex"))],
      },
    },
    "a boolean is neither": {
      "a boolean that is neither true nor false": {
        extensions: [extension("551d13", Buffer.from("30030101ee", "hex"))],
      },
    },
    "a number is negative": {
      "a negative path length": { extensions: [extension("551d13", Buffer.from("30060101ff0201ff", "hex"))] },
      "an empty path length": { extensions: [extension("551d13", Buffer.from("30050101ff0200", "hex"))] },
    },
    "not signed with Ed25519": {
      "an RSA signature": { algorithm: Buffer.from("300d06092a864886f70d01010b0500", "hex") },
      "parameters of its algorithm": { algorithm: Buffer.from("300706032b65700500", "hex") },
    },
    "not an Ed25519 key": {
      "an X25519 key": {
        spki: Buffer.concat([Buffer.from("302a300506032b656e032100", "hex"), KEYS.publicKey]),
      },
    },
    "signature has another length": {
      "a signature of 63 bytes": { signature: new Uint8Array(63) },
    },
    "is not a time": {
      "a time without seconds": { notBefore: "2001010000Z" },
      "a time without a zone": { notAfter: "20400101000000" },
      "a thirteenth month": { notBefore: "201301000000Z" },
      "30 February": { notBefore: "200230000000Z" },
      "a 25th hour": { notBefore: "200101240000Z" },
      "a leap second": { notBefore: "161231235960Z" },
      "a time of letters": { notBefore: "aabbccddeeffZ" },
      "a time with a sign": { notBefore: "20+101000000Z" },
    },
    "a time is none": {
      "a time in another zone": { notBefore: "200101000000+0100" },
      "a time with a fraction": { notAfter: "20400101000000.5Z" },
    },
  };
  for (const [reason, certificates] of Object.entries(USELESS))
    for (const [name, fields] of Object.entries(certificates))
      test(`cannot be used with ${name}`, () =>
        expect(outcome(writeCertificate({ ...PLAIN, ...fields }))).toContain(reason));

  const whole = writeCertificate({ ...PLAIN, isAuthority: true, keyUsage: ["keyCertSign"] });
  const DER = [
    { name: "no bytes", der: new Uint8Array(0), reason: "is not where it should be" },
    {
      name: "a byte after the certificate",
      der: Buffer.concat([whole, Buffer.of(0)]),
      reason: "more than there should be",
    },
    {
      name: "an indefinite length",
      der: Buffer.concat([Buffer.of(0x30, 0x80), whole.subarray(4), Buffer.of(0, 0)]),
      reason: "a length is indefinite",
    },
    {
      name: "a length in three bytes",
      der: Buffer.concat([Buffer.of(0x30, 0x83, 0, 0), whole.subarray(2)]),
      reason: "far too long",
    },
    {
      name: "a length in two bytes where one is enough",
      der: element(0x30, Buffer.from("308200ff", "hex"), Buffer.alloc(255)),
      reason: "more bytes than it needs",
    },
    {
      name: "a long length where a short one is enough",
      der: element(0x30, Buffer.from("30817f", "hex"), Buffer.alloc(127)),
      reason: "more bytes than it needs",
    },
    {
      name: "an element past its end",
      der: element(0x30, Buffer.from("3002", "hex"), Buffer.alloc(1)),
      reason: "passes its end",
    },
    { name: "half a length", der: Buffer.of(0x30, 0x82, 0x01), reason: "ends within a length" },
    { name: "another element", der: element(0x31, whole), reason: "is not where it should be" },
    {
      name: "algorithms in other places",
      der: element(0x30, ED25519, ED25519, ED25519),
      reason: "is not where it should be",
    },
  ];
  for (const { name, der, reason } of DER)
    test(`cannot be read with ${name}`, () => expect(outcome(der)).toContain(reason));

  test("cannot be read when truncated", () => {
    for (let length = 0; length < whole.length; length++)
      expect(outcome(whole.subarray(0, length)), `${length} bytes`).toBeTypeOf("string");
  });

  test("cannot be read when its signature has unused bits", () => {
    const der = Uint8Array.from(whole);
    der[der.length - 65] = 1;
    der[der.length - 1] = 0;
    expect(outcome(der)).toContain("signature has another length");
  });

  test("property: only faults are thrown, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 }), (changes) => {
        const der = Uint8Array.from(whole);
        for (const [at, value] of changes) der[at] = value;
        outcome(der);
      }),
      { numRuns: 2000 },
    );
  });
});
