/** Runs the inflater and the gzip reader over split bytes, and zlib over the same bytes. */
import { type InflateRaw, inflateRawSync } from "node:zlib";
import { Fault } from "../../../../protocol/fault.js";
import { GzipReader, PIECE_BYTES } from "../../../../protocol/package/gzip-reader.js";
import type { SandboxProgram } from "../../../../protocol/ports/sandbox.js";
import { loadSandbox } from "../../../../tools/sandbox.js";
import { NodeCrc32 } from "../../../hosts/node-bytes.js";

export const sandbox = await loadSandbox(["inflater"]);

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

/** ID1, ID2, CM, FLG, MTIME, XFL, OS (RFC 1952 §2.3). */
const GZIP_HEADER = Uint8Array.of(31, 139, 8, 0, 0, 0, 0, 0, 0, 255);
/** Of what the program's `feed` returns: the content of a member has ended, and it could go on without more input. */
const CONTENT_END = 1 << 28;
const GOES_ON = 1 << 29;

interface InflaterOptions {
  readonly onOutput: (piece: Uint8Array) => void;
}

/** Deflate streams in the sandboxed program, each as the content of a gzip member. */
export class Inflater {
  readonly #onOutput: (piece: Uint8Array) => void;
  readonly #program: SandboxProgram = sandbox.open("inflater");
  readonly #roomBytes: number;
  #crc = new NodeCrc32();
  #checksum = 0;
  #byteLength = 0;
  isComplete = false;

  constructor({ onOutput }: InflaterOptions) {
    this.#onOutput = onOutput;
    this.#roomBytes = this.#program.begin(0, 0);
    this.#feed(GZIP_HEADER);
  }

  /** @returns how many bytes of `chunk` were consumed @throws {Fault} `package_invalid` */
  take(chunk: Uint8Array): number {
    let at = 0;
    let goesOn = false;
    while (!this.isComplete && (at < chunk.length || goesOn)) {
      const answer = this.#feed(chunk.subarray(at, at + this.#roomBytes));
      at += answer & 0xfff;
      this.isComplete = (answer & CONTENT_END) !== 0;
      goesOn = (answer & GOES_ON) !== 0;
      if (goesOn && at < chunk.length) break;
    }
    return at;
  }

  /** Ends the member and begins another. */
  reset(): void {
    const trailer = new DataView(new ArrayBuffer(8));
    trailer.setUint32(0, this.#checksum, true);
    trailer.setUint32(4, this.#byteLength, true);
    this.#feed(new Uint8Array(trailer.buffer));
    this.#feed(GZIP_HEADER);
    this.#crc = new NodeCrc32();
    this.#checksum = 0;
    this.#byteLength = 0;
    this.isComplete = false;
  }

  #feed(bytes: Uint8Array): number {
    const { memory } = this.#program;
    memory.set(bytes, this.#program.room());
    const answer = this.#program.feed(bytes.length);
    if (answer < 0) throw new Fault("package_invalid", `Fault ${answer} of the inflater`);
    const from = ((answer >> 25) & 7) * PIECE_BYTES;
    const piece = memory.subarray(from, from + ((answer >> 12) & 0x1fff));
    if (piece.length === 0) return answer;
    this.#checksum = this.#crc.checksum(piece);
    this.#byteLength += piece.length;
    this.#onOutput(piece);
    return answer;
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
  const reader = new GzipReader({ sandbox, onOutput: pieces.add });
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
