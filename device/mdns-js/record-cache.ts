/**
 * Cache of the records that a browser has received (RFC 6762 §5.2, §10): handles refresh, expiry, goodbye and the
 * cache-flush bit. A plain list suffices for a few dozen records.
 */
import type { DnsReader } from "../services/mdns/dns-message.js";
import { type DomainName, sameName } from "../services/mdns/domain-name.js";
import type { MdnsEngine } from "../services/mdns/mdns-engine.js";
import type { RandomDelay } from "../services/mdns/resource-record.js";

/** Records in the cache of one browser: about 16 consoles with four each. */
const CACHED_RECORD_LIMIT = 64;

/** Bytes of those records, names included: peers choose the length of each, up to a whole datagram. */
const CACHED_BYTES_LIMIT = 16 * 1024;

/** Data of one record: RFC 6763 §6.2 has 1300 bytes for a TXT record, the longest that a browser reads. */
const DATA_LIMIT_BYTES = 1300;

/**
 * A record in the heap, besides the bytes of its name and data. A full cache and its services take 44 KiB, which
 * host-tests/device/mdns/mdns-js.test.ts measures.
 */
const RECORD_OBJECT_BYTES = 640;

/** RFC 6762 §10.1 and §10.2: a record that was withdrawn or replaced lives one more second. */
const GOODBYE_DELAY_MS = 1000;

const NEVER = Number.POSITIVE_INFINITY;

/** RFC 6762 §5.2: a record is queried again at 80, 85, 90 and 95 % of its TTL, each up to 2 % later. */
const REFRESH_PERCENT = Object.freeze([80, 85, 90, 95]);

export interface CachedRecord {
  readonly name: DomainName;
  readonly type: number;
  readonly data: Uint8Array;
  /** Address of the first host that sent the record. */
  readonly from: string;
  /** TTL as received. */
  ttlSeconds: number;
  receivedMs: number;
  expiresMs: number;
  /** Time of the next refresh query, `Infinity` if there is none. */
  refreshMs: number;
  refreshes: number;
}

type RecordRoom = Pick<MdnsEngine, "delay" | "hasRoomToStay">;

export class RecordCache {
  readonly #delay: RandomDelay;
  readonly #room: RecordRoom;
  #records: CachedRecord[] = [];

  constructor(room: RecordRoom) {
    this.#delay = room.delay;
    this.#room = room;
  }

  /** Earliest time at which a record expires or needs a query, `Infinity` while the cache is empty. */
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

  has(record: CachedRecord): boolean {
    return this.#records.includes(record);
  }

  /**
   * Caches the reader's current record. A new record is dropped if it is over {@link DATA_LIMIT_BYTES}, if there would be
   * more than {@link CACHED_RECORD_LIMIT} or {@link CACHED_BYTES_LIMIT}, or if the heap has no room for it.
   */
  put(reader: DnsReader, from: string, nowMs: number): void {
    const { type, ttlSeconds } = reader;
    const alike = this.#records.filter((record) => record.type === type && reader.nameIs(record.name));
    const known = alike.find(({ data }) => reader.dataIs(data));
    if (reader.hasTopBit) for (const other of alike) if (other !== known) flush(other, nowMs);
    if (known) this.#renew(known, ttlSeconds, nowMs);
    else if (ttlSeconds > 0) this.#add(reader, from, nowMs);
  }

  #add(reader: DnsReader, from: string, nowMs: number): void {
    const dataBytes = reader.dataLength;
    if (this.#records.length >= CACHED_RECORD_LIMIT || dataBytes > DATA_LIMIT_BYTES) return;
    const name = reader.copyName();
    const byteLength = name.length + dataBytes;
    if (this.#byteLength + byteLength > CACHED_BYTES_LIMIT) return;
    if (!this.#room.hasRoomToStay(RECORD_OBJECT_BYTES + byteLength)) return;
    const { type, ttlSeconds } = reader;
    const record = { name, type, data: reader.copyData(), from, ...UNDATED };
    this.#renew(record, ttlSeconds, nowMs);
    this.#records.push(record);
  }

  /** Drops the records that are expired or no longer wanted. */
  forget(nowMs: number, isWanted: (record: CachedRecord) => boolean): void {
    this.#records = this.#records.filter((record) => record.expiresMs > nowMs && isWanted(record));
  }

  /** Returns the records whose refresh query is due, and schedules the next refresh of each. */
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

  /** Sets expiry and refresh. After a goodbye (TTL 0) a record lives one second, without refresh (RFC 6762 §10.1). */
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

/** RFC 6762 §10.2: a flushed record lives one more second; records of the last second are not flushed. */
function flush(record: CachedRecord, nowMs: number): void {
  if (nowMs - record.receivedMs <= GOODBYE_DELAY_MS) return;
  record.expiresMs = Math.min(record.expiresMs, nowMs + GOODBYE_DELAY_MS);
  record.refreshMs = NEVER;
}
