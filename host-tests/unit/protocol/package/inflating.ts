/** Runs the inflater and the gzip reader over split bytes, and zlib over the same bytes. */
import { type InflateRaw, inflateRawSync } from "node:zlib";
import { GzipReader } from "../../../../protocol/package/gzip-reader.js";
import { Inflater, PIECE_BYTES } from "../../../../protocol/package/inflater.js";
import { NodeCrc32 } from "../../../hosts/node-bytes.js";

export interface Inflated {
  readonly output: Uint8Array;
  /** Bytes that the stream has, up to its end. */
  readonly takenBytes: number;
}

/** Chunks of these sizes in turn, the last of which is repeated. */
export function* cut(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[Math.min(turn, sizes.length - 1)] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/**
 * What a deflate stream inflates to, or `undefined` where it has not ended.
 * @throws {Fault} `package_invalid`
 */
export function inflate(bytes: Uint8Array, sizes: readonly number[] = []): Inflated | undefined {
  const pieces = new Pieces();
  const inflater = new Inflater({ onOutput: pieces.add });
  let takenBytes = 0;
  for (const chunk of cut(bytes, sizes))
    for (let at = 0; at < chunk.length && !inflater.isComplete; ) {
      const taken = inflater.take(chunk.subarray(at));
      at += taken;
      takenBytes += taken;
    }
  return inflater.isComplete ? { output: pieces.joined(), takenBytes } : undefined;
}

/** Output of zlib for the same bytes; `undefined` if it rejects them or they have not ended. */
export function inflateByZlib(bytes: Uint8Array): Inflated | undefined {
  try {
    // With `info` the types do not know the answer.
    const { buffer, engine } = inflateRawSync(bytes, { info: true }) as unknown as {
      buffer: Buffer;
      engine: InflateRaw;
    };
    return { output: Uint8Array.from(buffer), takenBytes: engine.bytesWritten };
  } catch {
    return undefined;
  }
}

/** The content of a gzip file. @throws {Fault} `package_invalid` */
export function gunzip(bytes: Uint8Array, sizes: readonly number[] = []): Uint8Array {
  const pieces = new Pieces();
  const reader = new GzipReader({ Crc32: NodeCrc32, onOutput: pieces.add });
  for (const chunk of cut(bytes, sizes))
    for (let at = 0; at < chunk.length; ) at += reader.take(chunk.subarray(at));
  reader.end();
  return pieces.joined();
}

/** Output as it is handed on: pieces of one size, save the last of a stream. */
class Pieces {
  readonly #pieces: Uint8Array[] = [];

  readonly add = (piece: Uint8Array): void => {
    if (piece.length === 0 || piece.length > PIECE_BYTES) throw new Error(`A piece of ${piece.length} bytes`);
    this.#pieces.push(piece.slice());
  };

  joined(): Uint8Array {
    return Uint8Array.from(Buffer.concat(this.#pieces));
  }
}
