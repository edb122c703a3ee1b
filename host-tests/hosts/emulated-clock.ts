/**
 * The Timer and Clock ports with a clock that a test moves by hand. Nothing happens by itself: `advance`
 * and `pass` run what falls due, in the order of due times and, at the same time, in the order of setting.
 */
import type { Clock, Timer, TimerHandle } from "../../protocol/ports/runtime.js";

/** More callbacks than this in one go are timers that set each other without time passing. */
const CALLBACK_LIMIT = 1_000_000;

/** A repeating timer of no period would leave room for nothing else; hosts make it this long. */
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

  /** @param startMs what {@link uptimeMs} says at first */
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

  /** Active timers: 0 shows that a closed service has left none. */
  get timerCount(): number {
    return this.#pending.size;
  }

  /** Milliseconds until the next timer is due, `undefined` while none is set. */
  get untilNextMs(): number | undefined {
    const next = this.#next();
    return next && Math.max(next.dueMs - this.#nowMs, 0);
  }

  /** Lets time pass at once: promise callbacks run only after it. */
  advance(milliseconds: number): void {
    const endMs = this.#nowMs + milliseconds;
    for (let count = 0; this.#runNext(endMs); count++) refuseEndlessness(count);
    this.#nowMs = endMs;
  }

  /** Lets time pass while the console does one thing: what falls due runs later, when time passes again. */
  block(milliseconds: number): void {
    this.#nowMs += milliseconds;
  }

  /** Lets time pass as on a real host: promise callbacks run before it, and after each timer. */
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

/** Resolves once every pending promise callback has run, however long the chain. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
