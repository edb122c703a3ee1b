/** Parses and compares versions of apps and firmware: MAJOR.MINOR.PATCH (Semantic Versioning 2.0.0 §2). */

/** Maximum digits per number: keeps every number exact and a version within 29 characters. */
const DIGITS_LIMIT = 9;

export type Version = readonly [major: number, minor: number, patch: number];

/**
 * Parse three numbers without suffix, sign or leading zeros (docs/spec/conventions.md#versions).
 * @returns `undefined` for any other text
 */
export function parseVersion(text: string): Version | undefined {
  if (text.length > 3 * DIGITS_LIMIT + 2) return undefined;
  const parts = text.split(".");
  if (parts.length !== 3 || !parts.every(isNumber)) return undefined;
  return [Number(parts[0]), Number(parts[1]), Number(parts[2])];
}

/**
 * Compare for sorting: negative if `a` is older than `b`, 0 if they are equal, positive if `a` is newer.
 * @throws {RangeError} for an invalid version; parse external input first
 */
export function compareVersions(a: string, b: string): number {
  const [majorA, minorA, patchA] = versionOf(a);
  const [majorB, minorB, patchB] = versionOf(b);
  return majorA - majorB || minorA - minorB || patchA - patchB;
}

function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (!version) throw new RangeError(`Cannot compare "${text}", which is not a version`);
  return version;
}

function isNumber(digits: string): boolean {
  if (digits.length === 0 || digits.length > DIGITS_LIMIT) return false;
  if (digits.length > 1 && digits.startsWith("0")) return false;
  for (let at = 0; at < digits.length; at++) {
    const code = digits.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}
