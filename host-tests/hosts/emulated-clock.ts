/**
 * The Timer and Clock ports on a manually advanced clock. Time moves only in `advance`, `block` and `pass`; `advance`
 * and `pass` run the due timers in order of due time, and timers due at the same time in the order in which they were
 * set.
 */
import type { Clock, Timer, TimerHandle } from "../../protocol/ports/runtime.js";

/** More callbacks in one call than this mean that timers set each other without time passing. */
const CALLBACK_LIMIT = 1_000_000;

/** A repeating timer with a period of 0 would run forever without time passing; real hosts have the same minimum. */
const MINIMUM_PERIOD_MS = 1;

interface PendingTimer {
  readonly callback: () => void;
  readonly periodMs: number | undefined;
  dueMs: number;
  /** Order of setting, which decides between timers due at the same time. */
  sequence: number;
}

export class EmulatedClock implements Timer, Clock {
  readonly #pending = new Set<PendingTimer>();
  #nowMs: number;
  #sequence = 0;

  /** @param startMs initial value of {@link uptimeMs} */
  constructor(startMs = 0) {
    this.#nowMs = startMs;
  }

  uptimeMs(): number {
    return this.#nowMs;
  }

  set(callback: () => void, milliseconds = 0): TimerHandle {
    return this.#add(callback, milliseconds, undefined);
  }

  repeat(callback: () => void, milliseconds: number): TimerHandle {
    const periodMs = Math.max(milliseconds, MINIMUM_PERIOD_MS);
    return this.#add(callback, periodMs, periodMs);
  }

  clear(timer: TimerHandle | undefined): void {
    if (timer) this.#pending.delete(timer as PendingTimer);
  }

  /** Number of active timers; 0 shows that a closed service left none behind. */
  get timerCount(): number {
    return this.#pending.size;
  }

  /** Milliseconds until the next timer is due; `undefined` if none is set. */
  get untilNextMs(): number | undefined {
    const next = this.#next();
    return next && Math.max(next.dueMs - this.#nowMs, 0);
  }

  /** Advances the clock synchronously: promise callbacks run only after it returns. */
  advance(milliseconds: number): void {
    const endMs = this.#nowMs + milliseconds;
    for (let count = 0; this.#runNext(endMs); count++) refuseEndlessness(count);
    this.#nowMs = endMs;
  }

  /**
   * Advances the clock without running timers, as if one callback took this long; due timers run at the next advance.
   */
  block(milliseconds: number): void {
    this.#nowMs += milliseconds;
  }

  /** Advances the clock as a real host does: promise callbacks run before the first timer and after each one. */
  async pass(milliseconds: number): Promise<void> {
    const endMs = this.#nowMs + milliseconds;
    await turn();
    for (let count = 0; this.#runNext(endMs); count++) {
      refuseEndlessness(count);
      await turn();
    }
    this.#nowMs = endMs;
  }

  #add(callback: () => void, milliseconds: number, periodMs: number | undefined): TimerHandle {
    if (typeof callback !== "function") throw new TypeError("A timer needs a function");
    const dueMs = this.#nowMs + Math.max(milliseconds, 0);
    const timer: PendingTimer = { callback, periodMs, dueMs, sequence: this.#sequence++ };
    this.#pending.add(timer);
    return timer as TimerHandle;
  }

  #runNext(endMs: number): boolean {
    const timer = this.#next();
    if (!timer || timer.dueMs > endMs) return false;
    this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
    if (timer.periodMs === undefined) this.#pending.delete(timer);
    else {
      timer.dueMs = this.#nowMs + timer.periodMs;
      timer.sequence = this.#sequence++;
    }
    timer.callback();
    return true;
  }

  #next(): PendingTimer | undefined {
    let next: PendingTimer | undefined;
    for (const timer of this.#pending) if (!next || comesBefore(timer, next)) next = timer;
    return next;
  }
}

function comesBefore(a: PendingTimer, b: PendingTimer): boolean {
  return a.dueMs === b.dueMs ? a.sequence < b.sequence : a.dueMs < b.dueMs;
}

function refuseEndlessness(count: number): void {
  if (count > CALLBACK_LIMIT) throw new Error(`Cannot run more than ${CALLBACK_LIMIT} timers in one go`);
}

/** Resolves after all pending promise callbacks have run, including those that they queue. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
