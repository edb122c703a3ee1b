/**
 * Signed statements about the keys of publishers (docs/spec/app-packages.md#voucher): short texts, each signed with
 * Ed25519 over its UTF-8 bytes. Public keys in them are 64 lower-case hexadecimal digits; signatures beside them, 128.
 *
 * A *voucher*, signed by a hub's key, states that a key is that of the package's publisher. It comes with the
 * publisher's own signature over the package, so a hub cannot attribute a package of its own to a publisher.
 *
 * A *succession*, signed by a publisher's old key, states that the new key belongs to the same publisher. Successions
 * form a chain, oldest first, that leads to the key in use today.
 */
import { Fault } from "../fault.js";
import { hexadecimal, readHexadecimal } from "../hexadecimal.js";
import { PUBLIC_KEY_BYTES, type SignaturePorts, verifySignature } from "./ed25519.js";
import { readSignature } from "./signature-text.js";

/**
 * Successions in a chain: a console verifies a signature for each, and publishers change keys once in several years
 * (docs/spec/app-packages.md#succession).
 */
export const SUCCESSIONS_LIMIT = 4;

const KEY_DIGITS = 2 * PUBLIC_KEY_BYTES;
const SIGNATURE_DIGITS = 128;
/** `<old>:<new>:<signature>`. */
const SUCCESSION_LENGTH = 2 * (KEY_DIGITS + 1) + SIGNATURE_DIGITS;
/** A chain in a file, with a line end of two characters (CR LF) after each link. */
export const SUCCESSION_TEXT_LIMIT = SUCCESSIONS_LIMIT * (SUCCESSION_LENGTH + 2);

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COMMA = 0x2c;

/** Texts about the publisher that can accompany a package, beside its signature. */
export interface PublisherTexts {
  /** The publisher's own signature over the SHA-256 of the package. */
  readonly signature?: string;
  readonly key?: string;
  /** The hub's signature over {@link voucherText}. */
  readonly voucher?: string;
  /** Successions, separated by commas. */
  readonly succession?: string;
}

/** The header fields and the parameters that carry {@link PublisherTexts}. */
export const PUBLISHER_FIELDS = Object.freeze([
  { member: "signature", header: "x-svc-publisher-signature", parameter: "publisher_signature" },
  { member: "key", header: "x-svc-publisher-key", parameter: "publisher_key" },
  { member: "voucher", header: "x-svc-publisher-voucher", parameter: "publisher_voucher" },
  { member: "succession", header: "x-svc-publisher-succession", parameter: "publisher_succession" },
] as const);

/**
 * Collect the publisher texts from the header fields or parameters of a message.
 * @param read returns the value of a field or parameter; `undefined` if it is absent
 * @returns `undefined` if all are absent
 */
export function publisherTexts(
  read: (field: (typeof PUBLISHER_FIELDS)[number]) => string | undefined,
): PublisherTexts | undefined {
  let texts: { -readonly [Member in keyof PublisherTexts]: string } | undefined;
  for (const field of PUBLISHER_FIELDS) {
    const text = read(field);
    if (text === undefined) continue;
    texts ??= {};
    texts[field.member] = text;
  }
  return texts;
}

/** A voucher with the publisher's signature and key. */
export interface Voucher {
  /** The publisher's signature over the SHA-256 of the package. */
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
  /** The hub's signature over {@link voucherText}. */
  readonly voucher: Uint8Array;
}

export interface Succession {
  readonly oldKey: Uint8Array;
  readonly newKey: Uint8Array;
  /** Signature of the old key over {@link successionText}. */
  readonly signature: Uint8Array;
}

/** Text of a voucher, which a hub signs. @param packageDigest SHA-256 of the package */
export function voucherText(packageDigest: Uint8Array, publisherKey: Uint8Array): string {
  return `svc publisher\n${hexadecimal(packageDigest)}\n${hexadecimal(publisherKey)}\n`;
}

/** Text of a succession, which the old key signs. */
export function successionText(oldKey: Uint8Array, newKey: Uint8Array): string {
  return `svc successor\n${hexadecimal(oldKey)}\n${hexadecimal(newKey)}\n`;
}

/** Encode a succession as `<old>:<new>:<signature>`. */
export function writeSuccession({ oldKey, newKey, signature }: Succession): string {
  return `${hexadecimal(oldKey)}:${hexadecimal(newKey)}:${hexadecimal(signature)}`;
}

