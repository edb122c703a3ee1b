/**
 * Reads X.509 certificates with Ed25519 keys and signatures (RFC 5280, RFC 8410): the parts needed to validate a chain.
 * Rejects a certificate with an unknown critical extension (RFC 5280 §4.2).
 */

import { Fault } from "../fault.js";
import { hexadecimal } from "../hexadecimal.js";
import type { Ed25519 } from "../ports/crypto.js";
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from "../signature/ed25519.js";
import {
  contextTag,
  DerReader,
  malformed,
  readBits,
  readBoolean,
  readSmallInteger,
  TAG,
} from "./der-reader.js";

// Times (RFC 5280 §4.1.2.5): in UTC, with seconds, in exactly one form per type.

/**
 * Read the next element as a time, in milliseconds since 1970.
 * @throws {Fault} `keys_invalid` for any other form, and for a date or time that does not exist
 */
function readTime(reader: DerReader): number {
  if (reader.tag === TAG.generalizedTime) return timeOf(ascii(reader.content(TAG.generalizedTime)));
  const text = ascii(reader.content(TAG.utcTime));
  return timeOf(`${text < "50" ? "20" : "19"}${text}`); // §4.1.2.5.1
}

/** @param text YYYYMMDDHHMMSSZ */
function timeOf(text: string): number {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)];
  const [hour, minute, second] = [text.slice(8, 10), text.slice(10, 12), text.slice(12, 14)];
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = Date.parse(iso);
  // Formatting it again detects dates that the parser tolerates, such as 30 February.
  if (text.length !== 15 || !text.endsWith("Z") || Number.isNaN(time) || new Date(time).toISOString() !== iso)
    throw malformed(`"${text}" is not a time`);
  return time;
}

function ascii(content: Uint8Array): string {
  if (content.length > 15 || content.some((byte) => byte < 0x20 || byte > 0x7e))
    throw malformed("a time is none");
  return String.fromCharCode(...content);
}

// Display name of a certificate, from the distinguished name of its subject (RFC 5280 §4.1.2.4).

const COMMON_NAME = "550403";
const LABEL_LIMIT_CHARACTERS = 64;

/**
 * The first common name in printable ASCII, with other bytes replaced by question marks; "" if there is none.
 * @param name in DER
 * @throws {Fault} `keys_invalid` for an invalid name
 */
function commonName(name: Uint8Array): string {
  const parts = new DerReader(name).enter(TAG.sequence);
  let found = "";
  while (!parts.isAtEnd) {
    const part = parts.enter(TAG.set);
    while (!part.isAtEnd) {
      const attribute = part.enter(TAG.sequence);
      const type = hexadecimal(attribute.content(TAG.objectIdentifier));
      const value = attribute.content(attribute.tag ?? TAG.set);
      attribute.end();
      if (type === COMMON_NAME && found === "") found = printable(value);
    }
  }
  return found;
}

function printable(value: Uint8Array): string {
  let text = "";
  for (const byte of value.subarray(0, LABEL_LIMIT_CHARACTERS))
    text += byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : "?";
  return text;
}

// Ed25519 keys in X.509 (RFC 8410 §4). DER has one encoding for each, so comparing bytes is enough.

/** AlgorithmIdentifier of Ed25519, the same for keys and signatures (§3). */
const ED25519: readonly number[] = Object.freeze([0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70]);
/** SubjectPublicKeyInfo up to the key. */
const PREFIX: readonly number[] = Object.freeze([0x30, 0x2a, ...ED25519, 0x03, 0x21, 0x00]);

/**
 * The key in a SubjectPublicKeyInfo, as a view. Checks the encoding only: the 32 bytes can be no point of the curve, or
 * one of small order, for which signatures can be forged.
 * @throws {Fault} `keys_invalid` for a key of another kind
 */
export function readCandidateKey(element: Uint8Array): Uint8Array {
  if (element.length !== PREFIX.length + PUBLIC_KEY_BYTES || !startsWith(element, PREFIX))
    throw new Fault("keys_invalid", "its key is not an Ed25519 key");
  return element.subarray(PREFIX.length);
}

/**
 * The key in a SubjectPublicKeyInfo, as a view.
 * @throws {Fault} `keys_invalid` for a key of another kind, no point of the curve, or a point of small order
 */
export function readPublicKey(element: Uint8Array, ed25519: Ed25519): Uint8Array {
  const key = readCandidateKey(element);
  if (!ed25519.isPublicKey(key))
    throw new Fault("keys_invalid", "its key is not a point of the curve, or of small order");
  return key;
}

/** @param element an AlgorithmIdentifier */
function isEd25519(element: Uint8Array): boolean {
  return element.length === ED25519.length && startsWith(element, ED25519);
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}

// Extensions that restrict the use of a certificate's key (RFC 5280 §4.2.1).

interface Uses {
  readonly mayCertify: boolean;
  readonly pathLength: number;
  readonly maySignPackages: boolean;
}

const BASIC_CONSTRAINTS = "551d13";
const KEY_USAGE = "551d0f";
const EXTENDED_KEY_USAGE = "551d25";

/** Bits of the first byte of a key usage (§4.2.1.3). */
const DIGITAL_SIGNATURE = 0x80;
const CONTENT_COMMITMENT = 0x40;
const CERTIFICATE_SIGNING = 0x04;
const ANY_USAGE = 0xff;

/** `codeSigning` and `anyExtendedKeyUsage` (§4.2.1.12). */
const PACKAGE_PURPOSES: readonly string[] = Object.freeze(["2b06010505070303", "551d2500"]);

