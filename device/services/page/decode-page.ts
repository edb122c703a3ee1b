/**
 * Reads a file of the web console while the modules run, which on a board is when its firmware is linked: the bytes are in
 * flash, and neither the text nor this code. So it uses nothing of a host. Numbers in JSON are read by the engine's own
 * code, an order faster than base64 could be read by this program.
 */

/**
 * @param pieces arrays in JSON of 32-bit words, little-endian as every host is; the last word may pass the end
 * @param byteLength of the whole
 */
export function decodePage(pieces: readonly string[], byteLength: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(byteLength / Uint32Array.BYTES_PER_ELEMENT));
  let end = 0;
  for (const piece of pieces) {
    const numbers: number[] = JSON.parse(piece);
    words.set(numbers, end);
    end += numbers.length;
  }
  return new Uint8Array(words.buffer, 0, byteLength);
}
