/** Writes X.509 certificates, also such as no tool would write. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface KeyPair {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  /** The last 32 bytes of it. */
  readonly publicKey: Uint8Array;
}

export function newKeys(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const spki = publicKey.export({ format: "der", type: "spki" });
  return { privateKey, spki, publicKey: Uint8Array.from(spki.subarray(-32)) };
}

export interface CertificateFields {
  readonly subject: string;
  /** Left out: the subject. */
  readonly issuer?: string;
  readonly keys: KeyPair;
  /** Who signs; left out: itself. */
  readonly signer?: KeyPair;
  /** As UTCTime or GeneralizedTime, by their lengths. */
  readonly notBefore?: string;
  readonly notAfter?: string;
  /** 0 is version 1. */
  readonly version?: number;
  readonly isAuthority?: boolean;
  readonly pathLength?: number;
  /** Named as in RFC 5280; left out: no such extension. */
  readonly keyUsage?: readonly (keyof typeof USAGE_BITS)[];
  readonly extendedKeyUsage?: readonly string[];
  /** Further extensions, ready made by {@link extension}. */
  readonly extensions?: readonly Buffer[];
  readonly algorithm?: Buffer;
  readonly spki?: Buffer;
  readonly signature?: Uint8Array;
}

const USAGE_BITS = {
  digitalSignature: 0,
  contentCommitment: 1,
  keyEncipherment: 2,
  keyCertSign: 5,
  cRLSign: 6,
};

export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body]);
  if (body.length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, body.length), body]);
  return Buffer.concat([Buffer.of(tag, 0x82, body.length >> 8, body.length), body]);
}

const sequence = (...content: readonly Uint8Array[]) => element(0x30, ...content);
const hex = (digits: string) => Buffer.from(digits, "hex");
export const ED25519 = hex("300506032b6570");

export function extension(id: string, value: Uint8Array, isCritical = false): Buffer {
  const critical = isCritical ? [element(0x01, Buffer.of(0xff))] : [];
  return sequence(element(0x06, hex(id)), ...critical, element(0x04, value));
}

export function writeCertificate(fields: CertificateFields): Buffer {
  const { algorithm = ED25519, signer = fields.keys, version = 2, issuer = fields.subject } = fields;
  const signed = sequence(
    ...(version === 0 ? [] : [element(0xa0, element(0x02, Buffer.of(version)))]),
    element(0x02, Buffer.of(1)),
    algorithm,
    nameOf(issuer),
    sequence(timeOf(fields.notBefore ?? "200101000000Z"), timeOf(fields.notAfter ?? "400101000000Z")),
    nameOf(fields.subject),
    fields.spki ?? fields.keys.spki,
    ...(version === 0 ? [] : extensionsOf(fields)),
  );
  const signature = fields.signature ?? sign(null, signed, signer.privateKey);
  return sequence(signed, algorithm, element(0x03, Buffer.of(0), signature));
}

/** A name with only a common name; an empty name for "". */
function nameOf(commonName: string): Buffer {
  if (commonName === "") return sequence();
  return sequence(
    element(0x31, sequence(element(0x06, hex("550403")), element(0x0c, Buffer.from(commonName)))),
  );
}

function timeOf(text: string): Buffer {
  return element(text.length <= 13 ? 0x17 : 0x18, Buffer.from(text, "latin1"));
}

function extensionsOf(fields: CertificateFields): Buffer[] {
  const { isAuthority, pathLength, keyUsage, extendedKeyUsage, extensions = [] } = fields;
  const list = [...extensions];
  if (isAuthority !== undefined) list.push(extension("551d13", constraintsOf(isAuthority, pathLength), true));
  if (keyUsage) list.push(extension("551d0f", usageOf(keyUsage), true));
  if (extendedKeyUsage)
    list.push(extension("551d25", sequence(...extendedKeyUsage.map((id) => element(0x06, hex(id)))), true));
  return list.length === 0 ? [] : [element(0xa3, sequence(...list))];
}

function constraintsOf(isAuthority: boolean, pathLength: number | undefined): Buffer {
  const authority = isAuthority ? [element(0x01, Buffer.of(0xff))] : [];
  return sequence(...authority, ...(pathLength === undefined ? [] : [element(0x02, Buffer.of(pathLength))]));
}

function usageOf(names: NonNullable<CertificateFields["keyUsage"]>): Buffer {
  const bits = names.map((name) => USAGE_BITS[name]);
  const byte = bits.reduce((sum, bit) => sum | (0x80 >> bit), 0);
  return element(0x03, Buffer.of(7 - Math.max(...bits), byte));
}

export function pem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.map((line) => `${line}\n`).join("")}-----END ${label}-----\n`;
}
