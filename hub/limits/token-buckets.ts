/**
 * Token buckets by caller, in memory: each holds a minute's calls and refills evenly. They cost no statement, and so count
 * for this process alone: N processes allow N times as much.
 */
import { Fault } from "../../protocol/fault.js";

const MINUTE_MS = 60_000;

/** Callers of a generation: see {@link TokenBuckets}. Two of them take some megabytes. */
const GENERATION_LIMIT = 20_000;

interface Bucket {
  /** A fraction counts towards the next call. */
  calls: number;
  /** Time of `calls`, milliseconds. */
  at: number;
}

/** What is left of a bucket. */
export interface Budget {
  readonly perMinute: number;
  /** Calls that may follow at once. */
  readonly remaining: number;
  /** Seconds until it is whole again. */
  readonly resetS: number;
}

/**
 * Buckets are in two generations: a call moves its bucket into the recent one, and once that is full it becomes the earlier one,
 * whose buckets are forgotten. An LRU map would look for the oldest bucket at each call of a new caller, which takes 15 µs
 * where callers are many, and strangers may be [measured].
 */
export class TokenBuckets {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #limit: number;
  #recent = new Map<string, Bucket>();
  #earlier = new Map<string, Bucket>();

  /**
   * @param perMinute calls of one caller
   * @param now milliseconds that never go back
   * @param limit callers of a generation
   */
  constructor(perMinute: number, now: () => number = () => performance.now(), limit = GENERATION_LIMIT) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#limit = limit;
  }

  /**
   * Counts a call.
   * @returns what is left, once it is less than half: most calls need not tell
   * @throws {Fault} `too_many_attempts` with `retry_after_s` if none was left
   */
  take(key: string): Budget | undefined {
    const bucket = this.#filled(key);
    if (bucket.calls < 1) throw this.#tooMany(bucket.calls);
    bucket.calls -= 1;
    return bucket.calls < this.#perMinute / 2 ? this.#budget(bucket.calls) : undefined;
  }

  /** Counts a call. @returns whether one was left for it */
  allows(key: string): boolean {
    const bucket = this.#filled(key);
    if (bucket.calls < 1) return false;
    bucket.calls -= 1;
    return true;
  }

  #filled(key: string): Bucket {
    const now = this.#now();
    const bucket = this.#recent.get(key) ?? this.#intoRecent(key, now);
    bucket.calls = Math.min(
      this.#perMinute,
      bucket.calls + ((now - bucket.at) * this.#perMinute) / MINUTE_MS,
    );
    bucket.at = now;
    return bucket;
  }

  #intoRecent(key: string, now: number): Bucket {
    const bucket = this.#earlier.get(key) ?? { calls: this.#perMinute, at: now };
    if (this.#recent.size >= this.#limit) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, bucket);
    return bucket;
  }

  #budget(calls: number): Budget {
    const perMinute = this.#perMinute;
    const wholeMs = ((perMinute - calls) * MINUTE_MS) / perMinute;
    return { perMinute, remaining: Math.floor(calls), resetS: Math.ceil(wholeMs / 1000) };
  }

  #tooMany(calls: number): Fault {
    const waitMs = ((1 - calls) * MINUTE_MS) / this.#perMinute;
    return new Fault("too_many_attempts", `Cannot do this more than ${this.#perMinute} times a minute`, {
      details: { retry_after_s: Math.ceil(waitMs / 1000) },
    });
  }
}
