/**
 * The device token (docs/spec/device-hub.md#device-token): a UUID v4 that a console creates at its first boot, and the
 * binding of the token to the console's MAC address.
 */

import { hexadecimal } from "../hexadecimal.js";
import type { DigestConstructor } from "../ports/crypto.js";

const UUID_BYTES = 16;
const BLOCK_BYTES = 64;
const DEVICE_TOKEN = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MAC_ADDRESS = /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/;

/** Whether `text` is a UUID v4 (RFC 9562 §5.4) in lower case. */
export function isDeviceToken(text: string): boolean {
  return DEVICE_TOKEN.test(text);
}

/** Whether `text` is a MAC address as six upper-case octets with colons. */
export function isMacAddress(text: string): boolean {
  return MAC_ADDRESS.test(text);
}

/**
 * Make a token from 16 random bytes, with the version and variant bits that RFC 9562 §5.4 fixes.
 * @throws {RangeError} for any other number of bytes
 */
export function deviceTokenOf(randomBytes: Uint8Array): string {
  if (randomBytes.length !== UUID_BYTES)
    throw new RangeError(`A UUID has ${UUID_BYTES} bytes, not ${randomBytes.length}`);
  const bytes = new Uint8Array(randomBytes);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const digits = hexadecimal(bytes);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join("-");
}

/**
 * Binding of a token to a console: HMAC-SHA256 (RFC 2104), in hexadecimal, with the six bytes of the MAC address as key
 * and the token's text as data.
 *
 * @param mac upper-case octets with colons
 */
export function bindingOf(deviceToken: string, mac: string, Digest: DigestConstructor): string {
  const key = Uint8Array.from(mac.split(":"), (octet) => Number.parseInt(octet, 16));
  const inner = new Digest("SHA256");
  inner.write(padded(key, 0x36));
  inner.write(new TextEncoder().encode(deviceToken));
  const outer = new Digest("SHA256");
  outer.write(padded(key, 0x5c));
  outer.write(new Uint8Array(inner.close()));
  return hexadecimal(new Uint8Array(outer.close()));
}

/** The key, shorter than a block, padded with zeros and XORed with `pad` (RFC 2104 §2). */
function padded(key: Uint8Array, pad: number): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES).fill(pad);
  for (let at = 0; at < key.length; at++) block[at] = (key[at] as number) ^ pad;
  return block;
}
