/**
 * The password of the set-up access point: made anew each time, for a person who reads it on the display and types it
 * into a phone (docs/spec/setup.md#password).
 */
import type { Random } from "../../../protocol/ports/runtime.js";

/** Letters and digits without those that look alike: 0 and o, 1 and l and i. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";

/**
 * 59 bits. Anyone in range can record the handshake of a client and try passwords at home, and the password is of use
 * for minutes only.
 */
const LENGTH_CHARACTERS = 12;

/** Make `length` characters, each with the same chance: a byte's value that does not divide evenly is drawn again. */
export function randomText(random: Random, length = LENGTH_CHARACTERS): string {
  const bytes = new Uint8Array(length);
  let text = "";
  while (text.length < length) {
    random.getRandomValues(bytes);
    for (let at = 0; at < length && text.length < length; at++)
      text += ALPHABET[(bytes[at] as number) & 31] ?? "";
  }
  return text;
}
