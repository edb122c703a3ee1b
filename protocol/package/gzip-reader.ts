/**
 * Unpacks a gzip file (RFC 1952) as it arrives, in the sandboxed program `device/sandbox/inflater`: here are its input,
 * its output and the texts of its faults. Treat the output as untrusted until `end` has returned.
 */
import { Fault } from "../fault.js";
import type { Sandbox, SandboxProgram } from "../ports/sandbox.js";

/**
 * Output per piece: a sector of flash. A decompression bomb can exceed the unpacking limit by at most one piece.
 */
export const PIECE_BYTES = 4096;

/** By the program's fault codes, from -1 down. */
const DEFLATE_FAULTS = Object.freeze([
  "a block is of a type that does not exist",
  "the length of a stored block does not match its complement",
  "a block has more codes than there are symbols",
  "the code of a block's code lengths is none",
  "a code length is to be repeated before there is one",
  "a block has more code lengths than codes",
  "a block has no code for its end",
  "the code of a block's literals and lengths is incomplete",
  "the code of a block's literals and lengths is oversubscribed",
  "the code of a block's distances is incomplete",
  "the code of a block's distances is oversubscribed",
  "there is no such literal or length",
  "there is no such length",
  "there is no such distance",
  "a match reaches back before the beginning",
]);
/** By the codes that follow. */
const GZIP_FAULTS = Object.freeze([
  "it is none",
  "more bytes follow, which are not gzip",
  "its compression method is not deflate",
  "its header has flags that do not exist",
  "its header has another checksum",
  "its content has another checksum",
  "its content has another length",
  "it ends too early",
]);

// The number that the program's `feed` returns.
const TAKEN_MASK = 0xfff;
const OUTPUT_SHIFT = 12;
const OUTPUT_MASK = 0x1fff;
const PIECE_SHIFT = 25;
const PIECE_MASK = 7;
const GOES_ON = 1 << 29;

export interface GzipReaderOptions {
  readonly sandbox: Sandbox;
  /**
   * Receives the next output: {@link PIECE_BYTES}, or fewer at the end of a member. A view of the program's memory,
   * valid during the call only.
   */
  readonly onOutput: (piece: Uint8Array) => void;
}

export class GzipReader {
  readonly #onOutput: (piece: Uint8Array) => void;
  readonly #program: SandboxProgram;
  readonly #memory: Uint8Array;
  readonly #room: number;
  readonly #roomBytes: number;

  /** @throws {Error} when no memory is left */
  constructor({ sandbox, onOutput }: GzipReaderOptions) {
    this.#onOutput = onOutput;
    this.#program = sandbox.open("inflater");
    this.#memory = this.#program.memory;
    this.#roomBytes = this.#program.begin(0, 0);
    this.#room = this.#program.room();
  }

  /**
   * Process bytes until the chunk is used up, a piece of output has been passed on, the head of a block has been read
   * or the content of a member has ended.
   * @returns how many bytes of `chunk` were consumed, possibly none; pass the others again
   * @throws {Fault} `package_invalid` for invalid gzip; the reader is unusable then
   */
  take(chunk: Uint8Array): number {
    const { length } = chunk;
    let at = 0;
    let goesOn = 0;
    // At the end of the chunk there is nothing to call again with: the few bits left are used now.
    while (at < length || goesOn !== 0) {
      const input = at === 0 && length <= this.#roomBytes ? chunk : chunk.subarray(at, at + this.#roomBytes);
      this.#memory.set(input, this.#room);
      const answer = this.#program.feed(input.length);
      if (answer < 0) throw damaged(answer);
      at += answer & TAKEN_MASK;
      const byteLength = (answer >> OUTPUT_SHIFT) & OUTPUT_MASK;
      if (byteLength > 0) this.#handOn((answer >> PIECE_SHIFT) & PIECE_MASK, byteLength);
      goesOn = answer & GOES_ON;
      if (goesOn !== 0 && at < length) break;
    }
    return at;
  }

  /** Signal the end of the file. @throws {Fault} `package_invalid` if it is incomplete */
  end(): void {
    const answer = this.#program.finish();
    if (answer < 0) throw damaged(answer);
  }

  /** Free the program's memory. Can be called twice. */
  close(): void {
    this.#program.close();
  }

  #handOn(piece: number, byteLength: number): void {
    const from = piece * PIECE_BYTES;
    this.#onOutput(this.#memory.subarray(from, from + byteLength));
  }
}

function damaged(code: number): Fault {
  const deflateFault = DEFLATE_FAULTS[-1 - code];
  return new Fault(
    "package_invalid",
    deflateFault
      ? `Cannot inflate the package: ${deflateFault}`
      : `Cannot unpack the package as gzip: ${GZIP_FAULTS[-1 - code - DEFLATE_FAULTS.length]}`,
  );
}
