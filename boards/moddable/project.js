/**
 * A project for `mcconfig`: a manifest that includes the console's (`device/manifest.json`), and puts other modules in
 * the place of what firmware says of itself and of the web console. What else one build differs in from another is in it,
 * too.
 */
import path from "node:path";
import { FAULTS } from "../../tools/faults.js";
import { firmwareModules } from "../../tools/firmware-modules.js";
import { replaceFile } from "../../tools/replace-file.js";

const root = path.join(import.meta.dirname, "../..");

/** @typedef {import("../../tools/firmware.js").FirmwareOptions} FirmwareOptions */
/** @typedef {import("../../device/services/config/options.ts").Config} Config */

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
  const fault = options.fault && FAULTS[options.fault];
  const modules = (await firmwareModules(options)).map(({ source, text }) => ({
    original: withoutEnding(source),
    name: path.basename(withoutEnding(source)),
    text,
  }));
  if (fault) modules.push({ original: "device/main", name: "faulty-main", text: fault });
  for (const { name, text } of modules) await replaceFile(path.join(directory, `${name}.js`), text);
  const text = JSON.stringify(manifestOf(options, modules), undefined, 2);
  await replaceFile(path.join(directory, "manifest.json"), text);
}

/** @param {string} source */
function withoutEnding(source) {
  return source.replace(/\.ts$/, "");
}

/** Instrumentation would print its samples each second to where the console says that it is ready. */
const QUIET_SAMPLES = Object.freeze({ C_FLAGS: "-DmxNoConsole" });

/**
 * @param {SimulatorFirmwareOptions} options
 * @param {readonly { original: string, name: string }[]} replaced
 */
function manifestOf({ config = {}, isInstrumented = false }, replaced) {
  return {
    include: [path.join(root, "device/manifest.json")],
    build: isInstrumented ? QUIET_SAMPLES : {},
    modules: {
      "~": replaced.map(({ original }) => path.join(root, original)),
      ...Object.fromEntries(replaced.map(({ original, name }) => [original, `./${name}`])),
    },
    config: { options: config },
  };
}
