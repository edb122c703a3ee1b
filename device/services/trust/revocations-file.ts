/**
 * The console's list of revoked keys, kept apart from the trusted keys: firmware that brings other keys does not change
 * it. It is read for each use, into memory outside the heap.
 */
import { Fault } from "../../../protocol/fault.js";
import {
  isRevokedBy,
  REVOCATIONS_LIMIT_BYTES,
  type RevocationList,
  readRevocationList,
} from "../../../protocol/keys/revocation-list.js";
import type { Memory, MemoryBlock } from "../../../protocol/ports/runtime.js";
import type { Directory } from "../../ports/files.js";
import { makeDirectories, replaceFile, statusOf, storageFault } from "../storage/stored-files.js";

const REVOCATIONS = "hub/revocations.bin";
const DIRECTORY = REVOCATIONS.slice(0, REVOCATIONS.lastIndexOf("/"));

export class RevocationsFile {
  readonly #files: Directory;
  readonly #memory: Memory;

  constructor(files: Directory, memory: Memory) {
    this.#files = files;
    this.#memory = memory;
  }

  get isThere(): boolean {
    return statusOf(this.#files, REVOCATIONS) !== undefined;
  }

  /**
   * Calls `use` with the list, or `undefined` if there is none. The list is a view that is valid during the call.
   * @returns the result of `use`
   * @throws {Fault} `signature_invalid` if the list is damaged: any key may be revoked, so none is trusted
   */
  read<Result>(use: (list: RevocationList | undefined) => Result): Result {
    const opened = this.open();
    try {
      return use(opened?.list);
    } finally {
      opened?.close();
    }
  }

  /** Opens the list for longer use; the caller closes it. @throws {Fault} as {@link read} */
  open(): OpenRevocations | undefined {
    if (!this.isThere) return undefined;
    const file = this.#files.openFile({ path: REVOCATIONS, mode: "r" });
    try {
      const { size } = file.status();
      if (size === 0 || size > REVOCATIONS_LIMIT_BYTES) throw damaged();
      const block = this.#memory.allocate(size);
      try {
        file.read(block.bytes, 0);
        return new OpenRevocations(block);
      } catch (error) {
        block.close();
        throw error;
      }
    } finally {
      file.close();
    }
  }

  /** Whether the list revokes the key, which need not be a trusted one. @throws {Fault} as {@link read} */
  has(publicKey: Uint8Array): boolean {
    return this.read((list) => list !== undefined && isRevokedBy(list, publicKey));
  }

  /** Replaces the list atomically. @throws {Fault} `storage_full` */
  write(bytes: Uint8Array): void {
    try {
      makeDirectories(this.#files, DIRECTORY);
      replaceFile(this.#files, REVOCATIONS, bytes);
    } catch (error) {
      throw storageFault(error, "Cannot store the list of revoked keys");
    }
  }
}

export class OpenRevocations {
  readonly list: RevocationList;
  readonly #block: MemoryBlock;

  /** @throws {Fault} `signature_invalid` */
  constructor(block: MemoryBlock) {
    this.#block = block;
    try {
      this.list = readRevocationList(block.bytes);
    } catch {
      throw damaged(); // its shape was right when it was written
    }
  }

  close(): void {
    this.#block.close();
  }
}

function damaged(): Fault {
  return new Fault(
    "signature_invalid",
    "The console trusts no key: its list of revoked keys is damaged; send it again",
  );
}

// `GET` and `POST /api/keys/revocations`: show and replace the list of revoked keys.
