/**
 * Reads a QR code from its modules (ISO/IEC 18004): versions 1 to 5 with one block of codewords at level L. Shares
 * nothing with the encoder: error correction is checked by its syndromes, the format by the table of the standard.
 */
export interface QrCode {
  readonly version: number;
  readonly mask: number;
  readonly text: string;
}

/** `dark[y][x]` */
export type Matrix = readonly (readonly boolean[])[];

/** ISO/IEC 18004, table C.1: the format information of level L, masks 0 to 7. */
const FORMATS_OF_LEVEL_L = [0x77c4, 0x72f3, 0x7daa, 0x789d, 0x662f, 0x6318, 0x6c41, 0x6976];
/** Data and error correction codewords, by version. */
const CODEWORDS = [[], [19, 7], [34, 10], [55, 15], [80, 20], [108, 26]] as const;

const FINDER = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"];

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
];

/** @throws {Error} for anything that is not a perfect code */
export function readQr(dark: Matrix): QrCode {
  const size = dark.length;
  const version = (size - 17) / 4;
  const [dataCount, correctionCount] = CODEWORDS[version] ?? [];
  if (!dataCount || !correctionCount) throw new Error(`There is no version ${version} here`);
  checkPatterns(dark);
  const mask = readMask(dark);
  const codewords = readCodewords(dark, mask, dataCount + correctionCount);
  checkSyndromes(codewords, correctionCount);
  return { version, mask, text: readBytes(codewords.slice(0, dataCount)) };
}

function checkPatterns(dark: Matrix): void {
  const size = dark.length;
  const square = (x: number, y: number, width: number) =>
    dark.slice(y, y + width).map((row) =>
      row
        .slice(x, x + width)
        .map(Number)
        .join(""),
    );
  for (const [x, y] of [
    [0, 0],
    [size - 7, 0],
    [0, size - 7],
  ] as const)
    if (square(x, y, 7).join() !== FINDER.join()) throw new Error(`There is no finder at ${x}, ${y}`);
  for (let i = 0; i < 8; i++) {
    const separators = [
      dark[7]?.[i],
      dark[i]?.[7],
      dark[7]?.[size - 1 - i],
      dark[i]?.[size - 8],
      dark[size - 8]?.[i],
      dark[size - 1 - i]?.[7],
    ];
    if (separators.some(Boolean)) throw new Error("A separator is not light");
  }
  for (let i = 8; i < size - 8; i++)
    if (dark[6]?.[i] !== (i % 2 === 0) || dark[i]?.[6] !== (i % 2 === 0))
      throw new Error("The timing is wrong");
  if (!dark[size - 8]?.[8]) throw new Error("The dark module is light");
  if (size > 21 && square(size - 9, size - 9, 5).join() !== "11111,10001,10101,10001,11111")
    throw new Error("There is no alignment pattern");
}

/** Both copies of the format information, bit 14 first. */
function readMask(dark: Matrix): number {
  const size = dark.length;
  const places = (name: "first" | "second"): (readonly [number, number])[] =>
    name === "first"
      ? [
          ...[0, 1, 2, 3, 4, 5, 7, 8].map((x) => [x, 8] as const),
          ...[7, 5, 4, 3, 2, 1, 0].map((y) => [8, y] as const),
        ]
      : [
          ...[1, 2, 3, 4, 5, 6, 7].map((i) => [8, size - i] as const),
          ...[8, 7, 6, 5, 4, 3, 2, 1].map((i) => [size - i, 8] as const),
        ];
  const read = (name: "first" | "second") =>
    Number.parseInt(
      places(name)
        .map(([x, y]) => Number(dark[y]?.[x]))
        .join(""),
      2,
    );
  const mask = FORMATS_OF_LEVEL_L.indexOf(read("first"));
  if (mask < 0 || read("second") !== read("first")) throw new Error("The format information is wrong");
  return mask;
}

function readCodewords(dark: Matrix, mask: number, count: number): number[] {
  const size = dark.length;
  const isFixed = (x: number, y: number) => {
    if (x === 6 || y === 6) return true;
    if (y < 9 && (x < 9 || x > size - 9)) return true;
    if (x < 9 && y > size - 9) return true;
    return size > 21 && Math.abs(x - (size - 7)) <= 2 && Math.abs(y - (size - 7)) <= 2;
  };
  const isMasked = MASKS[mask] as (row: number, column: number) => boolean;
  let bits = "";
  const pairs = Array.from({ length: (size - 1) / 2 }, (_, index) => size - 1 - 2 * index);
  pairs
    .map((right) => (right <= 6 ? right - 1 : right))
    .forEach((right, pair) => {
      for (let step = 0; step < size; step++) {
        const y = pair % 2 === 0 ? size - 1 - step : step;
        for (const x of [right, right - 1])
          if (!isFixed(x, y)) bits += Number((dark[y]?.[x] === true) !== isMasked(y, x));
      }
    });
  return Array.from({ length: count }, (_, index) =>
    Number.parseInt(bits.slice(index * 8, index * 8 + 8), 2),
  );
}

/** A word of the code has the roots 2^0, 2^1 … of GF(2^8). */
function checkSyndromes(codewords: readonly number[], correctionCount: number): void {
  const exponents = [1];
  for (let i = 1; i < 255; i++) {
    const next = (exponents[i - 1] as number) * 2;
    exponents.push(next > 255 ? next ^ 0x11d : next);
  }
  const times = (one: number, other: number) =>
    one === 0 || other === 0
      ? 0
      : (exponents[(exponents.indexOf(one) + exponents.indexOf(other)) % 255] as number);
  for (let root = 0; root < correctionCount; root++) {
    const syndrome = codewords.reduce((sum, word) => times(sum, exponents[root] as number) ^ word, 0);
    if (syndrome !== 0) throw new Error(`Syndrome ${root} is ${syndrome}`);
  }
}

function readBytes(data: readonly number[]): string {
  const bits = data.map((word) => word.toString(2).padStart(8, "0")).join("");
  if (bits.slice(0, 4) !== "0100") throw new Error("This is not the byte mode");
  const length = Number.parseInt(bits.slice(4, 12), 2);
  const bytes = Array.from({ length }, (_, index) =>
    Number.parseInt(bits.slice(12 + index * 8, 20 + index * 8), 2),
  );
  const rest = bits.slice(12 + length * 8);
  if (!/^0{4}(1110110000010001)*(11101100)?$/.test(rest)) throw new Error(`The padding is ${rest}`);
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
}
