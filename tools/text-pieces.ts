/**
 * Text in pieces, for a console that has no room for all of it: what it encodes in one go is to be small beside its
 * heap, and XS takes no literal that is longer than its parser's buffer (64 KiB).
 */

export const PIECE_BYTES = 1024;

/** In UTF-8 the longest code point. */
const CODE_POINT_BYTES = 4;
const longLine = new RegExp(`.{1,${PIECE_BYTES / CODE_POINT_BYTES}}`, "gsu");

/**
 * Cut where lines end, and within a line only where it is longer than a piece.
 * @returns of at most {@link PIECE_BYTES} in UTF-8 each, `text` when they are joined
 */
export function cutText(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const part of text.split(/(?<=\n)/).flatMap(cutLine)) {
    if (Buffer.byteLength(piece + part) > PIECE_BYTES) {
      pieces.push(piece);
      piece = "";
    }
    piece += part;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

function cutLine(line: string): string[] {
  return Buffer.byteLength(line) <= PIECE_BYTES ? [line] : (line.match(longLine) ?? []);
}