/**
 * Parse a public key.
 * @throws {Fault} `signature_invalid` for anything but 64 lower-case hexadecimal digits
 */
export function readKeyText(text: string): Uint8Array {
  const bytes = text.length === KEY_DIGITS ? readHexadecimal(text) : undefined;
  if (!bytes) throw malformedKey();
  return bytes;
}

/**
 * Read the voucher from the texts; `undefined` if there is none. The publisher's signature proves nothing without it.
 * @throws {Fault} `signature_invalid` if the publisher's signature or key is missing, or a part is malformed
 */
export function readVoucher({ signature, key, voucher }: PublisherTexts): Voucher | undefined {
  if (voucher === undefined) return undefined;
  if (signature === undefined || key === undefined)
    throw new Fault(
      "signature_invalid",
      "A voucher needs the publisher's signature and key; one of them is missing",
    );
  return {
    signature: readSignature(signature),
    publicKey: readKeyText(key),
    voucher: readSignature(voucher),
  };
}

/**
 * Parse a chain of successions separated by commas; empty for `undefined` and an empty text. Does not verify
 * signatures.
 * @throws {Fault} `signature_invalid` for malformed text, more than {@link SUCCESSIONS_LIMIT} links, or links that do
 * not
 *   follow each other
 */
export function readSuccessions(text: string | undefined): readonly Succession[] {
  if (text === undefined || text === "") return [];
  const links: Succession[] = [];
  for (let at = 0; at < text.length; at += SUCCESSION_LENGTH + 1) {
    if (links.length === SUCCESSIONS_LIMIT)
      throw new Fault("signature_invalid", `Cannot follow more than ${SUCCESSIONS_LIMIT} successions`);
    const end = at + SUCCESSION_LENGTH;
    const isLast = end === text.length;
    // A trailing comma is invalid.
    if (!isLast && (text[end] !== "," || end + 1 === text.length)) throw malformedSuccession();
    links.push(readSuccession(text.slice(at, end), links.at(-1)));
  }
  return links;
}

/**
 * Read a chain from a file with one link per line, so that files of single successions can be concatenated. Lines end
 * in LF or CR LF.
 * @returns the links separated by commas
 * @throws {Fault} as {@link readSuccessions}
 */
export function readSuccessionFile(bytes: Uint8Array): string {
  if (bytes.length > SUCCESSION_TEXT_LIMIT)
    throw new Fault("signature_invalid", `Cannot follow more than ${SUCCESSIONS_LIMIT} successions`);
  const text = new TextDecoder().decode(withCommas(bytes));
  readSuccessions(text);
  return text;
}

/**
 * Join the lines with commas, without trailing white space. Works on bytes, because `replaceAll` on XS uses heap for
 * each line end, and a file can consist of line ends only.
 */
function withCommas(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] as number) <= SPACE) end--;
  const joined = new Uint8Array(end);
  let length = 0;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === CR && bytes[at + 1] === LF) continue;
    joined[length++] = byte === LF ? COMMA : byte;
  }
  return joined.subarray(0, length);
}

/** Whether the signature of a succession holds under its old key. */
export function successionHolds({ oldKey, newKey, signature }: Succession, ports: SignaturePorts): boolean {
  const message = new TextEncoder().encode(successionText(oldKey, newKey));
  return verifySignature({ ...ports, message, signature, publicKey: oldKey });
}

/** @param before the previous link, whose new key must be this link's old key */
function readSuccession(text: string, before: Succession | undefined): Succession {
  const newAt = KEY_DIGITS + 1;
  const signatureAt = newAt + KEY_DIGITS + 1;
  if (text.length !== SUCCESSION_LENGTH || text[newAt - 1] !== ":" || text[signatureAt - 1] !== ":")
    throw malformedSuccession();
  const old = text.slice(0, KEY_DIGITS);
  if (before && hexadecimal(before.newKey) !== old)
    throw new Fault("signature_invalid", "The successions do not follow each other, the oldest first");
  return {
    oldKey: readKeyText(old),
    newKey: readKeyText(text.slice(newAt, signatureAt - 1)),
    signature: readSignature(text.slice(signatureAt)),
  };
}

function malformedKey(): Fault {
  return new Fault("signature_invalid", `A public key must be ${KEY_DIGITS} lower-case hexadecimal digits`);
}

function malformedSuccession(): Fault {
  return new Fault("signature_invalid", "A succession must be <old key>:<new key>:<signature>");
}
