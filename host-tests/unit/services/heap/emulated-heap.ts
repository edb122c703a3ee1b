/** A heap with as much room as the test sets. */
import type { Heap } from "../../../../device/ports/heap.js";
import { HEAP_RESERVE_BYTES, HeapAdmission } from "../../../../device/services/heap/heap-admission.js";

export class EmulatedHeap implements Heap {
  /** Beside the reserve. */
  roomBytes: number;
  readonly admission = new HeapAdmission(this);

  constructor(roomBytes = Number.MAX_SAFE_INTEGER / 2) {
    this.roomBytes = roomBytes;
  }

  /** What work has taken of it. */
  usedBytes = 0;
  /** Too little for a look to collect it. */
  garbageBytes = 0;

  hasHeapRoom(byteLength: number): boolean {
    return byteLength <= this.roomBytes + HEAP_RESERVE_BYTES - this.usedHeapBytes();
  }

  usedHeapBytes(): number {
    return this.usedBytes + this.garbageBytes;
  }

  liveHeapBytes(): number {
    this.garbageBytes = 0;
    return this.usedBytes;
  }
}
