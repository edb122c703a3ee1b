/**
 * Answers queries (RFC 6762 §6): selects answers from the owned records, omits the querier's known answers, and sends
 * them immediately, or after a random delay for shared records. Each record is multicast at most once a second.
 */

import type { Logger } from "../logs/log-line.js";
import {
  type Claim,
  ConflictHistory,
  HostClaim,
  isContestedBy,
  losesTiebreak,
  noteAnswer,
  ServiceClaim,
  sendProbe,
} from "./claim.js";
import {
  ADDITIONAL,
  ANSWER,
  AUTHORITY,
  CLASS_ANY,
  CLASS_IN,
  type DnsReader,
  type DnsWriter,
  FLAG_TRUNCATED,
  FLAGS_RESPONSE,
  MDNS_PORT,
  type Outlet,
  type Peer,
  PROBE_INTERVAL_MS,
  QUESTION,
  type RecordForm,
  type ResourceRecord,
  SHARED_DELAY_HIGH_MS,
  SHARED_DELAY_LOW_MS,
  TYPE_ANY,
  TYPE_NSEC,
  TYPE_SRV,
} from "./dns-message.js";
import { type DomainName, nameText, sameName } from "./domain-name.js";
import { type OwnedRecord, type RandomDelay, sameData } from "./resource-record.js";

/** Concurrent advertisements. The console itself uses one. */
const ADVERTISEMENT_LIMIT = 8;

/** RFC 6762 §6.7: greatest TTL in answers to legacy queriers (plain DNS resolvers). */
const LEGACY_TTL_SECONDS = 10;

/** RFC 6762 §8.2: the loser of a tiebreak probes again after a second. */
const TIEBREAK_DELAY_MS = 1000;

/** RFC 6762 §7.2: random delay while more known answers are expected. */
const TRUNCATED_DELAY_LOW_MS = 400;

const TRUNCATED_DELAY_HIGH_MS = 500;

// Selects the records that answer a query (RFC 6762 §6): by name and type, or `NSEC` if the name is ours but has no
// record of the type (§6.1), without the querier's known answers (§7.1).

interface Answer {
  readonly claim: Claim;
  readonly owned: OwnedRecord;
}

/** An answer to a query. `wantsUnicast`: every matching question requests a unicast answer (RFC 6762 §5.4). */
interface WantedAnswer extends Answer {
  wantsUnicast: boolean;
}

/** Answers to the questions in `reader` from the names that are ours, whatever the position of the reader. */
function answersTo(reader: DnsReader, claims: readonly Claim[]): WantedAnswer[] {
  const answers: WantedAnswer[] = [];
  reader.rewind(true);
  while (reader.next() && reader.section === QUESTION) {
    if (reader.classCode !== CLASS_IN && reader.classCode !== CLASS_ANY) continue;
    for (const claim of claims) if (claim.isOurs) addAnswers(answers, reader, claim);
  }
  return answers.length === 0 ? answers : answers.filter(({ owned }) => !isKnown(reader, owned));
}

function addAnswers(answers: WantedAnswer[], reader: DnsReader, claim: Claim): void {
  let isAnswered = false;
  let compared: DomainName | undefined;
  let isAsked = false; // result for `compared`: records of one name are adjacent
  for (const owned of claim.records) {
    if (!matchesType(reader, owned)) continue;
    if (owned.record.name !== compared) {
      compared = owned.record.name;
      isAsked = reader.nameIs(compared);
    }
    if (!isAsked) continue;
    addAnswer(answers, { claim, owned, wantsUnicast: reader.hasTopBit });
    isAnswered = true;
  }
  if (isAnswered || !reader.nameIs(claim.name)) return;
  const denial = claim.records.find(({ record }) => record.type === TYPE_NSEC);
  if (denial) addAnswer(answers, { claim, owned: denial, wantsUnicast: reader.hasTopBit });
}

/** `TYPE_ANY` matches all records but the denial, which answers only if no other record does. */
function matchesType(reader: DnsReader, { record }: OwnedRecord): boolean {
  return reader.type === record.type || (reader.type === TYPE_ANY && record.type !== TYPE_NSEC);
}

function addAnswer(answers: WantedAnswer[], answer: WantedAnswer): void {
  const twin = answers.find(({ owned }) => owned === answer.owned);
  if (twin === undefined) answers.push(answer);
  else twin.wantsUnicast &&= answer.wantsUnicast;
}

