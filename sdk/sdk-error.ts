/**
 * Errors of the SDK about an app's sources, packages or keys, with advice.
 */

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
  /** Stable identifier for programs. */
  code: SdkCode;
  /** Suggested action for the user. */
  advice: string | undefined;

  constructor(code: SdkCode, message: string, options?: ErrorOptions & { advice?: string }) {
    super(message, options);
    this.code = code;
    this.advice = options?.advice;
  }
}

export class CompileError extends SdkError {
  /** Source files that do not compile, such as `main.ts`. */
  sources: string;
  /** Messages of the compiler. */
  said: string;

  constructor(sources: string, said: string) {
    super("compile_failed", `Cannot compile ${sources}: ${said}`);
    this.sources = sources;
    this.said = said.trimEnd();
  }
}
