/**
 * Build options for a board. They are compiled into its firmware; a desktop console takes them at start instead.
 * Options that the firmware would refuse at start, without a user to read the message, are refused before the build.
 */
import type { Config } from "../device/services/config/options.js";
import { readConfig, readOrigins } from "../device/services/config/read-config.js";

/**
 * @param assignments `NAME=VALUE`; the last value of a name counts
 * @returns the named options, as in the manifest
 * @throws {Error} that names the invalid option
 */
export async function readBoardOptions(assignments: readonly string[]): Promise<Partial<Config>> {
  if (assignments.length === 0) return {};
  const values = Object.fromEntries(assignments.map(splitAssignment));
  const config = readConfig(values);
  readOrigins(config.CONFIG_SVC_HTTP_ALLOWED_ORIGINS);
  return Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(values, name)));
}

function splitAssignment(assignment: string): [name: string, value: string] {
  const equals = assignment.indexOf("=");
  if (equals < 1) throw new Error(`--config takes NAME=VALUE, not "${assignment}"`);
  return [assignment.slice(0, equals), assignment.slice(equals + 1)];
}
