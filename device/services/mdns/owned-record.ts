/**
 * A record of ours and the state of its sending: when it was multicast last, and whether an answer
 * with it is due. Holds the rules on timing (RFC 6762 §6, §7.2, §7.4); senders follow `dueMs`.
 */
import { MULTICAST_INTERVAL_MS, PROBE_ANSWER_INTERVAL_MS } from "./limits.js";
import type { ResourceRecord } from "./resource-record.js";

const NEVER = Number.POSITIVE_INFINITY;
/** A record that several queriers want, or one without known answers to come. */
const NOBODY = "";

export class OwnedRecord {
  readonly record: ResourceRecord;
  #lastMulticastMs = Number.NEGATIVE_INFINITY;
  #dueMs = NEVER;
  /** Address of the one querier whose further known answers may make this answer needless. */
  #heldFor = NOBODY;

  constructor(record: ResourceRecord) {
    this.record = record;
  }

  /** When to multicast the record, `Infinity` for never. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Wants the record multicast at `atMs`, or once a second has passed since it last was. */
  want(atMs: number, heldFor: string = NOBODY): void {
    this.#heldFor = this.#dueMs === NEVER || this.#heldFor === heldFor ? heldFor : NOBODY;
    this.#dueMs = Math.min(this.#dueMs, Math.max(atMs, this.#lastMulticastMs + MULTICAST_INTERVAL_MS));
  }

  /** Defends the record against a probe: sooner than others may have it (RFC 6762 §6). */
  defend(atMs: number): void {
    this.#heldFor = NOBODY;
    this.#dueMs = Math.min(this.#dueMs, Math.max(atMs, this.#lastMulticastMs + PROBE_ANSWER_INTERVAL_MS));
  }

  /** Waits for the next message with known answers of `querier` (RFC 6762 §7.2). */
  extend(querier: string, untilMs: number): void {
    if (this.isHeldFor(querier)) this.#dueMs = Math.max(this.#dueMs, untilMs);
  }

  isHeldFor(querier: string): boolean {
    return this.#dueMs !== NEVER && this.#heldFor === querier;
  }

  /** Cancels the multicast: no querier needs it any more. */
  cancel(): void {
    this.#dueMs = NEVER;
    this.#heldFor = NOBODY;
  }

  /** Whether it goes along with a message that is sent at `nowMs`: due, or wanted and free to go early. */
  goesAlong(nowMs: number): boolean {
    if (this.#dueMs <= nowMs) return true;
    return this.#dueMs !== NEVER && this.#heldFor === NOBODY && this.mayBeMulticast(nowMs);
  }

  /** Not multicast within the last second. */
  mayBeMulticast(nowMs: number): boolean {
    return nowMs - this.#lastMulticastMs >= MULTICAST_INTERVAL_MS;
  }

  /** Multicast within the last quarter of its life, so that caches are fresh (RFC 6762 §5.4). */
  isFresh(nowMs: number): boolean {
    return nowMs - this.#lastMulticastMs < this.record.ttlSeconds * 250;
  }

  /** The record was multicast. */
  sent(nowMs: number): void {
    this.#lastMulticastMs = nowMs;
    this.cancel();
  }
}
