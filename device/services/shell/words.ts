/**
 * Splits a command line into words at blanks. A word may be quoted with `"` or `'`; inside `"` a backslash escapes the
 * next character.
 */

import { Fault } from "../../../protocol/fault.js";

/** As long as a line over USB. Limited because the shell scans each character by itself (docs/spec/shell.md#words). */
const LINE_LIMIT_CHARACTERS = 1024;

/** Over three times what any command needs. Limited because even a word of one character takes 32 bytes of heap. */
const WORD_LIMIT = 16;

/**
 * @returns the words, or `undefined` if a quote is not closed
 * @throws {Fault} `bad_parameter` past {@link LINE_LIMIT_CHARACTERS} or {@link WORD_LIMIT}
 */
export function splitWords(line: string): string[] | undefined {
  if (line.length > LINE_LIMIT_CHARACTERS)
    throw new Fault("bad_parameter", `A command must have at most ${LINE_LIMIT_CHARACTERS} characters`);
  const words: string[] = [];
  let at = skipBlanks(line, 0);
  while (at < line.length) {
    if (words.length === WORD_LIMIT)
      throw new Fault("bad_parameter", `A command must have at most ${WORD_LIMIT} words`);
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

/** Reads one word from `start` on; quoted and plain parts may follow each other without a blank. */
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
