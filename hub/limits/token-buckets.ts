/**
 * Token buckets by caller, in memory: each holds a minute's calls and refills evenly. They cost no statement, and so count
 * for this process alone: N processes allow N times as much.
 */
import { Fault } from "../../protocol/fault.js";
import { RecentMap } from "../recent-map.js";

const MINUTE_MS = 60_000;

/** They take some megabytes. */
const CALLERS_LIMIT = 40_000;

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

export class TokenBuckets {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets: RecentMap<string, Bucket>;

  /**
   * @param perMinute calls of one caller
   * @param now milliseconds that never go back
   * @param limit callers that are remembered
   */
  constructor(perMinute: number, now: () => number = () => performance.now(), limit = CALLERS_LIMIT) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#buckets = new RecentMap(limit);
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

  /** Takes back a call that was counted. */
  giveBack(key: string): void {
    this.#filled(key).calls += 1; // at most a minute's calls, once it is filled again
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
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      bucket = { calls: this.#perMinute, at: now };
      this.#buckets.set(key, bucket);
    }
    bucket.calls = Math.min(
      this.#perMinute,
      bucket.calls + ((now - bucket.at) * this.#perMinute) / MINUTE_MS,
    );
    bucket.at = now;
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
