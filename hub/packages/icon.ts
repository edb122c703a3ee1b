/**
 * Checks the icon of an app (docs/spec/app-packages.md#package): a BMP of 32 by 32 pixels, which a launcher draws
 * without decoding. Consoles store it unchecked, so the hub checks it: the layout is that of BITMAPFILEHEADER and
 * BITMAPINFOHEADER.
 */
import { Fault } from "../../protocol/fault.js";

const SIDE_PIXELS = 32;
const FILE_HEADER_BYTES = 14;
/** BITMAPINFOHEADER; later ones begin with the same fields. */
const INFO_HEADER_BYTES = 40;

const PIXELS_AT = 10;
const INFO_BYTES_AT = 14;
const WIDTH_AT = 18;
const HEIGHT_AT = 22;
const BITS_AT = 28;
const COMPRESSION_AT = 30;

const BITS: readonly number[] = Object.freeze([1, 4, 8, 16, 24, 32]);
/** BI_RGB and BI_BITFIELDS: uncompressed pixels, the latter with colour masks. */
const UNCOMPRESSED: readonly number[] = Object.freeze([0, 3]);

/** @throws {Fault} `icon_invalid` */
export function requireIcon(icon: Uint8Array): void {
  const view = new DataView(icon.buffer, icon.byteOffset, icon.byteLength);
  if (icon.length < FILE_HEADER_BYTES + INFO_HEADER_BYTES || icon[0] !== 0x42 || icon[1] !== 0x4d)
    throw invalid("it is no BMP");
  const infoBytes = view.getUint32(INFO_BYTES_AT, true);
  if (infoBytes < INFO_HEADER_BYTES) throw invalid(`its header has ${infoBytes} bytes`);
  const width = view.getInt32(WIDTH_AT, true);
  const height = Math.abs(view.getInt32(HEIGHT_AT, true)); // below 0 where the first row is the top one
  if (width !== SIDE_PIXELS || height !== SIDE_PIXELS) throw invalid(`it has ${width} by ${height} pixels`);
  const bits = view.getUint16(BITS_AT, true);
  if (!BITS.includes(bits)) throw invalid(`it has ${bits} bits a pixel`);
  if (!UNCOMPRESSED.includes(view.getUint32(COMPRESSION_AT, true))) throw invalid("it is compressed");
  const pixelsAt = view.getUint32(PIXELS_AT, true);
  if (pixelsAt < FILE_HEADER_BYTES + infoBytes) throw invalid("its pixels are said to be in its header");
  const pixelBytes = (SIDE_PIXELS * SIDE_PIXELS * bits) / 8; // rows are of whole words for each of these depths
  if (pixelsAt + pixelBytes > icon.length) throw invalid("its pixels are cut off");
}

function invalid(reason: string): Fault {
  return new Fault(
    "icon_invalid",
    `Cannot take the icon: it is to be a BMP of 32 by 32 pixels, and ${reason}`,
  );
}
