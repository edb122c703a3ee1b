/** Images of firmware for the simulated console: its program, told what it is, behind the header of image.js. */
import path from "node:path";
import { bundleText } from "./bundle.js";
import { FAULTS } from "./faults.js";
import { writeImage } from "./image.js";
import { loadTypeScript } from "./load-typescript.js";
import { replaceFile } from "./replace-file.js";
import { cutText } from "./text-pieces.js";

/** @typedef {import("../../device/services/firmware/firmware-facts.ts").FirmwareFacts} FirmwareFacts */

const root = path.join(import.meta.dirname, "../..");
/** Which `npm run build:firmware` and `npm run moddable` put another in the place of. */
export const factsModule = "device/services/firmware/firmware-facts.ts";

/**
 * @typedef {object} FirmwareOptions
 * @property {string} version MAJOR.MINOR.PATCH
 * @property {string | undefined} [codename] left out: that of the sources
 * @property {string | undefined} [trustedKeys] PEM, to be trusted once the firmware is confirmed
 * @property {string | undefined} [board] left out: the simulated console
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
  const { version, board, fault } = options;
  const program = fault === undefined ? await bundleWith(await factsOf(options)) : FAULTS[fault];
  await replaceFile(output, writeImage({ program, version, board }));
  return output;
}

/** @param {FirmwareOptions} options @returns {Promise<FirmwareFacts>} */
export async function factsOf({ version, codename, trustedKeys }) {
  /** @type {{ FIRMWARE: FirmwareFacts }} */
  const { FIRMWARE } = await loadTypeScript([factsModule]);
  return {
    version,
    codename: codename ?? FIRMWARE.codename,
    ...(trustedKeys === undefined ? {} : { trustedKeys: cutText(trustedKeys) }),
  };
}

/** @param {FirmwareFacts} facts @returns {Promise<string>} */
function bundleWith(facts) {
  return bundleText(path.join(root, "device/main.ts"), [factsPlugin(facts)]);
}

/** A module that exports them. @param {FirmwareFacts} facts */
export function factsText(facts) {
  return `export const FIRMWARE = Object.freeze(${JSON.stringify(facts)});`;
}

/**
 * Puts a module that exports `facts` in place of the sources' own.
 *
 * @param {FirmwareFacts} facts
 * @returns {import("esbuild").Plugin}
 */
export function factsPlugin(facts) {
  const contents = factsText(facts);
  return {
    name: "firmware-facts",
    setup({ onLoad }) {
      onLoad({ filter: /\/firmware-facts\.ts$/ }, ({ path: file }) =>
        file === path.join(root, factsModule) ? { contents, loader: "js" } : undefined,
      );
    },
  };
}
