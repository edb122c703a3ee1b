/** Builds an app while the user waits, and shows the compiler's messages as they come. */
import type { BuiltApp } from "../../sdk/builder/build-app.js";
import { type CompileError, SdkError } from "../../sdk/sdk-error.js";
import { printableLines } from "../terminal/printable.js";

/**
 * Loads the compilers here, so that commands that build nothing start faster.
 * @throws {Error} as `buildApp`; without the compiler's lines where they have been shown
 */
export async function builtApp(directory: string, { isJson }: { isJson: boolean }): Promise<BuiltApp> {
  const { buildApp } = await import("../../sdk/builder/build-app.js");
  try {
    return await buildApp(directory);
  } catch (error) {
    const { code, sources, said } = error as CompileError;
    if (isJson || code !== "compile_failed") throw error;
    process.stderr.write(`${printableLines(said)}\n`);
    throw new SdkError("compile_failed", `Cannot compile ${sources}`, { cause: error });
  }
}

/** `display.write, gpio.read`, or what there is to say where it may do nothing. */
export function capabilityText(capabilities: readonly string[]): string {
  return capabilities.length > 0 ? `may ${capabilities.join(", ")}` : "needs no capability";
}
