/**
 * Escapes text from others (a console, an app's log, a hub) for a terminal, which would obey its control characters:
 * clear the screen, set the title, reverse the text direction.
 */

/** Characters that a terminal would interpret or not show: control characters including C1, format characters, separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The same, except line feeds and tabs. */
const UNPRINTABLE_IN_LINES = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;

/** As above, except escape sequences that only set colours. */
const COLOUR = /(\u001b\[\d{1,2}m)|(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;

/** Escapes text for one line. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "?");
}

/** Escapes text of several lines. */
export function printableLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNPRINTABLE_IN_LINES, "?");
}

/** Escapes text whose parts were made printable and then coloured. */
export function printableColoured(text: string): string {
  return text.replace(COLOUR, (_, colour) => colour ?? "?");
}

/** Formats one line of JSON; unprintable characters in strings become JSON escapes, which keep their meaning. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeOf(character.charCodeAt(at))).join(""),
  );
}

/** @param unit UTF-16 code unit */
function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
