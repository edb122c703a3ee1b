/** Draws a QR code on white, with the free margin of four modules that readers need. */
import { fill, WIDTH } from "./canvas";
import { INK, PAPER } from "./palette";
import { encodeQr, isDark, qrSize } from "./qr";
import { Text } from "./text";

const MARGIN_MODULES = 4;

/** Draws the code in the middle of the display. @returns the y below it; `y` for a text that is too long for a code */
export function drawQr(y: i32, scale: i32, text: Text): i32 {
  if (!encodeQr(text)) return y;
  const size = qrSize();
  const side = (size + 2 * MARGIN_MODULES) * scale;
  const left = (WIDTH - side) / 2;
  fill(left, y, side, side, PAPER);
  for (let row = 0; row < size; row++)
    drawRow(left + MARGIN_MODULES * scale, y + (row + MARGIN_MODULES) * scale, scale, row);
  return y + side;
}

function drawRow(x: i32, y: i32, scale: i32, row: i32): void {
  const size = qrSize();
  for (let column = 0; column < size; ) {
    const start = column;
    while (column < size && isDark(column, row)) column++;
    if (column > start) fill(x + start * scale, y, (column - start) * scale, scale, INK);
    else column++;
  }
}