/** Whether the known answers of a query contain the record with at least half of its TTL (RFC 6762 §7.1). */
function isKnown(reader: DnsReader, { record }: OwnedRecord): boolean {
  reader.rewind(true);
  while (reader.next() && reader.section <= ANSWER) {
    if (reader.section !== ANSWER || reader.type !== record.type || reader.classCode !== CLASS_IN) continue;
    if (reader.ttlSeconds * 2 < record.ttlSeconds) continue;
    if (reader.nameIs(record.name) && reader.dataIs(record.data)) return true;
  }
  return false;
}

// Writes and sends responses: the answers, then additional records, which the querier needs next (RFC 6763 §12), as far
// as they fit. Answers that do not fit go into further messages.

type FormOf = (record: ResourceRecord) => RecordForm;

class ResponseSender {
  readonly #writer: DnsWriter;
  readonly #outlet: Outlet;

  constructor(writer: DnsWriter, outlet: Outlet) {
    this.#writer = writer;
    this.#outlet = outlet;
  }

  /** Multicasts the due records of `claims`, with their additional records. */
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

  /** Answers one querier by unicast (RFC 6762 §5.4). `reader` must still hold the query. */
  unicast(answers: readonly Answer[], reader: DnsReader, to: Peer): void {
    for (let from = 0, end = 0; from < answers.length; from = end) {
      this.#writer.begin(reader.id, FLAGS_RESPONSE);
      end = this.#writeAnswers(answers, from, multicastForm);
      for (const owned of companions(answers.slice(from, end))) this.#writeAdditional(owned, multicastForm);
      this.#outlet.unicast(this.#writer.message, to);
    }
  }

  /** Answers a plain DNS resolver as a DNS server does: one message that repeats the questions (RFC 6762 §6.7). */
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

  /** Withdraws the records of `claims`, except those that `others` also have (RFC 6762 §10.1). */
  goodbye(claims: readonly Claim[], others: readonly Claim[]): void {
    const kept = answersOf(others);
    const answers = announcedOf(claims).filter((answer) => !isRepeated(kept, kept.length, answer));
    for (let from = 0; from < answers.length; ) {
      this.#writer.begin(0, FLAGS_RESPONSE);
      from = this.#writeAnswers(answers, from, goodbyeForm);
      this.#outlet.multicast(this.#writer.message);
    }
  }

