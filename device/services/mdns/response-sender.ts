/**
 * Writes and sends responses: answers, then the records that the querier will ask for next (RFC 6763 §12), as far as
 * they fit. Answers that do not fit go into further messages.
 */
import { type Claim, HostClaim, ServiceClaim } from "./claim.js";
import { ADDITIONAL, ANSWER, type DnsReader, QUESTION } from "./dns-reader.js";
import { FLAG_TRUNCATED, FLAGS_RESPONSE, TYPE_SRV } from "./dns-types.js";
import type { DnsWriter, RecordForm } from "./dns-writer.js";
import { sameName } from "./domain-name.js";
import { LEGACY_TTL_SECONDS } from "./limits.js";
import type { Outlet, Peer } from "./outlet.js";
import type { OwnedRecord } from "./owned-record.js";
import type { Answer } from "./query-answers.js";
import { type ResourceRecord, sameData } from "./resource-record.js";

type FormOf = (record: ResourceRecord) => RecordForm;

export class ResponseSender {
  readonly #writer: DnsWriter;
  readonly #outlet: Outlet;

  constructor(writer: DnsWriter, outlet: Outlet) {
    this.#writer = writer;
    this.#outlet = outlet;
  }

  /** Multicasts every record of `claims` that is due, and what may go along with it. */
  multicastDue(claims: readonly Claim[], nowMs: number): void {
    const answers = dueAnswers(claims, nowMs);
    for (let from = 0, to = 0; from < answers.length; from = to) {
      this.#writer.begin(0, FLAGS_RESPONSE);
      to = this.#writeAnswers(answers, from, multicastForm);
      for (const { owned } of answers.slice(from, to)) owned.sent(nowMs);
      for (const owned of companions(answers.slice(from, to)))
        if (owned.mayBeMulticast(nowMs) && this.#writeAdditional(owned, multicastForm)) owned.sent(nowMs);
      if (this.#writer.count(ANSWER) > 0) this.#outlet.multicast(this.#writer.message);
    }
  }

  /** Answers one querier (RFC 6762 §5.4). The reader still holds the query. */
  unicast(answers: readonly Answer[], reader: DnsReader, to: Peer): void {
    for (let from = 0, end = 0; from < answers.length; from = end) {
      this.#writer.begin(reader.id, FLAGS_RESPONSE);
      end = this.#writeAnswers(answers, from, multicastForm);
      for (const owned of companions(answers.slice(from, end))) this.#writeAdditional(owned, multicastForm);
      this.#outlet.unicast(this.#writer.message, to);
    }
  }

  /** Answers a plain DNS resolver as a DNS server would: one message, with its questions (RFC 6762 §6.7). */
  legacyUnicast(answers: readonly Answer[], reader: DnsReader, to: Peer): void {
    this.#writer.begin(reader.id, FLAGS_RESPONSE);
    reader.rewind();
    while (reader.next() && reader.section === QUESTION)
      this.#writer.question(reader.copyName(), reader.type, reader.hasTopBit);
    const end = this.#writeAnswers(answers, 0, legacyForm);
    if (end < answers.length) this.#writer.addFlags(FLAG_TRUNCATED);
    else for (const owned of companions(answers)) this.#writeAdditional(owned, legacyForm);
    this.#outlet.unicast(this.#writer.message, to);
  }

  /** Withdraws the records of `claims` but those that `others` have too (RFC 6762 §10.1). */
  goodbye(claims: readonly Claim[], others: readonly Claim[]): void {
    const kept = answersOf(others);
    const answers = announcedOf(claims).filter((answer) => !isRepeated(kept, kept.length, answer));
    for (let from = 0; from < answers.length; ) {
      this.#writer.begin(0, FLAGS_RESPONSE);
      from = this.#writeAnswers(answers, from, goodbyeForm);
      this.#outlet.multicast(this.#writer.message);
    }
  }

  /** @returns the index of the first answer that is left for the next message */
  #writeAnswers(answers: readonly Answer[], from: number, formOf: FormOf): number {
    let at = from;
    for (; at < answers.length; at++) {
      const { owned } = answers[at] as Answer;
      if (isRepeated(answers, at, answers[at] as Answer)) continue;
      if (!this.#writer.record(ANSWER, owned.record, formOf(owned.record))) break;
    }
    // A record too large for any message is passed over, so that the others get through.
    return at === from ? at + 1 : at;
  }

  #writeAdditional({ record }: OwnedRecord, formOf: FormOf): boolean {
    return this.#writer.record(ADDITIONAL, record, formOf(record));
  }
}

function multicastForm(record: ResourceRecord): RecordForm {
  return { ttlSeconds: record.ttlSeconds, cacheFlush: record.isUnique };
}

function goodbyeForm(record: ResourceRecord): RecordForm {
  return { ttlSeconds: 0, cacheFlush: record.isUnique };
}

function legacyForm(record: ResourceRecord): RecordForm {
  const ttlSeconds = Math.min(record.ttlSeconds, LEGACY_TTL_SECONDS);
  return { ttlSeconds, cacheFlush: false, plainService: true };
}

function announcedOf(claims: readonly Claim[]): Answer[] {
  return answersOf(claims).filter(({ claim, owned }) => claim.announced.includes(owned));
}

function dueAnswers(claims: readonly Claim[], nowMs: number): Answer[] {
  return answersOf(claims).filter(({ owned }) => owned.goesAlong(nowMs));
}

function answersOf(claims: readonly Claim[]): Answer[] {
  return claims
    .filter((claim) => claim.isOurs)
    .flatMap((claim) => claim.records.map((owned) => ({ claim, owned })));
}

/** Two services of one type have one record in the list of types; a message holds it once. */
function isRepeated(answers: readonly Answer[], before: number, { owned: { record } }: Answer): boolean {
  if (record.isUnique) return false;
  for (let index = 0; index < before; index++) {
    const other = (answers[index] as Answer).owned.record;
    if (sameName(other.name, record.name) && sameData(other, record)) return true;
  }
  return false;
}

/** Records to send along with `answers`, none of which is among them, and none twice. */
function companions(answers: readonly Answer[]): OwnedRecord[] {
  const found: OwnedRecord[] = [];
  for (const answer of answers)
    for (const claim of companionClaims(answer))
      for (const owned of claim.records) {
        if (!claim.isOurs || !owned.record.isUnique || found.includes(owned)) continue;
        if (!answers.some((other) => other.owned === owned)) found.push(owned);
      }
  return found;
}

/** RFC 6763 §12: with a pointer all of the instance, with SRV the host, with an address the other one. */
function companionClaims({ claim, owned: { record } }: Answer): readonly Claim[] {
  if (claim instanceof HostClaim) return [claim];
  if (!(claim instanceof ServiceClaim)) return [];
  if (record.data === claim.name) return [claim, claim.host];
  return record.type === TYPE_SRV ? [claim.host] : [];
}
