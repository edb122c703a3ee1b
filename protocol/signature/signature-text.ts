/**
 * Parses signatures in text form: 128 hexadecimal digits of either case (docs/spec/app-packages.md#signature-form),
 * from a header field, a parameter, or a signature file.
 */
import { Fault } from "../fault.js";
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
  if (text.length !== DIGITS) throw malformed();
  const bytes = new Uint8Array(SIGNATURE_BYTES);
  for (let at = 0; at < SIGNATURE_BYTES; at++)
    bytes[at] = (digitAt(text, 2 * at) << 4) | digitAt(text, 2 * at + 1);
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

/** Not `parseInt`, which would accept a space or a sign. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x61 + 10;
  throw malformed();
}

function malformed(): Fault {
  return new Fault("signature_invalid", `A signature must be ${DIGITS} hexadecimal digits`);
}
