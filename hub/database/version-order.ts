/** Encodes versions as texts that a database sorts in version order. */
import { parseVersion } from "../../protocol/version.js";

const DIGITS = 9;

/**
 * `000000001.000000010.000000000` for `1.10.0`.
 * @throws {RangeError} for an invalid version
 */
export function versionOrder(version: string): string {
  const parts = parseVersion(version);
  if (!parts) throw new RangeError(`Cannot order "${version}", which is not a version`);
  return parts.map((part) => String(part).padStart(DIGITS, "0")).join(".");
}
