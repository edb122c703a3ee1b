/**
 * The records that a browser has heard, for as long as they live (RFC 6762 §5.2, §10): when to ask again,
 * when to forget, what a goodbye and a cache-flush bit do. A list, since there are a few dozen at most.
 */
import type { DnsReader } from "./dns-reader.js";
import { type DomainName, sameName } from "./domain-name.js";
import { CACHED_BYTES_LIMIT, CACHED_RECORD_LIMIT, GOODBYE_DELAY_MS } from "./limits.js";
import type { RandomDelay } from "./random-delay.js";

const NEVER = Number.POSITIVE_INFINITY;
/** RFC 6762 §5.2: a record is asked for again at 80, 85, 90 and 95 % of its life, and up to 2 % later. */
const REFRESH_PERCENT = Object.freeze([80, 85, 90, 95]);

export interface CachedRecord {
  readonly name: DomainName;
  readonly type: number;
  readonly data: Uint8Array;
  /** As it was received. */
  ttlSeconds: number;
  receivedMs: number;
  expiresMs: number;
  /** When to ask for it again, `Infinity` where no more. */
  refreshMs: number;
  refreshes: number;
}

export class RecordCache {
  readonly #delay: RandomDelay;
  #records: CachedRecord[] = [];

  constructor(delay: RandomDelay) {
    this.#delay = delay;
  }

  /** When a record expires or needs a query, `Infinity` while the cache is empty. */
  get dueMs(): number {
    return this.#records.reduce(
      (due, { expiresMs, refreshMs }) => Math.min(due, expiresMs, refreshMs),
      NEVER,
    );
  }

  all(name: DomainName, type: number): CachedRecord[] {
    return this.#records.filter((record) => record.type === type && sameName(record.name, name));
  }

  find(name: DomainName, type: number): CachedRecord | undefined {
    return this.#records.find((record) => record.type === type && sameName(record.name, name));
  }

  ofType(type: number): CachedRecord[] {
    return this.#records.filter((record) => record.type === type);
  }

  /** Takes the record at which the reader is. Past {@link CACHED_RECORD_LIMIT} and {@link CACHED_BYTES_LIMIT} a new one is not kept. */
  put(reader: DnsReader, nowMs: number): void {
    const { type, ttlSeconds } = reader;
    const alike = this.#records.filter((record) => record.type === type && reader.nameIs(record.name));
    const known = alike.find(({ data }) => reader.dataIs(data));
    if (reader.hasTopBit) for (const other of alike) if (other !== known) flush(other, nowMs);
    if (known) this.#renew(known, ttlSeconds, nowMs);
    else if (ttlSeconds > 0 && this.#records.length < CACHED_RECORD_LIMIT) {
      const record = { name: reader.copyName(), type, data: reader.copyData(), ...UNDATED };
      if (this.#byteLength + byteLengthOf(record) > CACHED_BYTES_LIMIT) return;
      this.#renew(record, ttlSeconds, nowMs);
      this.#records.push(record);
    }
  }

  /** Forgets what has expired, and what is not wanted. */
  forget(nowMs: number, isWanted: (record: CachedRecord) => boolean): void {
    this.#records = this.#records.filter((record) => record.expiresMs > nowMs && isWanted(record));
  }

  /** Records to be asked for again now, each of which then waits for its next turn. */
  takeRefreshes(nowMs: number): CachedRecord[] {
    const due = this.#records.filter(({ refreshMs }) => refreshMs <= nowMs);
    for (const record of due) {
      record.refreshes++;
      record.refreshMs = this.#refreshTime(record);
    }
    return due;
  }

  clear(): void {
    this.#records = [];
  }

  get #byteLength(): number {
    return this.#records.reduce((sum, record) => sum + byteLengthOf(record), 0);
  }

  /** A goodbye is a life of one second (RFC 6762 §10.1), in which it is not asked for. */
  #renew(record: CachedRecord, ttlSeconds: number, nowMs: number): void {
    record.ttlSeconds = ttlSeconds;
    record.receivedMs = nowMs;
    record.expiresMs = nowMs + (ttlSeconds === 0 ? GOODBYE_DELAY_MS : ttlSeconds * 1000);
    record.refreshes = 0;
    record.refreshMs = ttlSeconds === 0 ? NEVER : this.#refreshTime(record);
  }

  #refreshTime(record: CachedRecord): number {
    const percent = REFRESH_PERCENT[record.refreshes];
    if (percent === undefined) return NEVER;
    const spread = this.#delay.between(0, record.ttlSeconds * 20);
    return record.receivedMs + record.ttlSeconds * 10 * percent + spread;
  }
}

function byteLengthOf({ name, data }: Pick<CachedRecord, "name" | "data">): number {
  return name.length + data.length;
}

const UNDATED = Object.freeze({ ttlSeconds: 0, receivedMs: 0, expiresMs: 0, refreshMs: 0, refreshes: 0 });

/** RFC 6762 §10.2: replaced records live one more second, and those just received are not replaced. */
function flush(record: CachedRecord, nowMs: number): void {
  if (nowMs - record.receivedMs <= GOODBYE_DELAY_MS) return;
  record.expiresMs = Math.min(record.expiresMs, nowMs + GOODBYE_DELAY_MS);
  record.refreshMs = NEVER;
}