/**
 * @param explicit the element that contains the extensions; `undefined` if there are none: the key can then sign
 *   anything but certificates
 * @throws {Fault} `keys_invalid`, also for an unknown critical extension or a duplicate
 */
function readExtensions(explicit: DerReader | undefined): Uses {
  const values = explicit ? valuesOf(explicit) : {};
  const constraints = readConstraints(values[BASIC_CONSTRAINTS]);
  const usage = readUsage(values[KEY_USAGE]);
  return {
    mayCertify: constraints.isAuthority && (usage & CERTIFICATE_SIGNING) !== 0,
    pathLength: constraints.pathLength,
    maySignPackages:
      (usage & (DIGITAL_SIGNATURE | CONTENT_COMMITMENT)) !== 0 && isForPackages(values[EXTENDED_KEY_USAGE]),
  };
}

type Known = typeof BASIC_CONSTRAINTS | typeof KEY_USAGE | typeof EXTENDED_KEY_USAGE;
type Values = { [id in Known]?: Uint8Array };

function isKnown(id: string): id is Known {
  return id === BASIC_CONSTRAINTS || id === KEY_USAGE || id === EXTENDED_KEY_USAGE;
}

/** Values of the known extensions. Checks that no unknown one is critical. */
function valuesOf(explicit: DerReader): Values {
  const values: Values = {};
  const extensions = explicit.enter(TAG.sequence);
  explicit.end();
  while (!extensions.isAtEnd) {
    const extension = extensions.enter(TAG.sequence);
    const id = hexadecimal(extension.content(TAG.objectIdentifier));
    const isCritical = extension.tag === TAG.boolean && readBoolean(extension.content(TAG.boolean));
    const value = extension.content(TAG.octetString);
    extension.end();
    if (isKnown(id)) {
      if (values[id]) throw new Fault("keys_invalid", "it has an extension twice");
      values[id] = value;
    } else if (isCritical) throw new Fault("keys_invalid", "it has an unknown critical extension");
  }
  return values;
}

/** §4.2.1.9. */
function readConstraints(value: Uint8Array | undefined): { isAuthority: boolean; pathLength: number } {
  if (!value) return { isAuthority: false, pathLength: 0 };
  const constraints = enterWhole(value);
  const isAuthority = constraints.tag === TAG.boolean && readBoolean(constraints.content(TAG.boolean));
  const pathLength = constraints.isAtEnd
    ? Number.POSITIVE_INFINITY
    : readSmallInteger(constraints.content(TAG.integer));
  constraints.end();
  return { isAuthority, pathLength };
}

/** §4.2.1.3. */
function readUsage(value: Uint8Array | undefined): number {
  if (!value) return ANY_USAGE;
  const reader = new DerReader(value);
  const [first = 0] = readBits(reader.content(TAG.bitString));
  reader.end();
  return first;
}

function isForPackages(value: Uint8Array | undefined): boolean {
  if (!value) return true;
  const purposes = enterWhole(value);
  let isOne = false;
  while (!purposes.isAtEnd)
    if (PACKAGE_PURPOSES.includes(hexadecimal(purposes.content(TAG.objectIdentifier)))) isOne = true;
  return isOne;
}

function enterWhole(value: Uint8Array): DerReader {
  const reader = new DerReader(value);
  const sequence = reader.enter(TAG.sequence);
  reader.end();
  return sequence;
}

/** A parsed certificate. Its byte arrays are views of the input. */
export interface Certificate {
  /** For display: common name of the subject, or the first 8 bytes of the key in hexadecimal. */
  readonly label: string;
  /** Distinguished names in DER; compared byte by byte. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  /** First and last moment of validity, in milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** May sign other certificates. */
  readonly mayCertify: boolean;
  /** Maximum number of intermediate authorities that can follow in a chain. */
  readonly pathLength: number;
  /** May sign data other than certificates. */
  readonly maySignPackages: boolean;
  /** The bytes that the signature covers. */
  readonly signedBytes: Uint8Array;
  readonly signature: Uint8Array;
}

const V1 = 0;
const V3 = 2;
/** 20 bytes (RFC 5280 §4.1.2.2) and one for the sign. */
const SERIAL_LIMIT_BYTES = 21;

/** Reads the key from a SubjectPublicKeyInfo. @throws {Fault} `keys_invalid` */
type KeyReading = (element: Uint8Array) => Uint8Array;

/**
 * Parse one certificate. Does not verify its signature.
 * @param readKey reads the key, and rejects keys that are not accepted
 * @throws {Fault} `keys_invalid`
 */
export function readCertificate(der: Uint8Array, readKey: KeyReading): Certificate {
  const file = new DerReader(der);
  const outer = file.enter(TAG.sequence);
  file.end();
  const signedBytes = outer.element(TAG.sequence);
  requireEd25519(outer);
  const bits = outer.content(TAG.bitString); // the first byte counts the unused bits
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
  const notAfter = readTime(validity) + 999; // valid through the end of that second
  validity.end();
  const subject = fields.element(TAG.sequence);
  const publicKey = readKey(fields.element(TAG.sequence));
  const extensions = readExtensions(version === V3 ? fields.enterOptional(contextTag(3)) : undefined);
  fields.end(); // unique identifiers (§4.1.2.8) are not supported: no issuer writes them
  const label = labelOf(subject, publicKey);
  return { label, issuer, subject, publicKey, notBefore, notAfter, ...extensions };
}

/** {@link Certificate.label} for this subject and key. */
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
