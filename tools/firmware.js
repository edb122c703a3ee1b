/** Images of firmware for the simulated console: its program, told what it is, behind the header of image.js. */
import path from "node:path";
import { bundleText } from "./bundle.js";
import { FAULTS } from "./faults.js";
import { firmwareModules, firmwarePlugin } from "./firmware-modules.js";
import { writeImage } from "./image.js";
import { replaceFile } from "./replace-file.js";

const root = path.join(import.meta.dirname, "..");

/**
 * @typedef {object} FirmwareOptions
 * @property {string} version MAJOR.MINOR.PATCH
 * @property {string | undefined} [codename] left out: that of the sources
 * @property {string | undefined} [trustedKeys] PEM, to be trusted once the firmware is confirmed
 * @property {string | undefined} [revocations] list of revoked keys in base64, to be taken once the firmware is confirmed
 * @property {number | undefined} [securityVersion] left out: 0
 * @property {string | undefined} [board] left out: the simulated console
 * @property {boolean | undefined} [isDraft] takes the web console that was built last where the present one does not build
 * @property {import("./faults.js").Fault | undefined} [fault] a program that is broken in this way, in place of
 *   the console's
 */

/**
 * The same sources and options give the same bytes.
 *
 * @param {string} output
 * @param {FirmwareOptions} options
 * @returns {Promise<string>} `output`
 * @throws {RangeError} for a board or version that the header cannot hold
 */
export async function buildFirmware(output, options) {
  const { version, board, fault, securityVersion } = options;
  const program = fault === undefined ? await bundleProgram(options) : FAULTS[fault];
  await replaceFile(output, writeImage({ program, version, board, securityVersion }));
  return output;
}

/**
 * The console's program with what the options say.
 *
 * @param {FirmwareOptions} options
 * @returns {Promise<string>} one module
 */
export async function bundleProgram(options) {
  const modules = await firmwareModules(options);
  return bundleText(path.join(root, "device/main.ts"), [firmwarePlugin(modules)]);
}
