import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { CandidateKeysReader, readTrustedKeys } from "../../../../protocol/keys/trusted-keys.js";
import { nodeBase64, nodeSignatures } from "../../../hosts/node-bytes.js";
import { type CertificateFields, newKeys, pem, writeCertificate } from "./certificate-writer.js";
import { SAMPLE_CHAIN } from "./sample-chain.js";

const [ROOT, MIDDLE, LEAF, OTHER] = [newKeys(), newKeys(), newKeys(), newKeys()];
const certificate = (fields: CertificateFields) => pem("CERTIFICATE", writeCertificate(fields));
const publicKey = pem("PUBLIC KEY", OTHER.spki);

/** Keys of the file in hexadecimal, in its order. */
function candidates(file: string, pieceBytes = file.length): string[] {
  const keys: string[] = [];
  const onKey = (key: Uint8Array) => keys.push(hex(key));
  const reader = new CandidateKeysReader({ base64: nodeBase64, role: "firmware", onKey });
  const bytes = new TextEncoder().encode(file);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.write(bytes.subarray(at, at + pieceBytes));
  reader.end();
  return keys;
}

async function trusted(file: string, now?: number): Promise<string[]> {
  const { keys } = await readTrustedKeys(file, { base64: nodeBase64, ...nodeSignatures, now });
  return keys.map((key) => hex(key.publicKey));
}

/** The neutral element; and a y-coordinate without an x. */
const SMALL_ORDER = Buffer.of(1, ...Buffer.alloc(31));
const NO_POINT = Buffer.of(2, ...Buffer.alloc(31));

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const leaf: CertificateFields = { subject: "leaf", issuer: "middle", keys: LEAF, signer: MIDDLE };

const FILES: readonly { name: string; file: string; keys: readonly Uint8Array[] }[] = [
  { name: "a public key", file: publicKey, keys: [OTHER.publicKey] },
  { name: "a public key without a line end after it", file: publicKey.trimEnd(), keys: [OTHER.publicKey] },
  {
    name: "a repeated public key, twice",
    file: publicKey + publicKey,
    keys: [OTHER.publicKey, OTHER.publicKey],
  },
  { name: "a certificate without its issuer", file: certificate(leaf), keys: [LEAF.publicKey] },
  {
    name: "a certificate whose signature is wrong",
    file: certificate({ ...leaf, signature: new Uint8Array(64) }),
    keys: [LEAF.publicKey],
  },
  {
    name: "a certificate that expired",
    file: certificate({ ...leaf, notAfter: "210101000000Z" }),
    keys: [LEAF.publicKey],
  },
  {
    name: "no key of a certificate that signs certificates only",
    file:
      certificate({ subject: "root", keys: ROOT, isAuthority: true, keyUsage: ["keyCertSign"] }) + publicKey,
    keys: [OTHER.publicKey],
  },
  {
    name: "a key of small order, without computing a point",
    file: pem("PUBLIC KEY", Buffer.concat([OTHER.spki.subarray(0, 12), SMALL_ORDER])),
    keys: [SMALL_ORDER],
  },
  {
    name: "a certificate's key that is no point",
    file: certificate({
      ...leaf,
      keys: { ...LEAF, spki: Buffer.concat([LEAF.spki.subarray(0, 12), NO_POINT]) },
    }),
    keys: [NO_POINT],
  },
  {
    name: "no private key, but the public key after it",
    file: pem("PRIVATE KEY", OTHER.spki) + publicKey,
    keys: [OTHER.publicKey],
  },
  {
    name: "the blocks after a broken certificate",
    file: pem("CERTIFICATE", writeCertificate(leaf).subarray(1)) + publicKey,
    keys: [OTHER.publicKey],
  },
  {
    name: "the blocks after one that is not base64",
    file: publicKey.replace("MCow", "M*ow") + certificate(leaf),
    keys: [LEAF.publicKey],
  },
  { name: "no key of an unfinished block", file: publicKey.slice(0, -30), keys: [] },
  { name: "no key of an empty file", file: "", keys: [] },
];

describe("CandidateKeysReader passes on", () => {
  for (const { name, file, keys } of FILES)
    test(name, () => {
      for (const pieceBytes of [file.length + 1, 1, 7])
        expect(candidates(file, pieceBytes)).toEqual(keys.map(hex));
    });

  test("each key in the call in which its block ends", () => {
    let count = 0;
    const reader = new CandidateKeysReader({ base64: nodeBase64, role: "firmware", onKey: () => count++ });
    reader.write(new TextEncoder().encode(publicKey));
    expect(count).toBe(1);
    reader.end();
    expect(count).toBe(1);
  });

  test("what its callback throws", () => {
    const onKey = () => {
      throw new Fault("out_of_memory", "There is no room for this key");
    };
    const reader = new CandidateKeysReader({ base64: nodeBase64, role: "firmware", onKey });
    expect(() => reader.write(new TextEncoder().encode(publicKey))).toThrow("no room");
  });

  test("all keys that the file makes trusted, whatever is damaged in it", { timeout: 30_000 }, async () => {
    const file =
      SAMPLE_CHAIN +
      publicKey +
      certificate({ subject: "root", keys: ROOT, isAuthority: true }) +
      certificate({ subject: "middle", issuer: "root", keys: MIDDLE, signer: ROOT, isAuthority: true }) +
      certificate(leaf);
    expect(candidates(file)).toEqual(expect.arrayContaining(await trusted(file)));
    expect(await trusted(file)).toHaveLength(5);
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.nat(127), async (place, code) => {
        const damaged = file.slice(0, place) + String.fromCharCode(code) + file.slice(place + 1);
        expect(candidates(damaged)).toEqual(expect.arrayContaining(await trusted(damaged)));
      }),
      { numRuns: 50 },
    );
  });
});
