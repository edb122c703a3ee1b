/**
 * Browses for services of one type (RFC 6763 §4) without a socket and without a timer, like the responder:
 * messages and the time go in, queries and events come out, `dueMs` is the time of its next call.
 */
import type { DnsReader } from "./dns-reader.js";
import { QUESTION } from "./dns-reader.js";
import { CLASS_IN, TYPE_A, TYPE_AAAA, TYPE_PTR, TYPE_SRV, TYPE_TXT } from "./dns-types.js";
import type { DnsWriter } from "./dns-writer.js";
import { type DomainName, domainName } from "./domain-name.js";
import { readService, type ServiceData } from "./found-service.js";
import { MDNS_PORT, SHARED_DELAY_HIGH_MS, SHARED_DELAY_LOW_MS } from "./limits.js";
import { asked, type OpenQuestion, openQuestion, type Question, sameQuestion } from "./open-question.js";
import type { Outlet, Peer } from "./outlet.js";
import { sendQuery } from "./query-sender.js";
import type { RandomDelay } from "./random-delay.js";
import { type CachedRecord, RecordCache } from "./record-cache.js";
import type { ServiceType } from "./service-type.js";

/** A service appeared complete, changed, or is gone (with what was last known of it). */
export interface BrowserEvent {
  readonly kind: "up" | "update" | "down";
  readonly service: ServiceData;
}

/** Records lead to records, so a message is read in this order, regardless of its own. */
const PASSES: readonly (readonly number[])[] = Object.freeze([
  Object.freeze([TYPE_PTR]),
  Object.freeze([TYPE_SRV, TYPE_TXT]),
  Object.freeze([TYPE_A, TYPE_AAAA]),
]);

export class ServiceBrowser {
  readonly #type: ServiceType;
  readonly #name: DomainName;
  readonly #writer: DnsWriter;
  readonly #outlet: Outlet;
  readonly #delay: RandomDelay;
  readonly #onEvent: (event: BrowserEvent) => void;
  readonly #cache: RecordCache;
  /** By full name; the text is the service as JSON, to tell a change. */
  readonly #found = new Map<string, { readonly text: string; readonly service: ServiceData }>();
  #questions: OpenQuestion[] = [];

  constructor(
    type: ServiceType,
    writer: DnsWriter,
    outlet: Outlet,
    delay: RandomDelay,
    onEvent: (event: BrowserEvent) => void,
  ) {
    this.#type = type;
    this.#name = domainName(...type.toLabels(), "local");
    this.#writer = writer;
    this.#outlet = outlet;
    this.#delay = delay;
    this.#onEvent = onEvent;
    this.#cache = new RecordCache(delay);
  }

  get dueMs(): number {
    return this.#questions.reduce((due, { dueMs }) => Math.min(due, dueMs), this.#cache.dueMs);
  }

  /** Asks from the start, after 20 to 120 ms (RFC 6762 §5.2). */
  discover(nowMs: number): void {
    const question = { name: this.#name, type: TYPE_PTR };
    this.#questions = this.#questions.filter((other) => !sameQuestion(other, question));
    this.#questions.push(openQuestion(question, nowMs + this.#firstDelayMs()));
  }

  /** Forgets all; what was found is down. */
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

  /** Takes a message that the reader has loaded. */
  receive(reader: DnsReader, from: Peer, nowMs: number): void {
    if (!reader.isResponse || from.port !== MDNS_PORT) return;
    for (const types of PASSES) {
      reader.rewind();
      while (reader.next()) {
        if (reader.section === QUESTION || reader.classCode !== CLASS_IN) continue;
        if (types.includes(reader.type) && this.#leadsTo(reader.type, (name) => reader.nameIs(name)))
          this.#cache.put(reader, nowMs);
      }
    }
    this.#settle(nowMs);
  }

  /** Whether records of `type` under the name that `isName` knows belong to what is looked for. */
  #leadsTo(type: number, isName: (name: DomainName) => boolean): boolean {
    if (type === TYPE_PTR) return isName(this.#name);
    if (this.#type.isWildcard()) return false;
    if (type === TYPE_SRV || type === TYPE_TXT)
      return this.#cache.ofType(TYPE_PTR).some(({ data }) => isName(data));
    return this.#cache.ofType(TYPE_SRV).some(({ data }) => isName(data.subarray(6)));
  }

  #leadsToRecord = (record: CachedRecord): boolean =>
    this.#leadsTo(record.type, (name) => sameQuestion(record, { name, type: record.type }));

  /** Brings what is found and what is asked in line with the cache. */
  #settle(nowMs: number): void {
    this.#cache.forget(nowMs, this.#leadsToRecord);
    const missing: Question[] = [];
    const gone = new Set(this.#found.keys());
    for (const { data: instance } of this.#cache.all(this.#name, TYPE_PTR)) {
      const service = readService(instance, this.#type, this.#cache, missing);
      if (service === undefined) continue;
      gone.delete(service.fullname);
      this.#note(service);
    }
    for (const fullname of gone) this.#drop(fullname);
    this.#ask(missing, nowMs);
  }

  #note(service: ServiceData): void {
    const text = JSON.stringify(service);
    const known = this.#found.get(service.fullname);
    if (known?.text === text) return;
    this.#found.set(service.fullname, { text, service });
    this.#onEvent({ kind: known ? "update" : "up", service });
  }

  #drop(fullname: string): void {
    const known = this.#found.get(fullname);
    this.#found.delete(fullname);
    if (known) this.#onEvent({ kind: "down", service: known.service });
  }

  /** Keeps the questions that are still open, and opens those that are new. */
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
