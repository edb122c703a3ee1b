/** What regular expressions take of short texts with each character up to U+017F, to compare engines. */

export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

const CHARACTERS = 0x180;

/** Where a class of characters, a repetition or an anchor may see the character. */
const FORMS: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => `a${character}`,
  (character) => `${character}a`,
  (character) => `a${character}b`,
  (character) => `${character}${character}.1`,
];

/** @returns a digit for each text: 1 for one that the pattern takes */
export function takenBy({ source, flags }: Pattern): string {
  const pattern = new RegExp(source, flags);
  let digits = "";
  for (const form of FORMS)
    for (let code = 0; code < CHARACTERS; code++) {
      pattern.lastIndex = 0;
      digits += pattern.test(form(String.fromCharCode(code))) ? "1" : "0";
    }
  return digits;
}
