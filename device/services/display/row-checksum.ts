/**
 * Adler-32 (RFC 1950 §8.2) of rows of pixels. Byte by byte it would take longer than everything else, so a
 * run of equal pixels is added in one step, and a row that repeats the one before in none of its own: what
 * a row adds to both sums depends on what was there before only by its length.
 */
const MODULUS = 65521;

export class RowChecksum {
  #sum = 1;
  #sumOfSums = 0;
  /** What the row measured last adds to sums that begin at 0. */
  #rowSum = 0;
  #rowSumOfSums = 0;

  /** Adds the row that was measured last. @param byteLength of a row, its filter type included */
  addRow(byteLength: number): void {
    this.#sumOfSums = (this.#sumOfSums + byteLength * this.#sum + this.#rowSumOfSums) % MODULUS;
    this.#sum = (this.#sum + this.#rowSum) % MODULUS;
  }

  /** Measures a row with the filter type 0, which adds nothing before the first pixel. */
  measure(pixels: Uint16Array): void {
    const { length } = pixels;
    let sum = 0;
    let sumOfSums = 0;
    for (let x = 0; x < length; ) {
      const pixel = pixels[x] as number;
      const red = ((pixel >> 8) & 0xf8) | (pixel >> 13);
      const green = ((pixel >> 3) & 0xfc) | ((pixel >> 9) & 3);
      const blue = ((pixel << 3) & 0xf8) | ((pixel >> 2) & 7);
      const pixelSum = red + green + blue;
      const pixelSumOfSums = 3 * red + 2 * green + blue;
      const start = x++;
      while (x < length && pixels[x] === pixel) x++;
      const count = x - start;
      sumOfSums += count * (3 * sum + pixelSumOfSums) + 3 * pixelSum * ((count * (count - 1)) / 2);
      sum += count * pixelSum;
    }
    this.#rowSum = sum;
    this.#rowSumOfSums = sumOfSums;
  }

  /** The two halves, the higher one first. */
  get value(): readonly [high: number, low: number] {
    return [this.#sumOfSums, this.#sum];
  }
}
