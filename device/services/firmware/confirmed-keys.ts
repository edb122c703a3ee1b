/**
 * The trusted keys that come with firmware (docs/spec/boot-and-slots.md#confirm-keys): written beside those of the
 * previous firmware as soon as they may be needed, and moved over them in one step once the confirmation counts. The
 * keys of firmware that a programmer has put into the flash count as soon as it runs, where there are none before them.
 */
import type { Directory } from "../../ports/files.js";
import { writeFile } from "../storage/appended-file.js";
import { storageFault } from "../storage/storage-fault.js";
import { makeDirectories, statusOf } from "../storage/tree.js";
import { TRUSTED_KEYS } from "../trust/trusted-keys-file.js";

const DIRECTORY = TRUSTED_KEYS.slice(0, TRUSTED_KEYS.lastIndexOf("/"));
const NEXT = `${TRUSTED_KEYS}.new`;

export class ConfirmedKeys {
  readonly #files: Directory;
  readonly #pem: readonly string[] | undefined;

  /** @param pem in small pieces; left out by firmware that leaves the keys as they are */
  constructor(files: Directory, pem: readonly string[] | undefined) {
    this.#files = files;
    this.#pem = pem;
  }

  /** Whether there are no trusted keys yet, so that these would be the first. */
  get areFirst(): boolean {
    return this.#pem !== undefined && !statusOf(this.#files, TRUSTED_KEYS);
  }

  /**
   * Returns once the keys are safe; they count only after {@link apply}.
   * @throws {Fault} `storage_full`
   */
  prepare(): void {
    const pem = this.#pem;
    if (pem === undefined) return;
    this.#store(() => {
      makeDirectories(this.#files, DIRECTORY);
      const encoder = new TextEncoder();
      writeFile(this.#files, NEXT, (file) => {
        for (const piece of pem) file.write(encoder.encode(piece));
      });
    });
  }

  /** After {@link prepare}, in the same run. @throws {Fault} `storage_full` */
  apply(): void {
    if (this.#pem !== undefined) this.#store(() => this.#files.move(NEXT, TRUSTED_KEYS));
  }

  /** Deletes what a confirmation that did not come about has left. */
  discard(): void {
    if (statusOf(this.#files, NEXT)) this.#files.delete(NEXT);
  }

  #store(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw storageFault(error, "Cannot keep the keys of this firmware");
    }
  }
}
