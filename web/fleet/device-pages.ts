/**
 * The consoles of one list, read page by page as they come into sight: a list may have 10,000, of which the user sees
 * twenty. What was read stays until the list is another one, or is read again.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { DeviceRecord } from "../../protocol/hub/answers/devices.js";
import { type UserError, userErrorOf } from "../advice.js";
import { DEVICES_PER_PAGE, type Filter, type FleetClient } from "./fleet-client.js";

export class DevicePages {
  readonly #client: Pick<FleetClient, "devices">;
  readonly #filter: Filter;
  readonly #rows = new Map<number, DeviceRecord>();
  /** Pages that were read, or are being read. */
  readonly #asked = new Set<number>();
  /** The pages in sight. */
  #shown: readonly number[] = [0];
  readonly #total = signal<number | undefined>(undefined);
  readonly #revision = signal(0);
  readonly #error = signal<UserError | undefined>(undefined);

  constructor(client: Pick<FleetClient, "devices">, filter: Filter) {
    this.#client = client;
    this.#filter = filter;
  }

  /** `undefined` until the first page is read. */
  get total(): ReadonlySignal<number | undefined> {
    return this.#total;
  }

  get error(): ReadonlySignal<UserError | undefined> {
    return this.#error;
  }

  /** @returns `undefined` until it is read */
  row(index: number): DeviceRecord | undefined {
    void this.#revision.value; // renders again when a page has come
    return this.#rows.get(index);
  }

  /** Reads the pages of these rows that were not read yet. */
  show(first: number, last: number): void {
    const page = Math.floor(first / DEVICES_PER_PAGE);
    const count = Math.floor(last / DEVICES_PER_PAGE) - page + 1;
    this.#shown = Array.from({ length: count }, (_, at) => page + at);
    for (const each of this.#shown) void this.#read(each);
  }

  /** Reads the pages in sight again, which stay until then, and the others when they come into sight. */
  async reload(): Promise<void> {
    this.#asked.clear();
    await Promise.all(this.#shown.map((page) => this.#read(page)));
  }

  async #read(page: number): Promise<void> {
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    try {
      const { devices, total } = await this.#client.devices(this.#filter, page + 1);
      devices.forEach((device, at) => {
        this.#rows.set(page * DEVICES_PER_PAGE + at, device);
      });
      this.#total.value = total;
      this.#error.value = undefined;
      this.#revision.value += 1;
    } catch (cause) {
      this.#asked.delete(page);
      this.#error.value = userErrorOf(cause);
    }
  }
}
