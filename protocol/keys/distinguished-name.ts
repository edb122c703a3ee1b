/** What to call a certificate, out of the name of its subject (RFC 5280 §4.1.2.4). */
import { hexadecimal } from "../hexadecimal.js";
import { DerReader, TAG } from "./der-reader.js";

const COMMON_NAME = "550403";
const LABEL_LIMIT_CHARACTERS = 64;

/**
 * The first common name in printable ASCII, other characters as question marks; "" where there is none.
 * @param name in DER
 * @throws {Fault} `keys_invalid` for an invalid name
 */
export function commonName(name: Uint8Array): string {
  const parts = new DerReader(name).enter(TAG.sequence);
  let found = "";
  while (!parts.isAtEnd) {
    const part = parts.enter(TAG.set);
    while (!part.isAtEnd) {
      const attribute = part.enter(TAG.sequence);
      const type = hexadecimal(attribute.content(TAG.objectIdentifier));
      const value = attribute.content(attribute.tag ?? TAG.set);
      attribute.end();
      if (type === COMMON_NAME && found === "") found = printable(value);
    }
  }
  return found;
}

function printable(value: Uint8Array): string {
  let text = "";
  for (const byte of value.subarray(0, LABEL_LIMIT_CHARACTERS))
    text += byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : "?";
  return text;
}
