/** Reads apps and firmware state of the console, one read at a time: requests during a read share one more after it. */
import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { Device } from "../../device-client/device.js";
import type { AppEntry, OtaStatus } from "../../protocol/device/answers.js";

export class Refresher {
  readonly #apps = signal<readonly AppEntry[] | undefined>(undefined);
  readonly #ota = signal<OtaStatus | undefined>(undefined);
  readonly #device: () => Device | undefined;
  #reading: Promise<void> | undefined;
  #isAskedAgain = false;

  /** @param device returns the present console; `undefined` without one */
  constructor(device: () => Device | undefined) {
    this.#device = device;
  }

  get apps(): ReadonlySignal<readonly AppEntry[] | undefined> {
    return this.#apps;
  }

  get ota(): ReadonlySignal<OtaStatus | undefined> {
    return this.#ota;
  }

  /** @returns settles when both have been read after this call, or reading has failed */
  async refresh(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#isAskedAgain = true;
      return this.#reading;
    }
    this.#reading = this.#readWhileRequested();
    await this.#reading;
  }

  clear(): void {
    batch(() => {
      this.#apps.value = undefined;
      this.#ota.value = undefined;
    });
  }

  async #readWhileRequested(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#readOnce();
    } while (this.#isAskedAgain);
    this.#reading = undefined;
  }

  async #readOnce(): Promise<void> {
    const device = this.#device();
    if (device === undefined) return;
    try {
      const [apps, ota] = await Promise.all([device.apps(), device.otaStatus()]);
      if (this.#device() !== device) return;
      batch(() => {
        this.#apps.value = apps;
        this.#ota.value = ota;
      });
    } catch {
      // Keep the known values; the link detects the cause, and a refresh follows when it is ready.
    }
  }
}
