/** Why something with an app's sources, packages or keys did not work, and what to do about it. */

/**
 * @typedef {"directory_not_empty" | "directory_invalid" | "name_invalid" | "compile_failed" | "compiler_missing"
 *   | "source_missing" | "image_invalid" | "key_exists" | "key_missing" | "key_invalid"} SdkCode
 */

export class SdkError extends Error {
  /** @override */
  name = "SdkError";
  /** Stable, for programs. @type {SdkCode} */
  code;
  /** What to do about it. @type {string | undefined} */
  advice;

  /** @param {SdkCode} code @param {string} message @param {ErrorOptions & { advice?: string }} [options] */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
    this.advice = options?.advice;
  }
}
