import type { VariantArchitecture } from "../../protocol/file-kind.js";
import type { Heap } from "./heap.js";

/** What a console knows of itself and can do to itself. Every figure is measured when it is asked for. */
export interface System extends Heap {
  /** Board name as in `GET /api/system`, for instance `simulator`. */
  readonly board: string;
  readonly architecture: VariantArchitecture;
  /** Upper-case hexadecimal octets with colons. */
  readonly mac: string;
  readonly resetReason: ResetReason;
  cpu(): CpuFacts;
  heap(): HeapFacts;
  /** Left out where the board has no PSRAM. */
  psram?(): CapacityFacts;
  /** The file system. */
  storage(): CapacityFacts;
  /** Ends this run once the current turn of the event loop is over; what is written is still sent. */
  restart(): void;
  /** Every service is up. Called once a boot. */
  ready(facts: ReadyFacts): void;
  /**
   * Calls back before a clean shutdown, once. What is written in the callback is still sent; what it
   * starts is not waited for. The last callback set is the one called. Boards never shut down.
   */
  onShutdown(callback: () => void): void;
}

export type ResetReason = "power_on" | "software" | "watchdog" | "crash" | "update" | "rollback";

export interface CpuFacts {
  readonly model: string;
  readonly cores: number;
  /** Left out where the host does not tell. */
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

export interface ReadyFacts {
  readonly name: string;
  readonly httpPort: number;
  readonly wsPort: number;
}
