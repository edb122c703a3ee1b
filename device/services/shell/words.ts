/**
 * Splits a command line into words at blanks. A word may be quoted with `"` or `'`; inside `"` a
 * backslash takes the next character as it is.
 */

/** The words, or `undefined` where a quote is not closed. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let at = skipBlanks(line, 0);
  while (at < line.length) {
    const word = readWord(line, at);
    if (!word) return undefined;
    words.push(word.text);
    at = skipBlanks(line, word.end);
  }
  return words;
}

interface Word {
  readonly text: string;
  readonly end: number;
}

/** One word from `start` on; quoted and plain parts may follow each other without a blank. */
function readWord(line: string, start: number): Word | undefined {
  let text = "";
  let at = start;
  while (at < line.length && !isBlank(line, at)) {
    const character = line.charAt(at);
    if (character === '"' || character === "'") {
      const quoted = readQuoted(line, at + 1, character);
      if (!quoted) return undefined;
      text += quoted.text;
      at = quoted.end;
    } else {
      text += character;
      at += 1;
    }
  }
  return { text, end: at };
}

function readQuoted(line: string, start: number, quote: string): Word | undefined {
  let text = "";
  for (let at = start; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === quote) return { text, end: at + 1 };
    const isEscape = character === "\\" && quote === '"' && at + 1 < line.length;
    if (isEscape) at += 1;
    text += isEscape ? line.charAt(at) : character;
  }
  return undefined;
}

function skipBlanks(line: string, start: number): number {
  let at = start;
  while (at < line.length && isBlank(line, at)) at += 1;
  return at;
}

function isBlank(line: string, at: number): boolean {
  const character = line.charAt(at);
  return character === " " || character === "\t";
}