  /** Writes answers from index `from`. @returns the index of the first answer for the next message */
  #writeAnswers(answers: readonly Answer[], from: number, formOf: FormOf): number {
    let at = from;
    for (; at < answers.length; at++) {
      const { owned } = answers[at] as Answer;
      if (isRepeated(answers, at, answers[at] as Answer)) continue;
      if (!this.#writer.record(ANSWER, owned.record, formOf(owned.record))) break;
    }
    // A record too large for any message is skipped, so that the others are sent.
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

/** Whether an earlier answer is the same shared record. Services of one type share a record in the list of types. */
function isRepeated(answers: readonly Answer[], before: number, { owned: { record } }: Answer): boolean {
  if (record.isUnique) return false;
  for (let index = 0; index < before; index++) {
    const other = (answers[index] as Answer).owned.record;
    if (sameName(other.name, record.name) && sameData(other, record)) return true;
  }
  return false;
}

/** Additional records for `answers`: none that `answers` contain, and none twice. */
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

/** RFC 6763 §12: PTR adds the instance and its host, SRV adds the host, an address adds the host's other addresses. */
function companionClaims({ claim, owned: { record } }: Answer): readonly Claim[] {
  if (claim instanceof HostClaim) return [claim];
  if (!(claim instanceof ServiceClaim)) return [];
  if (record.data === claim.name) return [claim, claim.host];
  return record.type === TYPE_SRV ? [claim.host] : [];
}

// Decides how to answer a query: by unicast immediately, or by multicast at which time (RFC 6762 §5.4, §6, §7.2).

class QueryHandler {
  readonly #sender: ResponseSender;
  readonly #delay: RandomDelay;

  constructor(sender: ResponseSender, delay: RandomDelay) {
    this.#sender = sender;
    this.#delay = delay;
  }

  /** Sends unicast answers immediately; schedules multicast answers in the records of `claims`. */
  receive(reader: DnsReader, claims: readonly Claim[], from: Peer, nowMs: number): void {
    if (reader.count(QUESTION) === 0) this.#takeKnownAnswers(reader, claims, from, nowMs);
    const answers = answersTo(reader, claims);
    if (answers.length === 0) return;
    if (from.port !== MDNS_PORT) this.#sender.legacyUnicast(answers, reader, from);
    else this.#answer(answers, reader, from, nowMs);
  }

  /** Answers by unicast if the querier requests it and the last multicast is recent (RFC 6762 §5.4). */
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
    // RFC 6762 §6: no delay if no other responder can answer; §6.3: but delay if there are several questions.
    const isOnlyOurs = reader.count(QUESTION) === 1 && answers.every(({ owned }) => owned.record.isUnique);
    const delayMs = isOnlyOurs ? 0 : this.#delay.between(SHARED_DELAY_LOW_MS, SHARED_DELAY_HIGH_MS);
    for (const { owned } of answers) owned.want(nowMs + delayMs);
  }

  /** Processes further known answers of a query that was too long for one message (RFC 6762 §7.2). */
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

/** A service to publish: an instance on one of our hosts. */
export interface Service {
  /** Label of the instance. */
  readonly name: string;
  /** Label of the host; services with the same label share the host. */
  readonly host: string;
  /** Labels of the type, for instance `_svc`, `_tcp`. */
  readonly type: readonly string[];
  readonly port: number;
  /** Data of the TXT record. */
  readonly text: Uint8Array;
}

export class Responder {
  readonly #writer: DnsWriter;
  readonly #outlet: Outlet;
  readonly #sender: ResponseSender;
  readonly #queries: QueryHandler;
  readonly #delay: RandomDelay;
  readonly #log: Logger;
  readonly #conflicts = new ConflictHistory();
  readonly #onNames: (names: readonly DomainName[]) => void;
  #claims: Claim[] = [];
  #addresses: readonly Uint8Array[] = [];

  /** @param onNames receives the names of all our records whenever they change */
  constructor(
    writer: DnsWriter,
    outlet: Outlet,
    delay: RandomDelay,
    log: Logger,
    onNames: (names: readonly DomainName[]) => void,
  ) {
    this.#writer = writer;
    this.#outlet = outlet;
    this.#onNames = onNames;
    this.#sender = new ResponseSender(writer, outlet);
    this.#queries = new QueryHandler(this.#sender, delay);
    this.#delay = delay;
    this.#log = log;
  }

  /** Time at which to call `tick`, `Infinity` if nothing is scheduled. */
  get dueMs(): number {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const claim of this.#claims) {
      dueMs = Math.min(dueMs, claim.dueMs);
      if (claim.isOurs) for (const owned of claim.records) dueMs = Math.min(dueMs, owned.dueMs);
    }
    return dueMs;
  }

  /** Whether nothing is published. */
  get isIdle(): boolean {
    return this.#claims.length === 0;
  }

  /**
   * Claims the names of a service, and answers queries once they are ours.
   * @throws {RangeError} past {@link ADVERTISEMENT_LIMIT}, or for labels that do not form a valid name
   */
  publish(service: Service, nowMs: number): ServiceClaim {
    if (this.#claims.filter((claim) => claim instanceof ServiceClaim).length >= ADVERTISEMENT_LIMIT)
      throw new RangeError(`Cannot advertise more than ${ADVERTISEMENT_LIMIT} services`);
    const host = this.#hostOf(service.host) ?? new HostClaim(service.host, this.#addresses);
    const claim = new ServiceClaim(host, service.name, service.type, service.port, service.text);
    if (host.users++ === 0) this.#claims.push(host);
    this.#claims.push(claim);
    this.#noteNames();
    this.#probe([claim, ...(host.phase.phase === "idle" ? [host] : [])], nowMs);
    return claim;
  }

  /** Withdraws a service with a goodbye, and its host if no other service uses it (RFC 6762 §10.1). */
  withdraw(claim: ServiceClaim): void {
    if (!this.#claims.includes(claim)) return;
    claim.host.users--;
    const leaving: Claim[] = claim.host.users === 0 ? [claim, claim.host] : [claim];
    this.#claims = this.#claims.filter((other) => !leaving.includes(other));
    this.#sender.goodbye(leaving, this.#claims);
    for (const gone of leaving) gone.advance({ kind: "stop" });
    this.#noteNames();
  }

  /** Withdraws every service with a goodbye. */
  withdrawAll(): void {
    this.#sender.goodbye(this.#claims, []);
    this.#claims = [];
    this.#noteNames();
  }

  /**
   * Changes the console's addresses. All names are probed for and announced again, as after a change of the link
   * (RFC 6762 §8.1 and §8.4); without an address, everything pauses. A goodbye comes first, for the hosts that the new
   * announcement may not reach; to a network that is gone, it is lost.
   * @param addresses 4 or 16 bytes each
   */
  move(addresses: readonly Uint8Array[], nowMs: number): void {
    this.#sender.goodbye(this.#claims, []);
    this.#addresses = addresses;
    for (const claim of this.#claims) {
      claim.advance({ kind: "stop" });
      if (claim instanceof HostClaim) claim.move(addresses);
      else claim.rebuild();
    }
    this.#noteNames();
    this.#probe(this.#claims, nowMs);
  }

  /** Sends the probes and records that are due. */
  tick(nowMs: number): void {
    const probing: Claim[] = [];
    for (const claim of this.#claims) {
      if (claim.dueMs > nowMs) continue;
      const wasOurs = claim.isOurs;
      claim.advance({ kind: "due", nowMs });
      if (claim.isProbing) probing.push(claim);
      else for (const owned of claim.announced) owned.want(nowMs);
      if (claim.isOurs && !wasOurs) this.#won(claim);
    }
    sendProbe(probing, this.#writer, this.#outlet);
    if (this.dueMs <= nowMs) this.#sender.multicastDue(this.#claims, nowMs);
  }

  /** Processes the message that `reader` has loaded. One without our names changes nothing. */
  receive(reader: DnsReader, from: Peer, nowMs: number): void {
    if (!reader.isResponse) this.#receiveQuery(reader, from, nowMs);
    // RFC 6762 §6: ignore responses from other ports.
    else if (from.port === MDNS_PORT) this.#receiveResponse(reader, nowMs);
  }

  #won(claim: Claim): void {
    this.#conflicts.won();
    this.#log.info(`Advertising ${nameText(claim.name)}`);
  }

  #noteNames(): void {
    this.#onNames(
      this.#claims.flatMap((claim) => [claim.name, ...claim.records.map(({ record }) => record.name)]),
    );
  }

  #hostOf(base: string): HostClaim | undefined {
    return this.#claims.find((claim) => claim instanceof HostClaim && claim.base === base) as
      | HostClaim
      | undefined;
  }

