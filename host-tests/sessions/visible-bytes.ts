/** Bytes as a person reads them, none of them lost: every control character has a picture (U+2400 and on). */
import { createHash } from "node:crypto";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The text of the bytes, or what they are where they are no text. */
export function readable(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return `<${bytes.length} bytes with SHA-256 ${createHash("sha256").update(bytes).digest("hex")}>`;
  }
}

/** A line of a recording for each line of the text, with its line feed to be seen. */
export function visibleLines(text: string): readonly string[] {
  const lines = text.split(/(?<=\n)/);
  return lines.map((line) => line.replace(/[\0-\x1f\x7f]/g, pictureOf));
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
}
