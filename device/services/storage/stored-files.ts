/** File operations of the services: sequential writes, atomic replacement, reads in pieces, deletion of whole trees. */
import { Fault } from "../../../protocol/fault.js";
import type { Memory, MemoryBlock } from "../../../protocol/ports/runtime.js";
import type { ReadOnlyDirectory } from "../../ports/drives.js";
import type { Directory, File, FileStatus } from "../../ports/files.js";
import type { Scheduler } from "../scheduler/scheduler.js";

// Converts the storage ports' error for a full medium (`ports/files.ts`) to a fault.

export function isStorageFull(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof Fault) &&
    (error as { readonly code?: unknown }).code === "storage_full"
  );
}

/** `error` itself, or `storage_full` with a sentence such as `Cannot keep "svc/log/level"`. */
export function storageFault(error: unknown, sentence: string): unknown {
  return isStorageFull(error)
    ? new Fault("storage_full", `${sentence}: the storage is full`, { cause: error })
    : error;
}

// Files and directories that need not exist.

/** @returns `undefined` if nothing of that name exists */
export function statusOf(files: Pick<Directory, "status">, path: string): FileStatus | undefined {
  try {
    return files.status(path);
  } catch {
    return undefined; // the port throws if nothing of that name exists
  }
}

/** The names in a directory, none where there is no directory. */
export function namesIn(files: Directory, path: string): string[] {
  return statusOf(files, path)?.isDirectory() ? [...files.scan(path)] : [];
}

/** Delete a file, or a directory with all its entries; no-op if there is none. */
export function deleteTree(files: Directory, path: string): void {
  const status = statusOf(files, path);
  if (!status) return;
  if (status.isDirectory()) deleteEntries(files, path);
  files.delete(path);
}

/** Repeats the scan, since one scan of a large directory does not return all names. */
function deleteEntries(files: Directory, path: string): void {
  for (let names = [...files.scan(path)]; names.length > 0; names = [...files.scan(path)])
    for (const name of names) deleteTree(files, `${path}/${name}`);
}

/** Make a directory and its missing parents. */
export function makeDirectories(files: Directory, path: string): void {
  const names = path.split("/");
  for (let depth = 1; depth <= names.length; depth++) {
    const directory = names.slice(0, depth).join("/");
    if (!statusOf(files, directory)) files.createDirectory(directory);
  }
}

// A file that is written from its beginning to its end, and read back in pieces.

export class AppendedFile {
  readonly path: string;
  readonly #file: File;
  #byteLength = 0;
  #isClosed = false;

  /** Creates the file, or truncates it. */
  constructor(files: Directory, path: string) {
    this.path = path;
    this.#file = files.openFile({ path, mode: "w" });
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  write(bytes: Uint8Array): void {
    this.#file.write(bytes, this.#byteLength);
    this.#byteLength += bytes.length;
  }

  /** Closes the file once all of it is on the medium. */
  finish(): void {
    this.#file.flush();
    this.close();
  }

  /** Closes the file without flushing it. May be called twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close();
  }
}

/** Writes a small file in one step: a reader finds the old content or the new. */
export function replaceFile(files: Directory, path: string, content: Uint8Array): void {
  const next = `${path}.new`;
  writeFile(files, next, (file) => file.write(content));
  files.move(next, path);
}

/** Create a file with the bytes that `write` writes, and flush it. Deletes the file if `write` or the flush throws. */
export function writeFile(files: Directory, path: string, write: (file: AppendedFile) => void): void {
  const file = new AppendedFile(files, path);
  try {
    write(file);
    file.finish();
  } catch (error) {
    file.close();
    files.delete(path);
    throw error;
  }
}

/**
 * The whole of a small file.
 * @throws {RangeError} for one over `limitBytes`, or that ends before its end
 */
export function readWhole(
  files: Pick<ReadOnlyDirectory, "openFile">,
  path: string,
  limitBytes: number,
): Uint8Array {
  const file = files.openFile({ path, mode: "r" });
  try {
    const { size } = file.status();
    if (size > limitBytes) throw new RangeError(`"${path}" is ${size} bytes, over ${limitBytes}`);
    const bytes = new Uint8Array(size);
    if (file.read(bytes, 0) < size) throw new RangeError(`"${path}" has become shorter`);
    return bytes;
  } finally {
    file.close();
  }
}

/** Fits a TCP segment of common networks (MSS 1460). */
const STREAMED_PIECE_BYTES = 1458;

/**
 * A stored file as a stream of an answer. Opens the file for each piece: it may be deleted before the last one, and a
 * client that stalls keeps no file open.
 */
export class StoredFile {
  readonly #files: Directory;
  readonly #path: string;
  readonly byteLength: number;
  #position = 0;

  constructor(files: Directory, path: string) {
    this.#files = files;
    this.#path = path;
    this.byteLength = files.status(path).size;
  }

  /** @throws {Fault} `busy` if the file was deleted meanwhile */
  next(): Uint8Array | undefined {
    const piece = new Uint8Array(Math.min(STREAMED_PIECE_BYTES, this.byteLength - this.#position));
    if (piece.length === 0) return undefined;
    if (!statusOf(this.#files, this.#path))
      throw new Fault("busy", `Cannot send the rest of "${this.#path}": it was deleted`);
    const file = this.#files.openFile({ path: this.#path, mode: "r" });
    try {
      const taken = file.read(piece, this.#position);
      if (taken < piece.length) throw new RangeError(`"${this.#path}" has become shorter`);
    } finally {
      file.close();
    }
    this.#position += piece.length;
    return piece;
  }

  close(): void {
    // Nothing is open between two pieces.
  }
}

interface PieceSource {
  readonly files: Pick<ReadOnlyDirectory, "openFile">;
  readonly scheduler: Scheduler;
  /** Buffer of the piece; default: in the heap. */
  readonly memory?: Memory;
}

const HEAP: Memory = Object.freeze({
  allocate: (byteLength: number) => ({ bytes: new Uint8Array(byteLength), close: () => {} }),
});

/** @param take gets each piece, which is reused once it has returned, or what it promises has settled */
export async function eachPiece(
  { files, scheduler, memory = HEAP }: PieceSource,
  path: string,
  pieceBytes: number,
  take: (piece: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const file = files.openFile({ path, mode: "r" });
  let block: MemoryBlock | undefined;
  try {
    block = memory.allocate(pieceBytes);
    const piece = block.bytes;
    let position = 0;
    for (let taken = file.read(piece, 0); taken > 0; taken = file.read(piece, position)) {
      const promised = take(taken === piece.length ? piece : piece.subarray(0, taken));
      if (promised) await promised;
      position += taken;
      await scheduler.yield();
    }
  } finally {
    file.close();
    block?.close();
  }
}
