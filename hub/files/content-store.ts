/**
 * Files by the SHA-256 of their content, below `SVC_HUB_STORAGE_PATH`, which processes on several machines may share.
 * A file is written to a temporary name, flushed and renamed, so that whoever finds it finds all of it; it never
 * changes, and writing it again changes nothing.
 */

export interface ContentStore {
  /**
   * Keeps `content`, unless it is there already.
   * @returns its SHA-256 in hexadecimal
   * @throws {Fault} `storage_full`; nothing is left then
   */
  put(content: Uint8Array): Promise<string>;
  /**
   * The path of a file that is there, to be opened for reading.
   * @throws {Fault} `file_damaged` where it is not
   */
  open(sha256: string): Promise<{ readonly path: string; readonly sizeBytes: number }>;
  /** Deletes it, where nothing refers to it any more. What is not there is no error. */
  delete(sha256: string): Promise<void>;
}
