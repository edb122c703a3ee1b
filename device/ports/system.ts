import type { ResetReason } from "../../protocol/device/answers.js";
import type { VariantArchitecture } from "../../protocol/file-kind.js";
import type { Heap } from "./heap.js";

/** Facts about the console's hardware and load, restart and shutdown. Every figure is measured at the call. */
export interface System extends Heap {
  /** Board name as in `GET /api/system`, such as `simulator`. */
  readonly board: string;
  readonly architecture: VariantArchitecture;
  /** Upper-case hexadecimal octets with colons. */
  readonly mac: string;
  readonly resetReason: ResetReason;
  cpu(): CpuFacts;
  heap(): HeapFacts;
  /** Left out on boards without PSRAM. */
  psram?(): CapacityFacts;
  /** The file system. */
  storage(): CapacityFacts;
  /** Restarts the console after the current turn of the event loop; written data is still sent. */
  restart(): void;
  /**
   * Makes the next restart end in the chip's own loader, which writes the flash for a program at the cable. Left out on
   * hosts without one.
   * @returns false on a board whose restart cannot end there
   */
  selectLoader?(): boolean;
  /** Called once per boot, when every service is running. */
  ready(facts: ReadyFacts): void;
  /**
   * Sets the callback for a clean shutdown, replacing the previous one; it is called once. Data written in it is still
   * sent; asynchronous work is not awaited. Boards never shut down.
   */
  onShutdown(callback: () => void): void;
}

export interface CpuFacts {
  readonly model: string;
  readonly cores: number;
  /** Left out if the host does not report it. */
  readonly frequencyMhz?: number;
  /** Busy share of the main loop over the last seconds, 0 to 100. */
  readonly loadPercent: number;
}

export interface HeapFacts {
  readonly totalBytes: number;
  readonly freeBytes: number;
  readonly minimumFreeBytes: number;
}

export interface CapacityFacts {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

interface ReadyFacts {
  readonly name: string;
  readonly httpPort: number;
  readonly wsPort: number;
}
