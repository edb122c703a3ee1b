/**
 * Discovers services of a type (RFC 6763 §4): sends queries at growing intervals (RFC 6762 §5.2), caches the answers,
 * and finds the services that are complete.
 */
import {
  ANSWER,
  CLASS_IN,
  type DnsReader,
  type DnsWriter,
  FLAG_TRUNCATED,
  FLAGS_QUERY,
  MDNS_PORT,
  type Outlet,
  type Peer,
  QUESTION,
  type ResourceRecord,
  SHARED_DELAY_HIGH_MS,
  SHARED_DELAY_LOW_MS,
  TYPE_A,
  TYPE_AAAA,
  TYPE_PTR,
  TYPE_SRV,
  TYPE_TXT,
} from "../services/mdns/dns-message.js";
import { type DomainName, domainName, sameName } from "../services/mdns/domain-name.js";
import type { MdnsEngine } from "../services/mdns/mdns-engine.js";
import type { RandomDelay } from "../services/mdns/resource-record.js";
import type { ServiceType } from "../services/mdns/service-type.js";
import { type CachedRecord, RecordCache } from "./record-cache.js";
import {
  copyOfType,
  type FoundService,
  findService,
  findType,
  hostOf,
  type Question,
} from "./service-data.js";

/** RFC 6762 §5.2: the second query follows after one second; each further interval doubles, up to an hour. */
const QUERY_INTERVAL_MS = 1000;

const QUERY_INTERVAL_LIMIT_MS = 3_600_000;

// A question that is repeated until it is answered: after 1 s, 2 s, 4 s … up to an hour (RFC 6762 §5.2).

interface OpenQuestion extends Question {
  readonly dueMs: number;
  /** Interval between the query at `dueMs` and the next one. */
  readonly intervalMs: number;
}

/** Opens a question that is first due at `atMs`. */
function openQuestion({ name, type }: Question, atMs: number): OpenQuestion {
  return { name, type, dueMs: atMs, intervalMs: QUERY_INTERVAL_MS };
}

/** Schedules the question again after a query. */
function asked(question: OpenQuestion, nowMs: number): OpenQuestion {
  const { name, type, intervalMs } = question;
  return {
    name,
    type,
    dueMs: nowMs + intervalMs,
    intervalMs: Math.min(intervalMs * 2, QUERY_INTERVAL_LIMIT_MS),
  };
}

function sameQuestion(one: Question, other: Question): boolean {
  return one.type === other.type && sameName(one.name, other.name);
}

// Writes and sends queries with their known answers (RFC 6762 §5.2, §7.1, §7.2).

/** Sends all `questions` with their known answers, in as few messages as possible. */
function sendQuery(
  questions: readonly Question[],
  cache: RecordCache,
  nowMs: number,
  writer: DnsWriter,
  outlet: Outlet,
): void {
  let rest = withoutRepeats(questions);
  while (rest.length > 0) {
    writer.begin(0, FLAGS_QUERY);
    const count = writeQuestions(rest, writer);
    const known = rest.slice(0, count).flatMap((question) => knownAnswers(question, cache, nowMs));
    writeKnownAnswers(known, nowMs, writer, outlet);
    outlet.multicast(writer.message);
    rest = rest.slice(count);
  }
}

function withoutRepeats(questions: readonly Question[]): Question[] {
  return questions.filter(
    (question, index) => questions.findIndex((other) => sameQuestion(question, other)) === index,
  );
}

/** @returns how many questions fit; at least one, since a name has at most 255 bytes */
function writeQuestions(questions: readonly Question[], writer: DnsWriter): number {
  const left = questions.findIndex(({ name, type }) => !writer.question(name, type, false));
  return left < 0 ? questions.length : left;
}

/** Writes the known answers. Sends each full message; the caller sends the last one. */
function writeKnownAnswers(
  known: readonly CachedRecord[],
  nowMs: number,
  writer: DnsWriter,
  outlet: Outlet,
): void {
  for (const record of known) {
    if (writeKnown(record, nowMs, writer)) continue;
    writer.addFlags(FLAG_TRUNCATED);
    outlet.multicast(writer.message);
    writer.begin(0, FLAGS_QUERY);
    writeKnown(record, nowMs, writer);
  }
}

/** Shared records with more than half of their TTL left; peers must send the others again (RFC 6762 §7.1). */
function knownAnswers({ name, type }: Question, cache: RecordCache, nowMs: number): CachedRecord[] {
  if (type !== TYPE_PTR) return [];
  return cache.all(name, type).filter((record) => remainingSeconds(record, nowMs) * 2 > record.ttlSeconds);
}

function writeKnown(known: CachedRecord, nowMs: number, writer: DnsWriter): boolean {
  const ttlSeconds = remainingSeconds(known, nowMs);
  const record: ResourceRecord = { ...known, ttlSeconds, isUnique: false };
  return writer.record(ANSWER, record, { ttlSeconds, cacheFlush: false });
}

function remainingSeconds({ expiresMs }: CachedRecord, nowMs: number): number {
  return Math.max(0, Math.floor((expiresMs - nowMs) / 1000));
}

/** Order in which to read the records of a message, whatever their order there: each type refers to the next. */
const PASSES: readonly (readonly number[])[] = Object.freeze([
  Object.freeze([TYPE_PTR]),
  Object.freeze([TYPE_SRV, TYPE_TXT]),
  Object.freeze([TYPE_A, TYPE_AAAA]),
]);

