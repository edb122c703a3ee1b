/** Images of firmware for the simulated console: its program, told what it is, behind the header of image.ts. */
import path from "node:path";
import { bundleText } from "./bundle.js";
import { FAULTS } from "./faults.js";
import { type FirmwareOptions, firmwareModules, firmwarePlugin } from "./firmware-modules.js";
import { writeImage } from "./image.js";
import { replaceFile } from "./replace-file.js";

const root = path.join(import.meta.dirname, "..");

/**
 * The same sources and options give the same bytes.
 * @returns `output`
 * @throws {RangeError} for a board or version that the header cannot hold
 */
export async function buildFirmware(output: string, options: FirmwareOptions): Promise<string> {
  const { version, board, fault, securityVersion } = options;
  const program = fault === undefined ? await bundleProgram(options) : FAULTS[fault];
  await replaceFile(output, writeImage({ program, version, board, securityVersion }));
  return output;
}

/**
 * The console's program with what the options say.
 * @returns one module
 */
export async function bundleProgram(options: FirmwareOptions): Promise<string> {
  const modules = await firmwareModules(options);
  return bundleText(path.join(root, "device/main.ts"), [firmwarePlugin(modules)]);
}
