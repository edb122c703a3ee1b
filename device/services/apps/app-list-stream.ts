/** The list of apps as JSON, an entry at a time. */
import type { ByteStream } from "../api/request.js";
import type { Apps } from "./apps.js";

export class AppListStream implements ByteStream {
  readonly #apps: Apps;
  /** Those that were installed when the list was asked for, and are still to come. */
  readonly #names: string[];
  readonly #encoder = new TextEncoder();
  #separator = "[";
  #hasEnded = false;

  constructor(apps: Apps) {
    this.#apps = apps;
    this.#names = [...apps.names];
  }

  next(): Uint8Array | undefined {
    for (let name = this.#names.shift(); name !== undefined; name = this.#names.shift())
      if (this.#apps.has(name)) return this.#entry(name);
    if (this.#hasEnded) return undefined;
    this.#hasEnded = true;
    return this.#encoder.encode(this.#separator === "[" ? "[]" : "]");
  }

  close(): void {
    this.#names.length = 0;
    this.#hasEnded = true;
  }

  #entry(name: string): Uint8Array {
    const text = this.#separator + JSON.stringify(this.#apps.entry(name));
    this.#separator = ",";
    return this.#encoder.encode(text);
  }
}