export class ServiceBrowser {
  /** A copy: that of the caller may change. */
  readonly type: ServiceType;
  readonly #name: DomainName;
  readonly #writer: DnsWriter;
  readonly #outlet: Outlet;
  readonly #delay: RandomDelay;
  readonly #onChange: () => void;
  readonly #cache: RecordCache;
  #questions: OpenQuestion[] = [];

  /**
   * @param engine asks and answers for the memory of each record
   * @param onChange called when services may have changed, within the call that changed them
   * @throws {RangeError} for a subtype that is no label
   */
  constructor(
    type: ServiceType,
    engine: Pick<MdnsEngine, "writer" | "link" | "delay" | "hasRoomToStay">,
    onChange: () => void,
  ) {
    this.type = copyOfType(type);
    this.#name = domainName(...subtypeLabels(type), ...type.toLabels(), "local");
    this.#writer = engine.writer;
    this.#outlet = engine.link;
    this.#delay = engine.delay;
    this.#onChange = onChange;
    this.#cache = new RecordCache(engine);
  }

  /** The records that name services, complete or not: no more than the cache has. */
  get pointers(): readonly CachedRecord[] {
    return this.#cache.all(this.#name, TYPE_PTR);
  }

  /** The service that a record names. @returns `undefined` if it is gone or not complete */
  find(pointer: CachedRecord): FoundService | undefined {
    if (!this.#cache.has(pointer)) return undefined;
    return this.type.isWildcard() ? findType(pointer) : findService(pointer, this.#cache, []);
  }

  get dueMs(): number {
    return this.#questions.reduce((due, { dueMs }) => Math.min(due, dueMs), this.#cache.dueMs);
  }

  /** Starts the series of queries anew, after a delay of 20 to 120 ms (RFC 6762 §5.2). */
  discover(nowMs: number): void {
    const question = { name: this.#name, type: TYPE_PTR };
    this.#questions = this.#questions.filter((other) => !sameQuestion(other, question));
    this.#questions.push(openQuestion(question, nowMs + this.#firstDelayMs()));
  }

  /** Clears the cache: no service is known any more. */
  reset(nowMs: number): void {
    this.#cache.clear();
    this.#settle(nowMs);
  }

  tick(nowMs: number): void {
    this.#settle(nowMs);
    const due: Question[] = this.#questions.filter(({ dueMs }) => dueMs <= nowMs);
    this.#questions = this.#questions.map((question) =>
      question.dueMs <= nowMs ? asked(question, nowMs) : question,
    );
    sendQuery([...due, ...this.#cache.takeRefreshes(nowMs)], this.#cache, nowMs, this.#writer, this.#outlet);
  }

  /** Processes the message that `reader` has loaded. */
  receive(reader: DnsReader, from: Peer, nowMs: number): void {
    if (!reader.isResponse || from.port !== MDNS_PORT) return;
    let hasNews = false;
    for (const types of PASSES) {
      reader.rewind();
      while (reader.next()) {
        if (reader.section === QUESTION || reader.classCode !== CLASS_IN) continue;
        if (!types.includes(reader.type) || !this.#leadsTo(reader.type, (name) => reader.nameIs(name)))
          continue;
        this.#cache.put(reader, from.address, nowMs);
        hasNews = true;
      }
    }
    if (hasNews) this.#settle(nowMs);
  }

  /** Whether a record of `type` belongs to a service of this browser. @param isName compares the record's name */
  #leadsTo(type: number, isName: (name: DomainName) => boolean): boolean {
    if (type === TYPE_PTR) return isName(this.#name);
    if (this.type.isWildcard()) return false;
    if (type === TYPE_SRV || type === TYPE_TXT)
      return this.#cache.ofType(TYPE_PTR).some(({ data }) => isName(data));
    return this.#cache.ofType(TYPE_SRV).some((service) => isName(hostOf(service)));
  }

  #leadsToRecord = (record: CachedRecord): boolean =>
    this.#leadsTo(record.type, (name) => sameQuestion(record, { name, type: record.type }));

  /** Updates the open questions from the cache. */
  #settle(nowMs: number): void {
    this.#cache.forget(nowMs, this.#leadsToRecord);
    const missing: Question[] = [];
    if (!this.type.isWildcard())
      for (const pointer of this.pointers) findService(pointer, this.#cache, missing);
    this.#ask(missing, nowMs);
    this.#onChange();
  }

  /** Drops the questions that are answered, and opens the new ones. */
  #ask(missing: readonly Question[], nowMs: number): void {
    const browsing = { name: this.#name, type: TYPE_PTR };
    const kept = this.#questions.filter((open) =>
      [browsing, ...missing].some((other) => sameQuestion(open, other)),
    );
    const fresh = missing.filter((question) => !kept.some((open) => sameQuestion(open, question)));
    this.#questions = [
      ...kept,
      ...fresh.map((question) => openQuestion(question, nowMs + this.#firstDelayMs())),
    ];
  }

  #firstDelayMs(): number {
    return this.#delay.between(SHARED_DELAY_LOW_MS, SHARED_DELAY_HIGH_MS);
  }
}

/**
 * The labels before a type that select one subtype (RFC 6763 §7.1): `_printer._sub`. There is no query for several; the
 * first one counts. Subtypes of mdns-js have lost their underscore where they were given in parts.
 */
function subtypeLabels({ subtypes: [subtype] }: ServiceType): readonly string[] {
  if (subtype === undefined) return [];
  return [subtype.startsWith("_") ? subtype : `_${subtype}`, "_sub"];
}