  /** RFC 6762 §8.1: the delay is random, so that consoles which start together do not probe in step. */
  #probe(claims: readonly Claim[], nowMs: number, leastDelayMs = 0): void {
    if (this.#addresses.length === 0) return;
    const atMs = nowMs + Math.max(leastDelayMs, this.#delay.between(0, PROBE_INTERVAL_MS));
    for (const claim of claims) claim.advance({ kind: "probe", atMs });
  }

  #receiveQuery(reader: DnsReader, from: Peer, nowMs: number): void {
    if (reader.count(AUTHORITY) > 0) this.#breakTies(reader, nowMs);
    this.#queries.receive(reader, this.#claims, from, nowMs);
  }

  #breakTies(reader: DnsReader, nowMs: number): void {
    for (const claim of this.#claims)
      if (claim.isProbing && losesTiebreak(claim, reader)) this.#defer(claim, nowMs + TIEBREAK_DELAY_MS);
  }

  /** Postpones probing of a claim. Services of a host wait with it: their records contain its name. */
  #defer(claim: Claim, atMs: number): void {
    for (const other of [claim, ...this.#servicesOf(claim)])
      if (other.isProbing) other.advance({ kind: "probe", atMs });
  }

  #receiveResponse(reader: DnsReader, nowMs: number): void {
    const contested = new Set<Claim>();
    reader.rewind(true);
    while (reader.next()) {
      if (reader.section === QUESTION || reader.classCode !== CLASS_IN) continue;
      for (const claim of this.#claims) {
        if (isContestedBy(claim, reader)) contested.add(claim);
        else if (claim.isOurs && reader.section === ANSWER) noteAnswer(claim, reader, nowMs);
      }
    }
    for (const claim of contested) this.#resolveConflict(claim, nowMs);
  }

  /** During probing the name is lost; once it is ours, it is first probed for again (RFC 6762 §8.1 and §9). */
  #resolveConflict(claim: Claim, nowMs: number): void {
    const delayMs = this.#conflicts.record(nowMs);
    if (!claim.isProbing) {
      this.#log.warning(`${nameText(claim.name)} is contested`);
      this.#probe([claim], nowMs, delayMs);
      return;
    }
    const taken = nameText(claim.name);
    claim.rename();
    this.#log.warning(`${taken} is taken, trying ${nameText(claim.name)}`);
    const services = this.#servicesOf(claim);
    for (const service of services) service.rebuild();
    this.#noteNames();
    this.#probe([claim, ...services], nowMs, delayMs);
  }

  #servicesOf(host: Claim): Claim[] {
    return this.#claims.filter((claim) => claim instanceof ServiceClaim && claim.host === host);
  }
}
