/**
 * Files: the part of ECMA-419's file storage (`embedded:storage/files`) that services need. Paths are
 * relative to the directory, with `/` between names; `.`, `..` and a leading slash are refused. A failed
 * call throws and changes nothing. Where the medium is full, the error's `code` is `storage_full`.
 *
 * After a power cut, creating, renaming and deleting are done or not done. Written data is safe once `flush` has
 * returned; without `flush`, closing or moving the file guarantees nothing. So to replace a file, write another, flush
 * it, and move it over the old one.
 */
export interface Directory {
  /** `"r"` needs the file to be there, `"w"` makes it empty first, `"r+"` keeps what is there. */
  openFile(options: { readonly path: string; readonly mode?: "r" | "r+" | "w" | "w+" }): File;
  openDirectory(options: { readonly path: string }): Directory;
  /** False when there was nothing of that name; directories must be empty. */
  delete(path: string): boolean;
  /** Renames in one step; an existing file at `to` is replaced. */
  move(from: string, to: string): void;
  /** Throws when there is nothing of that name. */
  status(path: string): FileStatus;
  /** False when it was there already. */
  createDirectory(path: string): boolean;
  /**
   * Names in the directory, without `.` and `..`, in no particular order. Of a directory with more than 256 names, or
   * with 8 KiB of them, some are left out; they come once others are gone.
   */
  scan(path?: string): IterableIterator<string>;
  close(): void;
}

export interface File {
  /** Reads into `into` from `position` on; the bytes read, fewer only at the end of the file. */
  read(into: Uint8Array, position: number): number;
  write(bytes: Uint8Array, position: number): void;
  status(): FileStatus;
  setSize(byteLength: number): void;
  /** Returns once everything written is on the medium. */
  flush(): void;
  close(): void;
}

export interface FileStatus {
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}
