/**
 * Unpacks a gzip file with the decompressor of the browser or Node: the console's own inflater would be a tenth of the
 * page. Unlike consoles, these reject a file of several members, which no packer writes.
 */
import { Fault } from "../protocol/fault.js";

/**
 * @param onPiece receives the content piece by piece; its exceptions are rethrown
 * @throws {Fault} `package_invalid` if the file is damaged, `package_too_large` as soon as the limit is exceeded
 */
export async function unzip(
  bytes: Uint8Array,
  limitBytes: number,
  onPiece: (piece: Uint8Array) => void,
): Promise<void> {
  const reader = unzipped(bytes).getReader();
  let unpackedBytes = 0;
  try {
    for (let piece = await next(reader); piece; piece = await next(reader)) {
      unpackedBytes += piece.length;
      if (unpackedBytes > limitBytes) throw tooLarge(limitBytes);
      onPiece(piece);
    }
  } finally {
    reader.cancel().catch(() => undefined); // the stream is damaged, which is reported already
  }
}

function unzipped(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const file = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  return file.stream().pipeThrough(new DecompressionStream("gzip"));
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value;
  } catch (cause) {
    throw new Fault("package_invalid", "Cannot unpack the package: it is incomplete or damaged", { cause });
  }
}

function tooLarge(limitBytes: number): Fault {
  return new Fault("package_too_large", `Cannot unpack a package to more than ${limitBytes} bytes`);
}
