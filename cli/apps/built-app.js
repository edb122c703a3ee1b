/** Builds an app while the user waits, and shows the compiler's messages as they come. */
import { SdkError } from "../../sdk/sdk-error.js";
import { printableLines } from "../terminal/printable.js";

/** @typedef {import("../../sdk/builder/build-app.js").BuiltApp} BuiltApp */

/**
 * Loads the compilers here, so that commands that build nothing start faster.
 *
 * @param {string} directory
 * @param {{ isJson: boolean }} output
 * @returns {Promise<BuiltApp>}
 * @throws {Error} as `buildApp`; without the compiler's lines where they have been shown
 */
export async function builtApp(directory, { isJson }) {
  const { buildApp } = await import("../../sdk/builder/build-app.js");
  try {
    return await buildApp(directory);
  } catch (error) {
    const { code, sources, said } = /** @type {import("../../sdk/builder/compile-error.js").CompileError} */ (
      error
    );
    if (isJson || code !== "compile_failed") throw error;
    process.stderr.write(`${printableLines(said)}\n`);
    throw new SdkError("compile_failed", `Cannot compile ${sources}`, { cause: error });
  }
}

/** `display.write, gpio.read`, or what there is to say where it may do nothing. @param {readonly string[]} capabilities */
export function capabilityText(capabilities) {
  return capabilities.length > 0 ? `may ${capabilities.join(", ")}` : "needs no capability";
}
