/**
 * QR codes (ISO/IEC 18004) of up to 106 bytes: byte mode, versions 1 to 5, error correction level L. At that level and
 * these sizes all codewords are one block, which keeps this short.
 */
import { Text } from "./text";

const VERSION_LIMIT = 5;
/** Data codewords and error correction codewords of the versions. */
const DATA: usize = memory.data<u8>([0, 19, 34, 55, 80, 108]);
const CORRECTION: usize = memory.data<u8>([0, 7, 10, 15, 20, 26]);

/** Rows of a code, each of 64 bits, of which the first `size` are its modules. */
const ROWS_BYTES = 37 * 8;
const dark: usize = memory.data(ROWS_BYTES, 8);
/** Finders, timing, alignment, format: not data, and not masked. */
const fixed: usize = memory.data(ROWS_BYTES, 8);
const codewords: usize = memory.data(134);
const divisor: usize = memory.data(26);
let size: i32 = 0;

/** Modules a side of the code that was encoded last. */
export function qrSize(): i32 {
  return size;
}

export function isDark(x: i32, y: i32): bool {
  return has(dark, x, y);
}

/** Encodes with the mask of the lowest penalty. @returns false for a text that is too long */
export function encodeQr(text: Text): bool {
  let best = 0;
  let lowest = i32.MAX_VALUE;
  for (let mask = 0; mask < 8; mask++) {
    if (!encodeQrWithMask(text, mask)) return false;
    const penalty = penaltyOf();
    if (penalty >= lowest) continue;
    lowest = penalty;
    best = mask;
  }
  return encodeQrWithMask(text, best);
}

export function encodeQrWithMask(text: Text, mask: i32): bool {
  let version = 1;
  // A mode of 4 bits and a length of 8 take a codeword and a half, and the terminator the rest of the second.
  while (version <= VERSION_LIMIT && text.length + 2 > i32(load<u8>(DATA + usize(version)))) version++;
  if (version > VERSION_LIMIT) return false;
  size = 17 + 4 * version;
  memory.fill(dark, 0, ROWS_BYTES);
  memory.fill(fixed, 0, ROWS_BYTES);
  drawFixed(version);
  drawFormat(mask);
  const dataCount = i32(load<u8>(DATA + usize(version)));
  const correctionCount = i32(load<u8>(CORRECTION + usize(version)));
  writeData(text, dataCount);
  writeCorrection(dataCount, correctionCount);
  drawCodewords((dataCount + correctionCount) * 8, mask);
  return true;
}

function has(rows: usize, x: i32, y: i32): bool {
  return ((load<u64>(rows + usize(y << 3)) >> u64(x)) & 1) !== 0;
}

function set(rows: usize, x: i32, y: i32, isSet: bool): void {
  const row = rows + usize(y << 3);
  const module = u64(1) << u64(x);
  store<u64>(row, isSet ? load<u64>(row) | module : load<u64>(row) & ~module);
}

function setFixed(x: i32, y: i32, isDarkModule: bool): void {
  if (x < 0 || y < 0 || x >= size || y >= size) return;
  set(dark, x, y, isDarkModule);
  set(fixed, x, y, true);
}

function drawFixed(version: i32): void {
  for (let i = 0; i < size; i++) {
    setFixed(6, i, (i & 1) === 0);
    setFixed(i, 6, (i & 1) === 0);
  }
  drawSquares(3, 3, 4);
  drawSquares(size - 4, 3, 4);
  drawSquares(3, size - 4, 4);
  if (version > 1) drawSquares(size - 7, size - 7, 2);
}

/** Squares around a centre, every second one dark: a finder (4 around it) or an alignment pattern (2). */
function drawSquares(centreX: i32, centreY: i32, radius: i32): void {
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++) {
      const distance = max(abs(dx), abs(dy));
      const isLight = radius === 4 ? distance === 2 || distance === 4 : distance === 1;
      setFixed(centreX + dx, centreY + dy, !isLight);
    }
}

/** Level and mask with their BCH code, twice. */
function drawFormat(mask: i32): void {
  const data = (1 << 3) | mask; // 01 is level L
  let rest = data;
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  for (let i = 0; i < 15; i++) {
    const isSet = ((bits >> i) & 1) !== 0;
    // Down the finder at the top left, without the timing, then to the left.
    if (i < 8) setFixed(8, i < 6 ? i : i + 1, isSet);
    else setFixed(i === 8 ? 7 : 14 - i, 8, isSet);
    if (i < 8) setFixed(size - 1 - i, 8, isSet);
    else setFixed(8, size - 15 + i, isSet);
  }
  setFixed(8, size - 8, true);
}

