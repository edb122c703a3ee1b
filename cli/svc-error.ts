/** An error of `svc` itself; errors of consoles and hubs have their own classes. */

/** `wrong_usage` ends `svc` with status 2, all others with 1 */
export type SvcCode =
  | "wrong_usage"
  | "cancelled"
  | "file_not_found"
  | "file_unreadable"
  | "file_not_written"
  | "file_empty"
  | "file_too_large"
  | "output_not_written"
  | "lines_invalid"
  | "names_invalid"
  | "key_invalid"
  | "token_invalid"
  | "config_invalid"
  | "hub_unusable";

export class SvcError extends Error {
  override readonly name = "SvcError";
  /** Stable identifier for programs. */
  readonly code: SvcCode;
  /** Advice for the user; default: that of the table. */
  readonly advice: string | undefined;

  constructor(code: SvcCode, message: string, options?: ErrorOptions & { advice?: string }) {
    super(message, options);
    this.code = code;
    this.advice = options?.advice;
  }
}
