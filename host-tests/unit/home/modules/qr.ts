/** The encoder of QR codes as a module of its own: the test writes a text at `textAt`. */
import { encodeQr, encodeQrWithMask, isDark, qrSize } from "../../../../device/home/app/qr";
import { Text } from "../../../../device/home/app/text";

const text = new Text(256);

export function textAt(): usize {
  return text.at;
}

/** @param mask below 0 for the one of the lowest penalty */
export function encode(length: i32, mask: i32): bool {
  text.length = length;
  return mask < 0 ? encodeQr(text) : encodeQrWithMask(text, mask);
}

export function size(): i32 {
  return qrSize();
}

export function dark(x: i32, y: i32): bool {
  return isDark(x, y);
}
