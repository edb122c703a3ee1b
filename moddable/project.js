/**
 * A project for `mcconfig`: a manifest that includes the console's (`device/manifest.json`), and puts another module in
 * the place of what firmware says of itself. What else one build differs in from another is in it, too.
 */
import path from "node:path";
import { FAULTS } from "../simulator/builder/faults.js";
import { factsModule, factsOf, factsText } from "../simulator/builder/firmware.js";
import { replaceFile } from "../simulator/builder/replace-file.js";

const root = path.dirname(import.meta.dirname);

/** @typedef {import("../simulator/builder/firmware.js").FirmwareOptions} FirmwareOptions */
/** @typedef {import("../device/services/config/options.ts").Config} Config */

/**
 * Firmware with build options of its own: those that are left out are the manifest's.
 *
 * @typedef {FirmwareOptions & { config?: Partial<Config> }} BoardFirmwareOptions
 */

/**
 * Firmware for the SDK's simulator.
 *
 * @typedef {BoardFirmwareOptions & { isInstrumented?: boolean }} SimulatorFirmwareOptions `isInstrumented`: the engine
 *   counts for the SDK's instrumentation
 */

/**
 * @param {string} directory made where it is missing
 * @param {SimulatorFirmwareOptions} options
 * @returns {Promise<void>}
 */
export async function writeProject(directory, options) {
  const facts = factsText(await factsOf(options));
  const fault = options.fault && FAULTS[options.fault];
  await replaceFile(path.join(directory, "firmware-facts.js"), facts);
  if (fault) await replaceFile(path.join(directory, "faulty-main.js"), fault);
  const text = JSON.stringify(manifestOf(options), undefined, 2);
  await replaceFile(path.join(directory, "manifest.json"), text);
}

/** Instrumentation would print its samples each second to where the console says that it is ready. */
const QUIET_SAMPLES = Object.freeze({ C_FLAGS: "-DmxNoConsole" });

/** @param {SimulatorFirmwareOptions} options */
function manifestOf({ fault, config = {}, isInstrumented = false }) {
  const replaced = { "device/services/firmware/firmware-facts": "./firmware-facts" };
  const replacedMain = fault ? { "device/main": "./faulty-main" } : {};
  const originals = [factsModule, ...(fault ? ["device/main.ts"] : [])];
  return {
    include: [path.join(root, "device/manifest.json")],
    build: isInstrumented ? QUIET_SAMPLES : {},
    modules: {
      "~": originals.map((name) => path.join(root, name.replace(/\.ts$/, ""))),
      ...replaced,
      ...replacedMain,
    },
    config: { options: config },
  };
}
