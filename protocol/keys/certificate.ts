/**
 * X.509 certificates with Ed25519 keys and signatures (RFC 5280, RFC 8410), as far as deciding about a chain
 * needs them. Whatever is critical and unknown makes a certificate useless (RFC 5280 §4.2).
 */
import { Fault } from "../fault.js";
import { hexadecimal } from "../hexadecimal.js";
import { SIGNATURE_BYTES } from "../signature/ed25519.js";
import { readTime } from "./asn1-time.js";
import { readExtensions } from "./certificate-extensions.js";
import { contextTag, DerReader, malformed, readSmallInteger, TAG } from "./der-reader.js";
import { commonName } from "./distinguished-name.js";
import { isEd25519 } from "./public-key.js";

/** Its byte arrays are views of what it was read from. */
export interface Certificate {
  /** Common name of the subject, for people; the end of its key where there is none. */
  readonly label: string;
  /** Distinguished names in DER, which are compared byte by byte. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  /** Milliseconds since 1970, both within the time of validity. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** May sign other certificates. */
  readonly mayCertify: boolean;
  /** Most authorities between this one and the end of a chain. */
  readonly pathLength: number;
  /** May sign other data than certificates. */
  readonly maySignPackages: boolean;
  /** What the signature is over. */
  readonly signedBytes: Uint8Array;
  readonly signature: Uint8Array;
}

const V1 = 0;
const V3 = 2;
/** RFC 5280 §4.1.2.2, and the sign. */
const SERIAL_LIMIT_BYTES = 21;

/** Reads a SubjectPublicKeyInfo. @throws {Fault} `keys_invalid` */
type KeyReading = (element: Uint8Array) => Uint8Array;

/**
 * @param readKey decides which keys are accepted
 * @throws {Fault} `keys_invalid`
 */
export function readCertificate(der: Uint8Array, readKey: KeyReading): Certificate {
  const file = new DerReader(der);
  const outer = file.enter(TAG.sequence);
  file.end();
  const signedBytes = outer.element(TAG.sequence);
  requireEd25519(outer);
  const bits = outer.content(TAG.bitString); // and before them how many of the last byte do not count
  outer.end();
  if (bits[0] !== 0 || bits.length !== 1 + SIGNATURE_BYTES)
    throw malformed("its signature has another length");
  return {
    ...readSigned(new DerReader(signedBytes).enter(TAG.sequence), readKey),
    signedBytes,
    signature: bits.subarray(1),
  };
}

/** TBSCertificate (§4.1.2). */
function readSigned(fields: DerReader, readKey: KeyReading): Omit<Certificate, "signedBytes" | "signature"> {
  const version = readVersion(fields);
  const serial = fields.content(TAG.integer);
  if (serial.length < 1 || serial.length > SERIAL_LIMIT_BYTES)
    throw malformed("its number has another length");
  requireEd25519(fields);
  const issuer = fields.element(TAG.sequence);
  const validity = fields.enter(TAG.sequence);
  const notBefore = readTime(validity);
  const notAfter = readTime(validity) + 999; // the second that it names is the last
  validity.end();
  const subject = fields.element(TAG.sequence);
  const publicKey = readKey(fields.element(TAG.sequence));
  const extensions = readExtensions(version === V3 ? fields.enterOptional(contextTag(3)) : undefined);
  fields.end(); // unique identifiers (§4.1.2.8) are not read: no issuer writes them
  const label = labelOf(subject, publicKey);
  return { label, issuer, subject, publicKey, notBefore, notAfter, ...extensions };
}

/** {@link Certificate.label} of the one with this subject and key. */
export function labelOf(subject: Uint8Array, publicKey: Uint8Array): string {
  return commonName(subject) || hexadecimal(publicKey.subarray(0, 8));
}

function readVersion(fields: DerReader): number {
  const explicit = fields.enterOptional(contextTag(0));
  if (!explicit) return V1;
  const version = readSmallInteger(explicit.content(TAG.integer));
  explicit.end();
  if (version !== V3) throw new Fault("keys_invalid", "it is neither of version 1 nor of version 3");
  return version;
}

function requireEd25519(reader: DerReader): void {
  if (!isEd25519(reader.element(TAG.sequence)))
    throw new Fault("keys_invalid", "it is not signed with Ed25519");
}
