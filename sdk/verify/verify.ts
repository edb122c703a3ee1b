/**
 * Verifies a file with the console's own code: what it contains, who signed it, and whether a console with the given
 * keys would accept it.
 */
import { createHash } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import { BUNDLE_MAGIC_BYTES, checkBundleStart } from "../../protocol/firmware/bundle-header.js";
import { type Bundle, BundleReader } from "../../protocol/firmware/bundle-reader.js";
import type { ImageHeader } from "../../protocol/firmware/image-header.js";
import type { KeyRole } from "../../protocol/keys/pem-reader.js";
import {
  type CandidateKeys,
  CandidateKeysReader,
  readTrustedKeys,
  type TrustedKey,
  type TrustedKeys,
} from "../../protocol/keys/trusted-keys.js";
import { nobleEd25519 } from "../../protocol/noble/noble-ed25519.js";
import { verifySignature } from "../../protocol/signature/ed25519.js";
import { readSignature, readSignatureFile } from "../../protocol/signature/signature-text.js";
import { NodeCrc32, NodeDigest, nodeBase64 } from "../../tools/node-bytes.js";
import { type AppContents, appKindOf, readApp } from "./verify-app.js";

interface VerifyOptions {
  /** Trusted keys, in the format of a console's key file. */
  readonly pem: Uint8Array;
  /** Hexadecimal digits, or the content of a signature file; firmware contains its own signature. */
  readonly signature: string | Uint8Array | undefined;
}

export type Verified = (VerifiedApp | FirmwareContents) & {
  readonly signer: TrustedKey;
  /** Unusable keys, with reasons. */
  readonly problems: readonly string[];
};

type VerifiedApp = AppContents & {
  /** Reasons why consoles would not use all of the file, although they accept it. */
  readonly concerns: readonly string[];
};

interface FirmwareContents {
  readonly kind: "firmware";
  readonly image: ImageHeader;
  readonly imageBytes: number;
}

/** @throws {Fault} the console's code if it would reject the file; `keys_invalid` without a usable key */
export async function verify(file: Uint8Array, { pem, signature }: VerifyOptions): Promise<Verified> {
  const { keys, problems } = await trustedKeysIn(pem);
  if (keys.length === 0)
    throw new Fault(
      "keys_invalid",
      ["There is no PUBLIC KEY and no CERTIFICATE that is usable", ...problems].join("; "),
    );
  if (isFirmware(file)) return { kind: "firmware", ...(await verifyFirmware(file, pem, keys)), problems };
  const kind = appKindOf(file);
  const signer = signerOf(file, signatureIn(signature), keys, "app");
  const app = await readApp(file, kind);
  if (app.isImageAlone) requireNative(signer);
  return { ...app, concerns: concernsAbout(app, signer), signer, problems };
}

/**
 * Nothing can run in place of machine code alone, so consoles take it from a key with the role only.
 * @throws {Fault} `signature_invalid`
 */
function requireNative({ label, roles }: TrustedKey): void {
  if (roles.includes("native")) return;
  throw new Fault(
    "signature_invalid",
    `The file is machine code alone, and key "${label}" does not have the role native, only ${roles.join(", ")}`,
  );
}

/** Consoles accept such a file, but run the module instead of its machine code. */
function concernsAbout({ variants }: AppContents, { roles }: TrustedKey): readonly string[] {
  if (variants.length === 0 || roles.includes("native")) return [];
  return ["no console runs its machine code: the signing key does not have the role native"];
}

/** @throws {Fault} `signature_missing`, `signature_invalid` */
function signatureIn(signature: string | Uint8Array | undefined): Uint8Array {
  return signature instanceof Uint8Array ? readSignatureFile(signature) : readSignature(signature);
}

const SIGNATURE_PORTS = Object.freeze({ Digest: NodeDigest, ed25519: nobleEd25519 });

/** @returns the keys that are valid now; expired certificates are not */
function trustedKeysIn(pem: Uint8Array): Promise<TrustedKeys> {
  return readTrustedKeys(pem, { ...SIGNATURE_PORTS, base64: nodeBase64, now: Date.now() });
}

/**
 * Finds the key that signed the file and has the role. As on a console, a key without the role counts as unknown.
 *
 * @param file the signature covers its SHA-256
 * @param signature 64 bytes
 * @throws {Fault} `signature_invalid`
 */
function signerOf(
  file: Uint8Array,
  signature: Uint8Array,
  keys: readonly TrustedKey[],
  role: KeyRole,
): TrustedKey {
  const message = createHash("sha256").update(file).digest();
  const signers = keys.filter(({ publicKey }) =>
    verifySignature({ signature, publicKey, message, ...SIGNATURE_PORTS }),
  );
  const signer = signers.find(({ roles }) => roles.includes(role));
  if (signer) return signer;
  const [other] = signers;
  if (other)
    throw new Fault(
      "signature_invalid",
      `The file is signed by key "${other.label}", which does not have the role ${role}, only ${other.roles.join(", ")}`,
    );
  throw new Fault("signature_invalid", "The signature does not match this file and any trusted key");
}

interface VerifiedFirmware extends Bundle {
  readonly signer: TrustedKey;
}

/** Detects a bundle by its first bytes. */
export function isFirmware(file: Uint8Array): boolean {
  try {
    checkBundleStart(file.subarray(0, BUNDLE_MAGIC_BYTES));
    return file.length >= BUNDLE_MAGIC_BYTES;
  } catch {
    return false; // another kind of file, or an empty one
  }
}

/**
 * @param pem source of `keys`
 * @throws {Fault} `bundle_version`, `bundle_length`, `signature_invalid`, `bundle_crc`, `image_invalid`
 */
async function verifyFirmware(
  file: Uint8Array,
  pem: Uint8Array,
  keys: readonly TrustedKey[],
): Promise<VerifiedFirmware> {
  const reader = new BundleReader({
    ...SIGNATURE_PORTS,
    Crc32: NodeCrc32,
    openKeys: () => candidatesIn(pem),
    imageLimitBytes: Number.POSITIVE_INFINITY, // the limit depends on the board
    exactBytes: file.length,
  });
  let signer: TrustedKey | undefined;
  reader.write(file);
  const bundle = await reader.end({
    pause: async () => undefined,
    isTrusted: async (publicKey) => {
      signer = keys.find(
        (key) => key.roles.includes("firmware") && Buffer.compare(key.publicKey, publicKey) === 0,
      );
      return signer !== undefined;
    },
  });
  return { ...bundle, signer: signer as TrustedKey }; // the reader throws if there is none
}

function candidatesIn(pem: Uint8Array): CandidateKeys {
  const keys: Uint8Array[] = [];
  const reader = new CandidateKeysReader({
    base64: nodeBase64,
    role: "firmware",
    onKey: (publicKey) => void keys.push(publicKey.slice()),
  });
  reader.write(pem);
  reader.end();
  return { next: () => keys.shift(), close: () => keys.splice(0) };
}
