/** A telephone's camera: finds a QR code anywhere on a picture of the display, and reads it. */
import jsqr from "jsqr";
import type { Picture } from "./read-png.js";

// A CommonJS module, whose function Node has as `default.default`.
const scan = (typeof jsqr === "function" ? jsqr : Reflect.get(jsqr, "default")) as typeof jsqr.default;

/** @returns the text of the code; `undefined` if there is none that can be read */
export function scanQr({ width, height, rgb }: Picture): string | undefined {
  const rgba = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let component = 0; component < 3; component++)
      rgba[4 * pixel + component] = rgb[3 * pixel + component] as number;
  return scan(rgba, width, height)?.data;
}
