/** An error of `svc` itself; errors of consoles and hubs have their own classes. */

/**
 * @typedef {"wrong_usage" | "cancelled" | "file_not_found" | "file_unreadable" | "file_not_written" | "file_empty"
 *   | "file_too_large" | "output_not_written" | "key_invalid" | "token_invalid" | "config_invalid"
 *   | "hub_unusable"} SvcCode
 *   `wrong_usage` ends `svc` with status 2, all others with 1
 */

export class SvcError extends Error {
  /** @override */
  name = "SvcError";
  /** Stable, for programs. @type {SvcCode} */
  code;
  /** What to do about it; left out: what the table of advice has. @type {string | undefined} */
  advice;

  /** @param {SvcCode} code @param {string} message @param {ErrorOptions & { advice?: string }} [options] */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
    this.advice = options?.advice;
  }
}
