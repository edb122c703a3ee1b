/** Building an app for somebody who waits for it: what the compiler says is shown as it says it. */
import { SdkError } from "../../sdk/sdk-error.js";
import { printableLines } from "../terminal/printable.js";

/** @typedef {import("../../sdk/builder/build-app.js").BuiltApp} BuiltApp */

/**
 * Compilers are loaded here, so that nobody waits for them who builds nothing.
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
