/** Why something with an app's sources, packages or keys did not work, and what to do about it. */

export type SdkCode =
  | "directory_not_empty"
  | "directory_invalid"
  | "name_invalid"
  | "compile_failed"
  | "compiler_missing"
  | "source_missing"
  | "image_invalid"
  | "key_exists"
  | "key_missing"
  | "key_invalid";

export class SdkError extends Error {
  override name = "SdkError";
  /** Stable, for programs. */
  code: SdkCode;
  /** What to do about it. */
  advice: string | undefined;

  constructor(code: SdkCode, message: string, options?: ErrorOptions & { advice?: string }) {
    super(message, options);
    this.code = code;
    this.advice = options?.advice;
  }
}
