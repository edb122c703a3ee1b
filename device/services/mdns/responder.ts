/**
 * The responder of multicast DNS (RFC 6762) without a socket and without a timer: messages and the time go
 * in, messages come out through the outlet, and `dueMs` is the time of its next call.
 */
import type { Logger } from "../logs/log.js";
import { type Claim, HostClaim, ServiceClaim } from "./claim.js";
import { ConflictHistory } from "./conflict-history.js";
import { ANSWER, AUTHORITY, type DnsReader, QUESTION } from "./dns-reader.js";
import { CLASS_IN } from "./dns-types.js";
import type { DnsWriter } from "./dns-writer.js";
import { nameText } from "./domain-name.js";
import { isContestedBy, noteAnswer } from "./heard-record.js";
import { ADVERTISEMENT_LIMIT, MDNS_PORT, PROBE_INTERVAL_MS, TIEBREAK_DELAY_MS } from "./limits.js";
import type { Outlet, Peer } from "./outlet.js";
import { sendProbe } from "./probe-sender.js";
import { QueryHandler } from "./query-handler.js";
import type { RandomDelay } from "./random-delay.js";
import { ResponseSender } from "./response-sender.js";
import { losesTiebreak } from "./tiebreak.js";

/** What is published: an instance of a service on a host of ours. */
export interface Service {
  /** Label of the instance. */
  readonly name: string;
  /** Label of the host; services that give the same share it. */
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
  #claims: Claim[] = [];
  #addresses: readonly Uint8Array[] = [];

  constructor(writer: DnsWriter, outlet: Outlet, delay: RandomDelay, log: Logger) {
    this.#writer = writer;
    this.#outlet = outlet;
    this.#sender = new ResponseSender(writer, outlet);
    this.#queries = new QueryHandler(this.#sender, delay);
    this.#delay = delay;
    this.#log = log;
  }

  /** When to call `tick`, `Infinity` while nothing is due. */
  get dueMs(): number {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const claim of this.#claims) {
      dueMs = Math.min(dueMs, claim.dueMs);
      if (claim.isOurs) for (const owned of claim.records) dueMs = Math.min(dueMs, owned.dueMs);
    }
    return dueMs;
  }

  /** Nothing is published. */
  get isIdle(): boolean {
    return this.#claims.length === 0;
  }

  /**
   * Claims the names of a service; answers are given once they are ours.
   * @throws {RangeError} past {@link ADVERTISEMENT_LIMIT}, or for labels that make no name
   */
  publish(service: Service, nowMs: number): ServiceClaim {
    if (this.#claims.filter((claim) => claim instanceof ServiceClaim).length >= ADVERTISEMENT_LIMIT)
      throw new RangeError(`Cannot advertise more than ${ADVERTISEMENT_LIMIT} services`);
    const host = this.#hostOf(service.host) ?? new HostClaim(service.host, this.#addresses);
    const claim = new ServiceClaim(host, service.name, service.type, service.port, service.text);
    if (host.users++ === 0) this.#claims.push(host);
    this.#claims.push(claim);
    this.#probe([claim, ...(host.phase.phase === "idle" ? [host] : [])], nowMs);
    return claim;
  }

  /** Says goodbye to a service, and to its host when no other service is there (RFC 6762 §10.1). */
  withdraw(claim: ServiceClaim): void {
    if (!this.#claims.includes(claim)) return;
    claim.host.users--;
    const leaving: Claim[] = claim.host.users === 0 ? [claim, claim.host] : [claim];
    this.#claims = this.#claims.filter((other) => !leaving.includes(other));
    this.#sender.goodbye(leaving, this.#claims);
    for (const gone of leaving) gone.advance({ kind: "stop" });
  }

  /** Says goodbye to every service. */
  withdrawAll(): void {
    this.#sender.goodbye(this.#claims, []);
    this.#claims = [];
  }

  /**
   * The console has other addresses, or none: everything is probed for and announced again, as after a
   * change of the link (RFC 6762 §8.1 and §8.4).
   * @param addresses 4 or 16 bytes each
   */
  move(addresses: readonly Uint8Array[], nowMs: number): void {
    this.#addresses = addresses;
    for (const claim of this.#claims) {
      claim.advance({ kind: "stop" });
      if (claim instanceof HostClaim) claim.move(addresses);
      else claim.rebuild();
    }
    this.#probe(this.#claims, nowMs);
  }

  /** Does what is due by now. */
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

  /** Takes a message that the reader has loaded. */
  receive(reader: DnsReader, from: Peer, nowMs: number): void {
    if (!reader.isResponse) this.#receiveQuery(reader, from, nowMs);
    // RFC 6762 §6: a response from another port is none.
    else if (from.port === MDNS_PORT) this.#receiveResponse(reader, nowMs);
  }

  #won(claim: Claim): void {
    this.#conflicts.won();
    this.#log.info(`Advertising ${nameText(claim.name)}`);
  }

  #hostOf(base: string): HostClaim | undefined {
    return this.#claims.find((claim) => claim instanceof HostClaim && claim.base === base) as
      | HostClaim
      | undefined;
  }

  /** RFC 6762 §8.1: the delay is random, so that consoles that start together do not probe in step. */
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

  /** Services wait with their host: its name is in their records. */
  #defer(claim: Claim, atMs: number): void {
    for (const other of [claim, ...this.#servicesOf(claim)])
      if (other.isProbing) other.advance({ kind: "probe", atMs });
  }

  #receiveResponse(reader: DnsReader, nowMs: number): void {
    const contested = new Set<Claim>();
    reader.rewind();
    while (reader.next()) {
      if (reader.section === QUESTION || reader.classCode !== CLASS_IN) continue;
      for (const claim of this.#claims) {
        if (isContestedBy(claim, reader)) contested.add(claim);
        else if (claim.isOurs && reader.section === ANSWER) noteAnswer(claim, reader, nowMs);
      }
    }
    for (const claim of contested) this.#resolveConflict(claim, nowMs);
  }

  /** While probing the name is lost; later it is probed for again first (RFC 6762 §8.1 and §9). */
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
    this.#probe([claim, ...services], nowMs, delayMs);
  }

  #servicesOf(host: Claim): Claim[] {
    return this.#claims.filter((claim) => claim instanceof ServiceClaim && claim.host === host);
  }
}
