/**
 * Writes parts of files into an answer, with memory that is used again. Node's streams allocate each piece anew: the garbage
 * of fast downloads then has the whole heap collected many times a second, which takes half of their time [measured].
 */
import { type FileHandle, open } from "node:fs/promises";
import type { Writable } from "node:stream";

/** Bytes of a file from `start` up to but not including `end`. */
export interface FilePart {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export type LocalPart = { readonly bytes: Uint8Array } | FilePart;

/** Bytes to read at once. */
const PIECE_BYTES = 128 * 1024;

/** Pieces that no download uses: 4 MiB at most. */
const idle: Uint8Array[] = [];
const IDLE_LIMIT = 32;

function takePiece(): Uint8Array {
  return idle.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
}

function leavePiece(piece: Uint8Array): void {
  if (idle.length < IDLE_LIMIT) idle.push(piece);
}

/** The client has left before the end. */
export class ClientLeft extends Error {
  override readonly name = "ClientLeft";
}

/**
 * Opens the files, so that what is missing is known before the head of the answer is sent.
 * @throws {Error} of the file system
 */
export async function openParts(parts: readonly LocalPart[]): Promise<OpenParts> {
  const files = new Map<string, FileHandle>();
  try {
    for (const part of parts)
      if ("path" in part && !files.has(part.path)) files.set(part.path, await open(part.path));
  } catch (error) {
    await closeAll(files);
    throw error;
  }
  return new OpenParts(parts, files);
}

export class OpenParts {
  readonly #parts: readonly LocalPart[];
  /** By their paths. */
  readonly #files: ReadonlyMap<string, FileHandle>;

  constructor(parts: readonly LocalPart[], files: ReadonlyMap<string, FileHandle>) {
    this.#parts = parts;
    this.#files = files;
  }

  /**
   * Writes all parts, ends the answer, and closes the files in any case. The last bytes end it too: a client that has them
   * may otherwise find a server that is about to stop busy with this answer still.
   * @throws {ClientLeft} if `out` is closed before all is written
   * @throws {Error} of the file system, also for a file that ends too early; then `out` is still open
   */
  async writeTo(out: Writable): Promise<void> {
    const last = this.#parts.at(-1);
    try {
      for (const part of this.#parts)
        if ("bytes" in part) await write(out, part.bytes, part === last);
        else await this.#writeFile(out, part, part === last);
    } finally {
      await closeAll(this.#files);
    }
  }

  /** While one piece is written, the next one is read. After a failure either may still be under way: both are dropped. */
  async #writeFile(out: Writable, { path, start, end }: FilePart, isLast: boolean): Promise<void> {
    const file = this.#files.get(path) as FileHandle;
    const pieces: Uint8Array[] = [];
    let writing = Promise.resolve();
    for (let at = start, turn = 0; at < end; turn = 1 - turn) {
      const next = Math.min(end, at + PIECE_BYTES);
      const piece = pieces[turn] ?? takePiece();
      pieces[turn] = piece;
      const [bytes] = await Promise.all([read(file, at, next, piece), writing]);
      writing = write(out, bytes, isLast && next === end);
      at = next;
    }
    await writing;
    for (const piece of pieces) leavePiece(piece);
  }
}

/** @returns the bytes from `at` up to `end`, which are no more than `piece` takes: a section of it */
async function read(file: FileHandle, at: number, end: number, piece: Uint8Array): Promise<Uint8Array> {
  const length = end - at;
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(piece, filled, length - filled, at + filled);
    if (bytesRead === 0) throw new Error(`The file ends before byte ${at + length}`);
    filled += bytesRead;
  }
  return piece.subarray(0, length);
}

/** Resolves when the bytes have left this process, so that their memory can be used again. */
function write(out: Writable, bytes: Uint8Array, ends: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    if (out.destroyed) throw new ClientLeft("The client has left");
    const leave = () => reject(new ClientLeft("The client has left"));
    out.once("close", leave);
    const done = (error?: Error | null) => {
      out.off("close", leave);
      if (error) leave();
      else resolve();
    };
    if (ends) out.end(bytes, done);
    else out.write(bytes, done);
  });
}

async function closeAll(files: ReadonlyMap<string, FileHandle>): Promise<void> {
  for (const file of files.values()) await file.close();
}
