/**
 * Escapes text from others (a console, an app's log, a hub) for a terminal, which would obey its control characters:
 * clear the screen, set the title, reverse the text direction.
 */

/** What a terminal would not show as it is, or would obey: control and format characters, C1 too, and separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The same, but for line feeds and tabs. */
const UNPRINTABLE_IN_LINES = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;

/** As above; what sets nothing but colours may stay. */
const COLOUR = /(\u001b\[\d{1,2}m)|(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;

/** In one line. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "?");
}

/** In any number of lines. */
export function printableLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNPRINTABLE_IN_LINES, "?");
}

/** Text that colours have been put into, after each part of it was made printable. */
export function printableColoured(text: string): string {
  return text.replace(COLOUR, (_, colour) => colour ?? "?");
}

/** One line of JSON; what is unprintable in strings is escaped, so that it means the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeOf(character.charCodeAt(at))).join(""),
  );
}

/** @param unit of UTF-16 */
function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
