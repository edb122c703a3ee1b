/** Builds BMP files for tests (BITMAPFILEHEADER and BITMAPINFOHEADER), with any field overridden. */

export interface BitmapFields {
  readonly width?: number;
  readonly height?: number;
  readonly bits?: number;
  readonly compression?: number;
  readonly infoBytes?: number;
  readonly pixelsAt?: number;
  /** Value of every pixel byte, so that two bitmaps can differ. */
  readonly shade?: number;
}

/** Returns a valid app icon (32 × 32, 16 bits) unless `fields` change it. */
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
