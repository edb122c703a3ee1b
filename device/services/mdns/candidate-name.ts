/**
 * The names to try in turn when a name is taken (RFC 6762 §9, RFC 6763 appendix D): `Console-1A2B (2)` for names that
 * users read, `Console-1A2B-2` for hosts, whose names are letters, digits and hyphens.
 */
import { LABEL_LIMIT_BYTES } from "./limits.js";

// None is global: `replace` would write to `lastIndex`, which is frozen on the board.
const NOT_HOST_CHARACTERS = /[^A-Za-z0-9-]+/;
const LEADING_HYPHENS = /^-+/;
const TRAILING_HYPHENS = /-+$/;

/** Label of an instance for an attempt that counts from 1. */
export function instanceLabel(base: string, attempt: number): string {
  return attempt === 1 ? cutToLabel(base, 0) : withSuffix(base, ` (${attempt})`);
}

/** Label of a host for an attempt that counts from 1; what a host name may not hold becomes a hyphen. */
export function hostLabel(base: string, attempt: number): string {
  const hyphenated = base.split(NOT_HOST_CHARACTERS).join("-");
  const legal = hyphenated.replace(LEADING_HYPHENS, "").replace(TRAILING_HYPHENS, "") || "console";
  return attempt === 1 ? cutToLabel(legal, 0) : withSuffix(legal, `-${attempt}`);
}

function withSuffix(base: string, suffix: string): string {
  return cutToLabel(base, suffix.length) + suffix;
}

/** Cuts between characters, never within one, so that `reservedBytes` more fit into a label. */
function cutToLabel(base: string, reservedBytes: number): string {
  const encoder = new TextEncoder();
  const characters = Array.from(base);
  while (encoder.encode(characters.join("")).length + reservedBytes > LABEL_LIMIT_BYTES) characters.pop();
  return characters.join("");
}
