/** Versions of apps and firmware: MAJOR.MINOR.PATCH (Semantic Versioning 2.0.0 §2), and which is newer. */

/** Digits of one number, so that every number is exact and a version has at most 29 characters. */
const DIGITS_LIMIT = 9;

export type Version = readonly [major: number, minor: number, patch: number];

/**
 * The three numbers, or `undefined` for anything but them: no suffix, no sign, no leading zero
 * (docs/spec/conventions.md#versions).
 */
export function parseVersion(text: string): Version | undefined {
  if (text.length > 3 * DIGITS_LIMIT + 2) return undefined;
  const parts = text.split(".");
  if (parts.length !== 3 || !parts.every(isNumber)) return undefined;
  return [Number(parts[0]), Number(parts[1]), Number(parts[2])];
}

/**
 * Below 0 where `a` is older than `b`, 0 where they are the same, above 0 where it is newer.
 * @throws {RangeError} for an invalid version; parse external input first
 */
export function compareVersions(a: string, b: string): number {
  const [majorA, minorA, patchA] = versionOf(a);
  const [majorB, minorB, patchB] = versionOf(b);
  return majorA - majorB || minorA - minorB || patchA - patchB;
}

function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (!version) throw new RangeError(`Cannot compare "${text}", which is no version`);
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
