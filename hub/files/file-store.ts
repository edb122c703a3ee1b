/**
 * Where the hub keeps files, by SHA-256: a directory (content-store.ts) or a bucket of S3-compatible storage (s3-store.ts). A
 * file is complete or not there, and never changes.
 *
 * To keep a row that names a file, put the file inside the transaction that writes the row (file-transaction.ts).
 */
import { Fault } from "../../protocol/fault.js";
import type { HubConfig } from "../config/read-config.js";
import { ContentStore } from "./content-store.js";
import { S3Store } from "./s3-store.js";
import type { StoredPart } from "./send-file.js";

export interface FileStore {
  /**
   * Stores `content`, unless it is stored already.
   * @returns its SHA-256 in hexadecimal
   * @throws {Fault} `storage_full`, `busy`; then nothing is stored
   */
  put(content: Uint8Array): Promise<string>;
  /** A whole file, as a part to send. @throws {Fault} `file_damaged` if it is missing; `busy` */
  part(sha256: string): Promise<StoredPart>;
  /** @throws {Fault} `file_damaged` if it is missing; `busy` */
  read(sha256: string): Promise<Buffer>;
  /** Deletes a file that no row refers to. No-op if it is missing. */
  delete(sha256: string): Promise<void>;
  /** The SHA-256 of each file that is old enough to be abandoned. */
  old(): Promise<readonly string[]>;
  /** The id of the hub that used the store first: another hub's files are not to be deleted. */
  owner(hubId: string): Promise<string>;
  /** @throws {Error} if the store cannot be used */
  check(): Promise<void>;
}

/** @throws {Error} if a directory cannot be created */
export async function openFileStore({ s3, storagePath }: Pick<HubConfig, "s3" | "storagePath">) {
  return s3 ? new S3Store(s3) : await ContentStore.open(storagePath);
}

/**
 * Returns a stored file as a part to send.
 * @param sizeBytes the size that the database has stored
 * @throws {Fault} `file_damaged` if the file is missing or has another size; `busy`
 */
export async function storedPart(files: FileStore, sha256: string, sizeBytes: number): Promise<StoredPart> {
  const part = await files.part(sha256);
  if (part.end === sizeBytes) return part;
  throw new Fault(
    "file_damaged",
    `File ${sha256} has ${part.end} bytes in the hub's storage, not ${sizeBytes}`,
  );
}
