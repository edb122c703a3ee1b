/**
 * Admission to the heap of the management VM (docs/adr/0019). XS aborts the machine when its heap is full, so work is
 * admitted only if there is room for its maximum, for the rest of the work admitted before, and for a reserve that is
 * never given out. Rejected work gets `busy` with a retry delay.
 *
 *     room >= need of the new work + reserve, and except for work within one turn
 *           + unused promises of longer work
 *
 * Memory of lasting objects (a connection) is allocated immediately and visible in the heap from then on. Longer work
 * that grows later (an install) has its maximum promised until it ends. The used part of a promise is visible in the
 * heap, beside the lasting objects admitted since. Garbage counts as used: it reduces the unused promise and the room
 * by the same amount.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Heap } from "../../ports/heap.js";

/**
 * Maximum heap of each kind of work, in bytes on a board (slots of 16 bytes). Measured by
 * host-tests/device/heap/worst-cases.nightly.test.ts, which fails if one needs more; docs/adr/0019 has the table
 * (docs/spec/memory.md#admission).
 */
export const HEAP_NEEDS = Object.freeze({
  /** An HTTP connection, from its acceptance. */
  httpConnection: 3 * 1024,
  /** A WebSocket connection, from its acceptance to following the log. */
  viewer: 6 * 1024,
  /** Each byte of a long HTTP head: its text, its target, and the decoded target. */
  longHeadByte: 7,
  /** A request over HTTP or USB, from head to answer: the worst case is the shell's list of 64 apps after 60 fields. */
  request: 12 * 1024,
  /** The install of an app: signature, package, module. */
  install: 34 * 1024,
  /** A firmware update until it is staged. */
  firmware: 20 * 1024,
  /** An installed app: its name. Not admitted, since there are at most 64. */
  installedApp: 72,
  /** A running app. Its calls of services end within a turn and use the reserve. */
  runningApp: 3 * 1024,
  /** A connection of an app, including a pending operation. */
  appConnection: 1536,
  /** An HTTP request of an app: its own body, the text of its answer's head, a piece of that body, and the connection. */
  appRequest: 15 * 1024,
  /** The connection to the hub, from the registration. */
  hubLink: 16 * 1024,
  /** The set-up access point while it is open, besides the connections of its page. */
  setup: 8 * 1024,
  /** A multicast DNS message, besides its own bytes, which exist before admission and use the reserve. */
  datagram: 4 * 1024,
});

/**
 * Never given out: used by work without admission, one turn at a time (a hub message, a log line, a timer), and by the
 * garbage that a turn of admitted work leaves before the collector runs
 * (docs/spec/memory.md#admission).
 */
export const HEAP_RESERVE_BYTES = 10 * 1024;

/** Retry delay for a client that is rejected for lack of memory. */
const HEAP_RETRY_AFTER_S = 1;

export class HeapAdmission {
  /** Called when memory is short: frees what is dispensable (idle connections). @returns whether anything was freed */
  onShort: (() => boolean) | undefined;
  readonly #heap: Heap;
  /** Sum of the promises to running work. */
  #promisedBytes = 0;
  /** In use when the first promise was made, plus lasting objects admitted since. */
  #otherBytes = 0;
  /** The reserve, and room held for work that starts without admission. */
  #keptBytes = HEAP_RESERVE_BYTES;
  #refused = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Number of rejections since boot. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Whether work that ends within its turn may begin. It leaves only garbage, whose memory promised work can use later,
   * so promises do not count.
   */
  hasRoom(byteLength: number): boolean {
    return (
      this.#heap.hasHeapRoom(this.#keptBytes + byteLength, false) ||
      this.#hasRoomAfterFreeing(byteLength, false)
    );
  }

  /** Like {@link hasRoom}, for objects that stay in the heap, such as a connection. */
  hasRoomToStay(byteLength: number): boolean {
    if (!this.#hasHeapRoom(byteLength, true) && !this.#hasRoomAfterFreeing(byteLength, true)) return false;
    if (this.#promisedBytes > 0) this.#otherBytes += byteLength;
    return true;
  }

  /** @throws {Fault} `busy` unless {@link hasRoom} */
  require(byteLength: number): void {
    if (!this.hasRoom(byteLength)) throw shortOfMemory();
  }

  /** @throws {Fault} `busy` unless {@link hasRoomToStay} */
  requireToStay(byteLength: number): void {
    if (!this.hasRoomToStay(byteLength)) throw shortOfMemory();
  }

  /**
   * Promises room to work that starts now and grows, until {@link release}.
   * @throws {Fault} `busy` without room; then nothing is promised
   */
  promise(byteLength: number): void {
    this.requireToStay(byteLength);
    if (this.#promisedBytes === 0) this.#otherBytes = this.#heap.liveHeapBytes();
    this.#promisedBytes += byteLength;
  }

  release(byteLength: number): void {
    this.#promisedBytes -= byteLength;
  }

  /**
   * Holds room, without a check, for work that has just released it and will need it again, until {@link releaseHeld}.
   */
  hold(byteLength: number): void {
    this.#keptBytes += byteLength;
  }

  releaseHeld(byteLength: number): void {
    this.#keptBytes -= byteLength;
  }

  /** Checks again after {@link onShort} has freed memory. */
  #hasRoomAfterFreeing(byteLength: number, isToStay: boolean): boolean {
    if (this.#freeDispensable() && this.#hasHeapRoom(byteLength, isToStay)) return true;
    this.#refused++;
    return false;
  }

  /** @returns whether there is more room now */
  #freeDispensable(): boolean {
    const usedBytes = this.#heap.usedHeapBytes();
    if (!this.onShort?.()) return false;
    this.#otherBytes -= Math.max(0, usedBytes - this.#heap.liveHeapBytes());
    return true;
  }

  #hasHeapRoom(byteLength: number, isToStay: boolean): boolean {
    const wantedBytes = this.#keptBytes + byteLength;
    if (!isToStay) return this.#heap.hasHeapRoom(wantedBytes, false);
    const outstandingBytes = this.#unusedPromiseBytes();
    if (!this.#heap.hasHeapRoom(wantedBytes + outstandingBytes, true)) return false;
    // If the check has collected garbage that counted as used, that part of the promises is unused again.
    const isMore = this.#unusedPromiseBytes() > outstandingBytes;
    return !isMore || this.#heap.hasHeapRoom(wantedBytes + this.#unusedPromiseBytes(), true);
  }

  #unusedPromiseBytes(): number {
    if (this.#promisedBytes === 0) return 0;
    const taken = Math.max(0, this.#heap.usedHeapBytes() - this.#otherBytes);
    return Math.max(0, this.#promisedBytes - taken);
  }
}

export function shortOfMemory(): Fault {
  return new Fault("busy", "The console is short of memory", {
    details: { retry_after_s: HEAP_RETRY_AFTER_S },
  });
}
