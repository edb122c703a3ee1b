/**
 * Bluetooth for apps: one of them at a time advertises a name (docs/spec/app-abi-and-quotas.md#ble). Results are those of
 * the app ABI.
 */
import type { DeviceStatus } from "../../../protocol/device/answers.js";
import type { Advertisement, AdvertisementConstructor } from "../../ports/bluetooth.js";
import { BUSY, INVALID, IO_ERROR, NOT_FOUND } from "./abi-results.js";

/** Advertising data of the first kind of packet (Core Specification 5.4, Vol 6, Part B, §2.3.1.3). */
const DATA_BYTES = 31;

// Types of data, and the flags of a device that is found by all and has nothing of the classic Bluetooth (Core
// Specification Supplement 11, Part A, §1.2 and §1.3).
const FLAGS = 0x01;
const COMPLETE_NAME = 0x09;
const IS_DISCOVERABLE_LE_ALONE = 0x06;

const HEAD = Object.freeze([2, FLAGS, IS_DISCOVERABLE_LE_ALONE]);

/** Longest name: what the flags, and the length and type of the name, leave. */
const NAME_LIMIT_BYTES = DATA_BYTES - HEAD.length - 2;

export class Advertising {
  readonly #Advertisement: AdvertisementConstructor;
  readonly #onChange: () => void;
  #app: string | undefined;
  #advertisement: Advertisement | undefined;

  /** @param onChange called when `mode` has changed */
  constructor(Advertisement: AdvertisementConstructor, onChange: () => void) {
    this.#Advertisement = Advertisement;
    this.#onChange = onChange;
  }

  /** What `bt_mode` says. */
  get mode(): DeviceStatus["bt_mode"] {
    return this.#advertisement ? "advertising" : "off";
  }

  /** Advertises a name for an app, in place of the one that it advertises already. */
  start(app: string, name: string): number {
    const bytes = new TextEncoder().encode(name);
    if (bytes.length === 0 || bytes.length > NAME_LIMIT_BYTES) return INVALID;
    if (this.#app !== undefined && this.#app !== app) return BUSY;
    const wasOn = this.#advertisement !== undefined;
    this.#close();
    try {
      const data = Uint8Array.of(...HEAD, bytes.length + 1, COMPLETE_NAME, ...bytes);
      this.#advertisement = new this.#Advertisement({ data });
      this.#app = app;
      if (!wasOn) this.#onChange();
      return 0;
    } catch {
      if (wasOn) this.#onChange();
      return IO_ERROR; // the radio refuses, which the app learns
    }
  }

  /** Ends what an app advertises, at the latest when it ends. */
  stop(app: string): number {
    if (this.#app !== app) return NOT_FOUND;
    this.#close();
    this.#onChange();
    return 0;
  }

  #close(): void {
    this.#advertisement?.close();
    this.#advertisement = undefined;
    this.#app = undefined;
  }
}
