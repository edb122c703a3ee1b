/**
 * Tokens come from files, mails and pages, with what editors and browsers put around them: line breaks, a byte order mark, spaces
 * that take no room. No token begins or ends with any of these.
 */

const AROUND = /^[\s\u200b-\u200f\u2060\ufeff]+|[\s\u200b-\u200f\u2060\ufeff]+$/gu;

/** @returns the token without what is around it */
export function tokenText(given: string): string {
  return given.replace(AROUND, "");
}
