/** Names of tar members as text that may stand in a message, whatever bytes an attacker put there. */

/** Longer names are cut: none that is taken is nearly as long. */
const SHOWN_BYTES = 100;

const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/**
 * The bytes as printable ASCII: others are written as `\xNN`, as are quotes and backslashes, so that
 * two names never look the same and none looks like a plain one that it is not.
 */
export function memberName(bytes: Uint8Array): string {
  let name = "";
  const shown = Math.min(bytes.length, SHOWN_BYTES);
  for (let at = 0; at < shown; at++) name += shownByte(bytes[at] as number);
  return bytes.length > SHOWN_BYTES ? `${name}\\...` : name;
}

function shownByte(byte: number): string {
  const isPlain = byte > 0x1f && byte < 0x7f && byte !== BACKSLASH && byte !== QUOTE;
  return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
}
