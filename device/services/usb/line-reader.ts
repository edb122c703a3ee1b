/**
 * Lines from USB (docs/spec/usb.md#line-limit), found by the sandboxed program `device/sandbox/usb-line`: LF ends a line,
 * CR is ignored anywhere, empty lines are skipped. Owns no port: bytes from the port go directly into the program's memory.
 */
import { CHUNK_LINE_LIMIT_BYTES } from "../../../protocol/limits.js";
import type { Sandbox, SandboxProgram } from "../../../protocol/ports/sandbox.js";

/** The longest line plus its LF, which distinguishes it from a line that is too long. */
const LINE_BUFFER_BYTES = CHUNK_LINE_LIMIT_BYTES + 1;

// Numbers of the program's `layout.ts`.
const LINES = 272;
const RESULT_LINE = 0;
const RESULT_DATA = 1;
const RESULT_COUNT = 2;
const NOTHING = 0;
const BEGINNING = 2;
const CHUNK_LINE = 3;

export interface Line {
  /**
   * Without CR and LF. A view of the reader's buffer; the receiver may overwrite it until the next use of the reader.
   */
  readonly bytes: Uint8Array;
  /** False for the beginning of a line over {@link CHUNK_LINE_LIMIT_BYTES}. */
  readonly isWhole: boolean;
  /**
   * Bytes of a chunk, if they were cut out of a long line, whose `data` is then empty. A view too. Only lines that parse
   * to the same request are cut; in others the data remains, as base64.
   */
  readonly data?: Uint8Array;
}

export class LineReader {
  readonly #program: SandboxProgram;
  readonly #results: Int32Array;
  /** What the program has found and `next` has not returned; `undefined`: ask it. */
  #found: number | undefined;

  /** @throws {Error} when no memory is left */
  constructor(sandbox: Sandbox) {
    this.#program = sandbox.open("usb-line");
    const { memory } = this.#program;
    this.#results = new Int32Array(memory.buffer, memory.byteOffset, RESULT_COUNT);
    this.reset();
  }

  /**
   * Read more bytes. Call it only after `next` has returned `undefined`.
   * @param byteLength number of bytes available
   * @param fill reads bytes until the view is full
   * @returns the number of bytes read, at least one
   */
  feed(byteLength: number, fill: (into: Uint8Array) => void): number {
    const room = this.#program.room();
    const most = LINES + LINE_BUFFER_BYTES - room;
    const taken = byteLength < most ? byteLength : most;
    fill(this.#program.memory.subarray(room, room + taken));
    this.#found = this.#program.feed(taken);
    return taken;
  }

  /** The next non-empty line, or `undefined` if more bytes are needed. */
  next(): Line | undefined {
    const found = this.#found ?? this.#program.finish();
    this.#found = found === NOTHING ? NOTHING : undefined;
    if (found === NOTHING) return undefined;
    const bytes = this.#view(RESULT_LINE);
    if (found !== CHUNK_LINE) return { bytes, isWhole: found !== BEGINNING };
    return { bytes, isWhole: true, data: this.#view(RESULT_DATA) };
  }

  /** Drop all bytes, including an incomplete line. */
  reset(): void {
    this.#program.begin(0, 0);
    this.#found = NOTHING;
  }

  /** Free the buffer. Can be called twice. */
  close(): void {
    this.#program.close();
    this.#found = NOTHING;
  }

  #view(index: number): Uint8Array {
    const position = this.#results[index] as number;
    return this.#program.memory.subarray(position & 0xffff, position >>> 16);
  }
}
