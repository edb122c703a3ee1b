/**
 * Admission to the heap of the management VM (docs/adr/0019). XS can only end the machine when its heap is full, so
 * work is admitted only while there is room for the most that it needs, for the rest of the work admitted before, and
 * for a reserve that is never given out. Refused work gets "busy", and when to ask again.
 *
 *     room >= need of the new work + reserve, and for all but the work of a turn
 *           + what longer work was promised and has not taken yet
 *
 * The memory of lasting work (a connection) is measured at once: it shows in the heap from then on. Longer work, which
 * grows later (an install), has its maximum reserved until it ends. Its use so far shows in the heap, beside what was
 * admitted to stay (connections) since it began. Garbage counts as used, and not as room: it reduces the remaining
 * promise and the room by the same amount.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Heap } from "../../ports/heap.js";

/**
 * The most that each kind of work needs of the management VM's heap, in bytes of a board (slots of 16 bytes). Measured
 * by host-tests/device/heap/worst-cases.test.ts, which fails where one of them needs more; docs/adr/0019 has the table
 * (docs/spec/memory.md#admission).
 */
export const HEAP_NEEDS = Object.freeze({
  /** A connection of HTTP, from accepting it on. */
  httpConnection: 3 * 1024,
  /** A connection to the WebSocket, from accepting it to watching the log. */
  viewer: 6 * 1024,
  /** Each byte of a head of HTTP that is a long one: its text, its target, and what is decoded of that. */
  longHeadByte: 7,
  /** A request of HTTP or USB from its head to its answer: the shell's list of 24 apps, and a head of sixty fields. */
  request: 12 * 1024,
  /** An app from its first byte to being installed: signature, package, module. */
  install: 34 * 1024,
  /** Firmware from its first byte to being staged. */
  firmware: 20 * 1024,
  /** An installed app: what its files are called. Nothing is asked for it, since there are 24 at the most. */
  installedApp: 307,
  /** A running app. What it asks of services is over with its turn, and lives on the reserve. */
  runningApp: 3 * 1024,
  /** A connection of an app, and what one that is waited on holds for what comes. */
  appConnection: 1536,
  /** The connection to the hub, from registering on. */
  hubLink: 16 * 1024,
  /** A message of multicast DNS beside its own bytes, which are there when it is asked for and live on the reserve. */
  datagram: 4 * 1024,
});

/**
 * Never given away: what goes on without asking, one turn of it at a time (a message of the hub, a line of a log, a
 * timer), and whatever a turn of admitted work leaves as garbage before the collector runs
 * (docs/spec/memory.md#admission).
 */
export const HEAP_RESERVE_BYTES = 10 * 1024;

/** Retry delay for a client that is refused for want of memory. */
const HEAP_RETRY_AFTER_S = 1;

export class HeapAdmission {
  /** There is no room: gives up what can be done without (connections that are only kept alive). @returns whether any was */
  onShort: (() => boolean) | undefined;
  readonly #heap: Heap;
  /** For work that has begun and takes it bit by bit. */
  #promisedBytes = 0;
  /** In use when the first of that began, and let in to stay since. */
  #otherBytes = 0;
  /** The reserve, and what is kept for work that begins without asking. */
  #keptBytes = HEAP_RESERVE_BYTES;
  #refused = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** How often there was no room since the boot. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Whether work that takes so many bytes may begin that is over when its turn is. What it leaves is garbage, which
   * longer work can have when it grows: so the promises are not looked at.
   */
  hasRoom(byteLength: number): boolean {
    return (
      this.#heap.hasHeapRoom(this.#keptBytes + byteLength, false) || this.#isThereAfterAll(byteLength, false)
    );
  }

  /** The same for what stays in the heap, such as a connection. */
  hasRoomToStay(byteLength: number): boolean {
    if (!this.#hasHeapRoom(byteLength, true) && !this.#isThereAfterAll(byteLength, true)) return false;
    if (this.#promisedBytes > 0) this.#otherBytes += byteLength;
    return true;
  }

  /** @throws {Fault} `busy` unless there is room for so many bytes */
  require(byteLength: number): void {
    if (!this.hasRoom(byteLength)) throw shortOfMemory();
  }

  /** @throws {Fault} `busy` unless there is room for so many bytes to stay */
  requireToStay(byteLength: number): void {
    if (!this.hasRoomToStay(byteLength)) throw shortOfMemory();
  }

  /**
   * Keeps room for work that begins now and is going to grow, until it is freed with {@link release}.
   * @throws {Fault} `busy` where there is none; nothing is promised then
   */
  promise(byteLength: number): void {
    this.requireToStay(byteLength);
    if (this.#promisedBytes === 0) this.#otherBytes = this.#heap.liveHeapBytes();
    this.#promisedBytes += byteLength;
  }

  release(byteLength: number): void {
    this.#promisedBytes -= byteLength;
  }

  /** Keeps room for what has just given its room up and is going to want it again: it is not asked. */
  hold(byteLength: number): void {
    this.#keptBytes += byteLength;
  }

  letGo(byteLength: number): void {
    this.#keptBytes -= byteLength;
  }

  /** Looks again once what can be done without has been given up. */
  #isThereAfterAll(byteLength: number, isToStay: boolean): boolean {
    if (this.#giveUp() && this.#hasHeapRoom(byteLength, isToStay)) return true;
    this.#refused++;
    return false;
  }

  /** @returns whether there is more room now */
  #giveUp(): boolean {
    const usedBytes = this.#heap.usedHeapBytes();
    if (!this.onShort?.()) return false;
    this.#otherBytes -= Math.max(0, usedBytes - this.#heap.liveHeapBytes());
    return true;
  }

  #hasHeapRoom(byteLength: number, isToStay: boolean): boolean {
    const wantedBytes = this.#keptBytes + byteLength;
    if (!isToStay) return this.#heap.hasHeapRoom(wantedBytes, false);
    const outstandingBytes = this.#outstandingBytes();
    if (!this.#heap.hasHeapRoom(wantedBytes + outstandingBytes, true)) return false;
    // Where the look has collected garbage that counted as taken, that is outstanding again, and not room for others.
    const isMore = this.#outstandingBytes() > outstandingBytes;
    return !isMore || this.#heap.hasHeapRoom(wantedBytes + this.#outstandingBytes(), true);
  }

  #outstandingBytes(): number {
    if (this.#promisedBytes === 0) return 0;
    const taken = Math.max(0, this.#heap.usedHeapBytes() - this.#otherBytes);
    return Math.max(0, this.#promisedBytes - taken);
  }
}

export function shortOfMemory(): Fault {
  return new Fault("busy", "The console is short of memory now", {
    details: { retry_after_s: HEAP_RETRY_AFTER_S },
  });
}
