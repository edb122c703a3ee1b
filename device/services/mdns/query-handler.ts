/**
 * Decides how to answer a query: by unicast immediately, or by multicast and when (RFC 6762 §5.4, §6, §7.2).
 */
import type { Claim } from "./claim.js";
import { AUTHORITY, type DnsReader, QUESTION } from "./dns-reader.js";
import {
  MDNS_PORT,
  SHARED_DELAY_HIGH_MS,
  SHARED_DELAY_LOW_MS,
  TRUNCATED_DELAY_HIGH_MS,
  TRUNCATED_DELAY_LOW_MS,
} from "./limits.js";
import type { Peer } from "./outlet.js";
import { answersTo, isKnown, type WantedAnswer } from "./query-answers.js";
import type { RandomDelay } from "./random-delay.js";
import type { ResponseSender } from "./response-sender.js";

export class QueryHandler {
  readonly #sender: ResponseSender;
  readonly #delay: RandomDelay;

  constructor(sender: ResponseSender, delay: RandomDelay) {
    this.#sender = sender;
    this.#delay = delay;
  }

  /** Answers by unicast here; schedules multicast answers in the records of `claims`. */
  receive(reader: DnsReader, claims: readonly Claim[], from: Peer, nowMs: number): void {
    if (reader.count(QUESTION) === 0) this.#takeKnownAnswers(reader, claims, from, nowMs);
    const answers = answersTo(reader, claims);
    if (answers.length === 0) return;
    if (from.port !== MDNS_PORT) this.#sender.legacyUnicast(answers, reader, from);
    else this.#answer(answers, reader, from, nowMs);
  }

  /** By unicast where the querier wants it and the record was multicast lately (RFC 6762 §5.4). */
  #answer(answers: readonly WantedAnswer[], reader: DnsReader, from: Peer, nowMs: number): void {
    const isUnicast = ({ wantsUnicast, owned }: WantedAnswer) =>
      wantsUnicast && !reader.isTruncated && owned.isFresh(nowMs);
    const multicast = answers.filter((answer) => !isUnicast(answer));
    if (reader.count(AUTHORITY) > 0) for (const { owned } of multicast) owned.defend(nowMs);
    else if (multicast.length > 0) this.#schedule(multicast, reader, from, nowMs);
    const unicast = answers.filter(isUnicast);
    if (unicast.length > 0) this.#sender.unicast(unicast, reader, from);
  }

  #schedule(answers: readonly WantedAnswer[], reader: DnsReader, from: Peer, nowMs: number): void {
    if (reader.isTruncated) {
      const atMs = nowMs + this.#truncatedDelayMs();
      for (const { owned } of answers) owned.want(atMs, from.address);
      return;
    }
    // RFC 6762 §6: immediately where no other responder can answer; §6.3: not where there are several questions.
    const isOnlyOurs = reader.count(QUESTION) === 1 && answers.every(({ owned }) => owned.record.isUnique);
    const delayMs = isOnlyOurs ? 0 : this.#delay.between(SHARED_DELAY_LOW_MS, SHARED_DELAY_HIGH_MS);
    for (const { owned } of answers) owned.want(nowMs + delayMs);
  }

  /** The rest of the known answers of a query that was too long for one message (RFC 6762 §7.2). */
  #takeKnownAnswers(reader: DnsReader, claims: readonly Claim[], from: Peer, nowMs: number): void {
    const untilMs = nowMs + this.#truncatedDelayMs();
    for (const claim of claims)
      for (const owned of claim.records) {
        if (!owned.isHeldFor(from.address)) continue;
        if (isKnown(reader, owned)) owned.cancel();
        else if (reader.isTruncated) owned.extend(from.address, untilMs);
      }
  }

  #truncatedDelayMs(): number {
    return this.#delay.between(TRUNCATED_DELAY_LOW_MS, TRUNCATED_DELAY_HIGH_MS);
  }
}
