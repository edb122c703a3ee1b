/** Bitmaps for tests: a BMP with any fields (BITMAPFILEHEADER and BITMAPINFOHEADER). */

export interface BitmapFields {
  readonly width?: number;
  readonly height?: number;
  readonly bits?: number;
  readonly compression?: number;
  readonly infoBytes?: number;
  readonly pixelsAt?: number;
  /** Of the first byte of each pixel row, so that two can differ. */
  readonly shade?: number;
}

/** An icon as packages have it, unless fields say otherwise. */
export function bitmap(fields: BitmapFields = {}): Uint8Array {
  const { width = 32, height = 32, bits = 16, compression = 0, infoBytes = 40, shade = 0 } = fields;
  const { pixelsAt = 14 + infoBytes } = fields;
  const pixelBytes = (Math.abs(width * height) * bits) / 8;
  const file = new Uint8Array(14 + infoBytes + pixelBytes).fill(shade, 14 + infoBytes);
  const view = new DataView(file.buffer);
  file.set([0x42, 0x4d]);
  view.setUint32(2, file.length, true);
  view.setUint32(10, pixelsAt, true);
  view.setUint32(14, infoBytes, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, bits, true);
  view.setUint32(30, compression, true);
  return file;
}
