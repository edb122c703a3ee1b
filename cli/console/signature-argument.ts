/** `--signature HEX`, as the user typed it. */
import { readSignature } from "../../protocol/signature/signature-text.js";
import { codeOf } from "../device/client.js";
import { SvcError } from "../svc-error.js";

/**
 * Validates the format first: an error about a wrong signature sends the user to look at the file and the keys.
 * @throws {SvcError} `wrong_usage` for what cannot be a signature
 */
export async function requireSignature(digits: string | undefined): Promise<void> {
  if (digits === undefined) return;
  try {
    readSignature(digits);
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new SvcError("wrong_usage", "--signature must be 128 hexadecimal digits", { cause });
  }
}
