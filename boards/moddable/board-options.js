/**
 * Build options for a board. They are compiled into its firmware; a desktop console takes them at start instead.
 * Options that the firmware would refuse at start, without a user to read the message, are refused before the build.
 */
import { loadTypeScript } from "../../tools/load-typescript.js";

/** @typedef {import("../../device/services/config/options.ts").Config} Config */

/**
 * @param {readonly string[]} assignments `NAME=VALUE`; the last of a name holds
 * @returns {Promise<Partial<Config>>} the options that are named, as the manifest has them
 * @throws {Error} saying what is wrong with them
 */
export async function readBoardOptions(assignments) {
  if (assignments.length === 0) return {};
  const values = Object.fromEntries(assignments.map(splitAssignment));
  /** @type {typeof import("../../device/services/config/read-config.ts")} */
  const { readConfig, readOrigins } = await loadTypeScript(["device/services/config/read-config.ts"]);
  const config = readConfig(values);
  readOrigins(config.CONFIG_SVC_HTTP_ALLOWED_ORIGINS);
  return Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(values, name)));
}

/** @param {string} assignment @returns {[name: string, value: string]} */
function splitAssignment(assignment) {
  const equals = assignment.indexOf("=");
  if (equals < 1) throw new Error(`--config takes NAME=VALUE, not "${assignment}"`);
  return [assignment.slice(0, equals), assignment.slice(equals + 1)];
}
