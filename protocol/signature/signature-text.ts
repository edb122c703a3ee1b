/**
 * Parses signatures in text form: 128 hexadecimal digits of either case (docs/spec/app-packages.md#signature-form),
 * from a header field, a parameter, or a signature file.
 */
import { Fault } from "../fault.js";
import { readHexadecimal } from "../hexadecimal.js";
import { SIGNATURE_BYTES } from "./ed25519.js";

const DIGITS = 2 * SIGNATURE_BYTES;
/** LF or CR LF, which editors and `echo` append. */
const LINE_END_BYTES = 2;

/**
 * Parse a signature.
 * @throws {Fault} `signature_missing` for `undefined` and for an empty text, `signature_invalid` for anything but 128
 *   digits
 */
export function readSignature(text: string | undefined): Uint8Array {
  if (text === undefined || text === "")
    throw new Fault("signature_missing", "Cannot accept a file without a signature");
  const bytes = text.length === DIGITS ? readHexadecimal(text.toLowerCase()) : undefined;
  if (!bytes) throw malformed();
  return bytes;
}

/**
 * Parse a signature file, whose digits can be followed by a line end.
 * @throws {Fault} as {@link readSignature}
 */
export function readSignatureFile(bytes: Uint8Array): Uint8Array {
  if (bytes.length > DIGITS + LINE_END_BYTES) throw malformed();
  const text = String.fromCharCode(...bytes);
  if (text.endsWith("\r\n")) return readSignature(text.slice(0, -2));
  return readSignature(text.endsWith("\n") ? text.slice(0, -1) : text);
}

function malformed(): Fault {
  return new Fault("signature_invalid", `A signature must be ${DIGITS} hexadecimal digits`);
}
