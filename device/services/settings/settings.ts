/**
 * The console's settings, by path: `svc/http/token` is the key `token` in the domain `svc/http` of
 * the key-value storage.
 */
import type { KeyValueDomain, KeyValueStorage } from "../../ports/key-value.js";
import { storageFault } from "../storage/storage-fault.js";

export class Settings {
  readonly #storage: KeyValueStorage;

  constructor(storage: KeyValueStorage) {
    this.#storage = storage;
  }

  /** The value, or `undefined` where none was written. */
  read(path: string): string | undefined {
    return this.#with(path, (domain, key) => domain.read(key));
  }

  /**
   * Returns once the value is safe from a loss of power. What is there already is not written again.
   * @throws {Fault} `storage_full`, and the old value stays
   */
  write(path: string, value: string): void {
    this.#with(path, (domain, key) => {
      if (domain.read(key) !== value) domain.write(key, value);
    });
  }

  /** Deleting what is not there does nothing. */
  delete(path: string): void {
    this.#with(path, (domain, key) => domain.delete(key));
  }

  #with<Result>(path: string, use: (domain: KeyValueDomain, key: string) => Result): Result {
    const slash = path.lastIndexOf("/");
    const domain = this.#storage.open({ path: path.slice(0, slash), format: "string" });
    try {
      return use(domain, path.slice(slash + 1));
    } catch (error) {
      throw storageFault(error, `Cannot keep "${path}"`);
    } finally {
      domain.close();
    }
  }
}
