/**
 * Writes a project for `mcconfig`: a manifest that includes the console's (`device/manifest.json`) and replaces the
 * modules with the facts of the firmware and with the web console. It also contains all other differences between
 * builds.
 */
import path from "node:path";
import type { Config } from "../../device/services/config/options.js";
import { FAULTS } from "../../engine/program/firmware.js";
import { type FirmwareOptions, firmwareModules } from "../../engine/program/firmware-modules.js";
import { replaceFile } from "../../tools/files.js";
import { buildSandboxSources } from "../../tools/sandbox.js";

const root = path.join(import.meta.dirname, "../..");

/** Firmware with build options; the manifest has the others. `hubCa`: PEM file of the hub's authorities */
export type BoardFirmwareOptions = FirmwareOptions & {
  config?: Partial<Config>;
  hubCa?: string | undefined;
};

/** Firmware for the SDK's simulator. `isInstrumented`: with the SDK's instrumentation */
export type SimulatorFirmwareOptions = BoardFirmwareOptions & { isInstrumented?: boolean };

/** @param directory created if it is missing */
export async function writeProject(directory: string, options: SimulatorFirmwareOptions): Promise<void> {
  await buildSandboxSources(); // device/sandbox/native/manifest.json names the folder
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

function withoutEnding(source: string): string {
  return source.replace(/\.ts$/, "");
}

/** Instrumentation would print its samples each second on the console's standard output. */
const QUIET_SAMPLES = Object.freeze({ C_FLAGS: "-DmxNoConsole" });

function manifestOf(
  { config = {}, isInstrumented = false }: SimulatorFirmwareOptions,
  replaced: readonly { original: string; name: string }[],
) {
  return {
    include: path.join(root, "device/manifest.json"),
    build: isInstrumented ? QUIET_SAMPLES : {},
    modules: {
      "~": replaced.map(({ original }) => path.join(root, original)),
      ...Object.fromEntries(replaced.map(({ original, name }) => [original, `./${name}`])),
    },
    config: { options: config },
  };
}
