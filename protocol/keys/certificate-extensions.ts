/** What extensions say about the use of a certificate's key (RFC 5280 §4.2.1). */
import { Fault } from "../fault.js";
import { hexadecimal } from "../hexadecimal.js";
import { DerReader, readBits, readBoolean, readSmallInteger, TAG } from "./der-reader.js";

export interface Uses {
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
 * @param explicit the element that holds the extensions; `undefined` where there are none: the key may then
 *   sign anything but certificates
 * @throws {Fault} `keys_invalid`, also for one that is critical and unknown, or there twice
 */
export function readExtensions(explicit: DerReader | undefined): Uses {
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

/** Values of the extensions that are known; of the others only that none is critical. */
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
    } else if (isCritical) throw new Fault("keys_invalid", "it has a critical extension that is not known");
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
