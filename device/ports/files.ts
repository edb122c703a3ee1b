/**
 * Files: the part of ECMA-419's file storage (`embedded:storage/files`) that services need. Paths are
 * relative to the directory, with `/` between names; `.`, `..` and a leading slash are rejected. A failed
 * call throws and changes nothing. If the medium is full, the error's `code` is `storage_full`.
 *
 * After a power cut, creating, renaming and deleting are done or not done. Written data is safe once `flush` has
 * returned; without `flush`, closing or moving the file guarantees nothing. So to replace a file, write another, flush
 * it, and move it over the old one.
 */
export interface Directory {
  /** `"r"` requires an existing file, `"w"` truncates the file, `"r+"` keeps its content. */
  openFile(options: { readonly path: string; readonly mode?: "r" | "r+" | "w" | "w+" }): File;
  openDirectory(options: { readonly path: string }): Directory;
  /** @returns false if nothing had that name. Directories must be empty. */
  delete(path: string): boolean;
  /** Renames atomically; replaces an existing file at `to`. */
  move(from: string, to: string): void;
  /** Throws if nothing has that name. */
  status(path: string): FileStatus;
  /** @returns false if the directory existed already */
  createDirectory(path: string): boolean;
  /**
   * Names in the directory, without `.` and `..`, in no particular order. In a directory with more than 256 names, or
   * 8 KiB of names, some are missing until others are deleted.
   */
  scan(path?: string): IterableIterator<string>;
  close(): void;
}

export interface File {
  /** Fills `into` from `position` on. @returns the number of bytes read, fewer only at the end of the file */
  read(into: Uint8Array, position: number): number;
  write(bytes: Uint8Array, position: number): void;
  status(): FileStatus;
  setSize(byteLength: number): void;
  /** Returns once all written data is on the medium. */
  flush(): void;
  close(): void;
}

export interface FileStatus {
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}
