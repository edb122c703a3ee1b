/** A file that is written from its beginning to its end, and read back in pieces. */
import type { ReadOnlyDirectory } from "../../ports/drives.js";
import type { Directory, File } from "../../ports/files.js";

export class AppendedFile {
  readonly path: string;
  readonly #file: File;
  #byteLength = 0;
  #isClosed = false;

  /** Makes the file, or makes it empty. */
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

  /** Closes the file and promises nothing. May be called twice. */
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

/**
 * Makes a file of what `write` gives to it. Returns once all of it is on the medium; where it throws, there is none.
 */
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
