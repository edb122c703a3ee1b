/** Deflate streams from their fields, bit by bit. */

/** A stream from fields as RFC 1951 has them: value and number of bits, values with the low bit first. */
export function stream(...fields: readonly (readonly [value: number, bits: number])[]): Uint8Array {
  const bits = fields.flatMap(([value, count]) =>
    Array.from({ length: count }, (_, at) => (value >> at) & 1),
  );
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  for (const [at, bit] of bits.entries()) bytes[at >> 3] = (bytes[at >> 3] as number) | (bit << (at & 7));
  return bytes;
}

export type Bits = readonly [value: number, bits: number];
export const FIXED: Bits = [0b011, 3];
export const DYNAMIC: Bits = [0b101, 3];
export const STORED: Bits = [0b001, 3];
export const ALIGN: Bits = [0, 5];
export const FIXED_END: Bits = [0, 7];

/** HLIT, HDIST and HCLEN, and a code of code lengths where 0, 1, 2, 18 have 2 bits: 00, 10, 01, 11. */
export function dynamicHead(literals: number, distances: number, block = DYNAMIC): readonly Bits[] {
  const lengths = [0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0];
  const counts: Bits[] = [
    [literals - 257, 5],
    [distances - 1, 5],
    [14, 4],
  ];
  return [block, ...counts, ...lengths.slice(0, 18).map((length): Bits => [length, 3])];
}
export const ZERO: Bits = [0b00, 2];
export const ONE: Bits = [0b10, 2];
export const TWO: Bits = [0b01, 2];
export const zeros = (count: number): readonly Bits[] => [
  [0b11, 2],
  [count - 11, 7],
];
/** 256 zeros, which leave the end of the block as the first code. */
export const NO_LITERALS = [...zeros(138), ...zeros(118)];
