/** Builds BMP files for tests (BITMAPFILEHEADER and an info header), with any field overridden. */

export interface BitmapFields {
  readonly width?: number;
  readonly height?: number;
  readonly bits?: number;
  readonly compression?: number;
  readonly infoBytes?: number;
  readonly pixelsAt?: number;
  /** Number of colours in the palette; 0 in the file means all. */
  readonly colours?: number;
  /** Masks of red, green, blue and, in headers of 56 bytes or more, alpha. */
  readonly masks?: readonly number[];
  /** Length of the file, with zeros at the end; default: none. */
  readonly byteLength?: number;
  /** Value of every pixel byte, so that two bitmaps can differ. */
  readonly shade?: number;
}

const BITFIELDS = 3;
/** Larger bitmaps are cut off. */
const MOST_PIXELS = 48 * 48;

/** Returns a valid app icon (32 × 32, 16 bits) unless `fields` change it. */
export function bitmap(fields: BitmapFields = {}): Uint8Array {
  const { width = 32, height = 32, bits = 16, compression = 0, infoBytes = 40, shade = 0 } = fields;
  const { colours = 0 } = fields;
  const { masks = bits === 16 ? [0xf800, 0x07e0, 0x001f] : [0xff0000, 0xff00, 0xff, 0xff000000] } = fields;
  const isMasked = compression === BITFIELDS;
  const paletteBytes = bits <= 8 ? 4 * Math.min(colours || 256, 1 << bits) : 0;
  const headBytes = 14 + (isMasked ? Math.max(infoBytes, 52) : infoBytes) + paletteBytes;
  const { pixelsAt = headBytes } = fields;
  const pixelBytes = (Math.min(MOST_PIXELS, Math.abs(width * height)) * bits) / 8;
  const { byteLength = headBytes + pixelBytes } = fields;
  const file = new Uint8Array(byteLength).fill(shade, headBytes, headBytes + pixelBytes);
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
  view.setUint32(46, colours, true);
  if (isMasked)
    masks.slice(0, infoBytes < 56 ? 3 : 4).forEach((mask, at) => {
      view.setUint32(54 + 4 * at, mask, true);
    });
  return file;
}
