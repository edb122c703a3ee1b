/** Quotes untrusted input in error messages: an answer must not be as long as what it refuses. */
const QUOTE_LIMIT_CHARACTERS = 120;

export function quoted(text: string): string {
  return text.length <= QUOTE_LIMIT_CHARACTERS ? `"${text}"` : `"${text.slice(0, QUOTE_LIMIT_CHARACTERS)}…"`;
}