/** Mode and length are 12 bits, so each byte of the text lies across two codewords. */
function writeData(text: Text, count: i32): void {
  store<u8>(codewords, u8(0x40 | (text.length >> 4)));
  let half = text.length & 15;
  for (let i = 0; i < text.length; i++) {
    const byte = text.byte(i);
    store<u8>(codewords + usize(i + 1), u8((half << 4) | (byte >> 4)));
    half = byte & 15;
  }
  store<u8>(codewords + usize(text.length + 1), u8(half << 4));
  for (let i = text.length + 2, filler = 0xec; i < count; i++, filler ^= 0xec ^ 0x11)
    store<u8>(codewords + usize(i), u8(filler));
}

/** The remainder of a division of polynomials over GF(2^8), modulus 0x11d. */
function writeCorrection(dataCount: i32, count: i32): void {
  computeDivisor(count);
  const remainder = codewords + usize(dataCount);
  memory.fill(remainder, 0, usize(count));
  for (let i = 0; i < dataCount; i++) {
    const factor = load<u8>(codewords + usize(i)) ^ load<u8>(remainder);
    for (let k = 0; k < count; k++) {
      const next = k + 1 < count ? load<u8>(remainder + usize(k + 1)) : 0;
      store<u8>(remainder + usize(k), next ^ multiply(load<u8>(divisor + usize(k)), factor));
    }
  }
}

/** The product of (x - 2^i), without its highest coefficient, 1. */
function computeDivisor(count: i32): void {
  memory.fill(divisor, 0, 26);
  store<u8>(divisor + usize(count - 1), 1);
  let root: u8 = 1;
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < count; k++) {
      const next = k + 1 < count ? load<u8>(divisor + usize(k + 1)) : 0;
      store<u8>(divisor + usize(k), multiply(load<u8>(divisor + usize(k)), root) ^ next);
    }
    root = multiply(root, 2);
  }
}

function multiply(one: u8, other: u8): u8 {
  let product: u32 = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((other >> u8(bit)) & 1) product ^= one;
  }
  return u8(product);
}

/** Two columns at a time, from the right, up and down in turn; the column of the timing is left out. */
function drawCodewords(bitCount: i32, mask: i32): void {
  let bit = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    const goesUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      const y = goesUp ? size - 1 - step : step;
      for (let x = right; x > right - 2; x--) {
        if (has(fixed, x, y)) continue;
        const isSet =
          bit < bitCount && ((load<u8>(codewords + usize(bit >> 3)) >> u8(7 - (bit & 7))) & 1) !== 0;
        bit++;
        set(dark, x, y, isSet !== isMasked(mask, x, y));
      }
    }
  }
}

function isMasked(mask: i32, x: i32, y: i32): bool {
  if (mask === 0) return (x + y) % 2 === 0;
  if (mask === 1) return y % 2 === 0;
  if (mask === 2) return x % 3 === 0;
  if (mask === 3) return (x + y) % 3 === 0;
  if (mask === 4) return (x / 3 + y / 2) % 2 === 0;
  if (mask === 5) return ((x * y) % 2) + ((x * y) % 3) === 0;
  if (mask === 6) return (((x * y) % 2) + ((x * y) % 3)) % 2 === 0;
  return (((x + y) % 2) + ((x * y) % 3)) % 2 === 0;
}

/** ISO/IEC 18004, 7.8.3: runs, blocks, what looks like a finder, and the share of dark modules. */
function penaltyOf(): i32 {
  let penalty = 0;
  let darkCount = 0;
  for (let y = 0; y < size; y++) {
    penalty += linePenalty(y, true) + linePenalty(y, false);
    for (let x = 0; x < size; x++) {
      const isSet = isDark(x, y);
      if (isSet) darkCount++;
      if (x === 0 || y === 0) continue;
      if (isSet === isDark(x - 1, y) && isSet === isDark(x, y - 1) && isSet === isDark(x - 1, y - 1))
        penalty += 3;
    }
  }
  const total = size * size;
  return penalty + (abs(darkCount * 20 - total * 10) / total) * 10;
}

function linePenalty(line: i32, isRow: bool): i32 {
  let penalty = 0;
  let run = 0;
  let last = 0;
  let window = 0;
  for (let i = 0; i < size; i++) {
    const bit = i32(isRow ? isDark(i, line) : isDark(line, i));
    run = i > 0 && bit === last ? run + 1 : 1;
    last = bit;
    if (run === 5) penalty += 3;
    else if (run > 5) penalty++;
    window = ((window << 1) | bit) & 0x7ff;
    if (i >= 10 && (window === 0x5d || window === 0x5d0)) penalty += 40;
  }
  return penalty;
}
