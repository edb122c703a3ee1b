/**
 * Finds the id of a request that cannot be parsed as a whole, because its line is too long or is not JSON. Scans the
 * line loosely, far enough to distinguish members of the outermost object from text and deeper levels; an id counts
 * when its number has visibly ended.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;

const KEY = '"id"';
/** Digits of 2^53, a sign, and some spaces. */
const VALUE_LIMIT_BYTES = 32;
const VALUE = /^[ \t]*:[ \t]*(-?(?:0|[1-9][0-9]{0,15}))[ \t]*[,}]/;

/** @returns `null` where no integer is named `id` in the outermost object */
export function readableId(line: Uint8Array): number | null {
  let depth = 0;
  let isKeyNext = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at] as number;
    if (depth === 0 && byte > SPACE && byte !== 0x7b) return null;
    if (byte === QUOTE) {
      const end = stringEnd(line, at);
      if (isKeyNext && asText(line, at, end) === KEY)
        return integerIn(asText(line, end, end + VALUE_LIMIT_BYTES));
      at = end - 1;
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    if (byte > SPACE) isKeyNext = depth === 1 && (byte === COMMA || byte === 0x7b);
  }
  return null;
}

/** Behind the closing quote, or where the line ends. */
function stringEnd(line: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** One character a byte, for any bytes. At most as long as the longest text looked for. */
function asText(line: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...line.subarray(start, Math.min(end, start + VALUE_LIMIT_BYTES)));
}

function integerIn(text: string): number | null {
  const digits = VALUE.exec(text)?.[1];
  const id = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(id) ? id : null;
}
