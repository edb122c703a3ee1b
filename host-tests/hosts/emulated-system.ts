/** The system port with fixed figures; `restart` only counts its calls. */
import type { System } from "../../device/ports/system.js";

export interface EmulatedSystem extends System {
  readonly restarts: () => number;
}

export function emulatedSystem(facts: Partial<System> = {}): EmulatedSystem {
  let restarts = 0;
  return {
    board: "emulated",
    architecture: "native",
    mac: "02:00:00:00:1A:2B",
    resetReason: "power_on",
    cpu: () => ({ model: "none", cores: 1, loadPercent: 7 }),
    heap: () => ({ totalBytes: 1000, freeBytes: 600, minimumFreeBytes: 500 }),
    hasHeapRoom: () => true,
    usedHeapBytes: () => 0,
    liveHeapBytes: () => 0,
    storage: () => ({ totalBytes: 4000, freeBytes: 3000 }),
    restart: () => {
      restarts += 1;
    },
    ready: () => {},
    onShutdown: () => {},
    ...facts,
    restarts: () => restarts,
  };
}

/** The retained-memory port over an array. */
export function emulatedRetainedMemory(byteLength = 512) {
  const bytes = new Uint8Array(byteLength);
  return {
    byteLength,
    read: (into: Uint8Array, offset: number) => into.set(bytes.subarray(offset, offset + into.length)),
    write: (from: Uint8Array, offset: number) => bytes.set(from, offset),
  };
}
