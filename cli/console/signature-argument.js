/** `--signature HEX`, as the user typed it. */
import { loadTypeScript } from "../../tools/load-typescript.js";
import { codeOf } from "../device/client.js";
import { SvcError } from "../svc-error.js";

/** @typedef {typeof import("../../protocol/signature/signature-text.ts")} SignatureText */

/**
 * Validates the format first: an error about a wrong signature sends the user to look at the file and the keys.
 *
 * @param {string | undefined} digits
 * @throws {SvcError} `wrong_usage` for what cannot be a signature
 */
export async function requireSignature(digits) {
  if (digits === undefined) return;
  /** @type {SignatureText} */
  const { readSignature } = await loadTypeScript(["protocol/signature/signature-text.ts"]);
  try {
    readSignature(digits);
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new SvcError("wrong_usage", "Cannot take --signature: it is not 128 hexadecimal digits", { cause });
  }
}
