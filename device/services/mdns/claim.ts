/**
 * Claims a unique name and its records (RFC 6762 §8, §9): a host with its addresses, or a service instance with its
 * SRV, TXT and PTR records. Probes, announces, and tries the next name after a conflict.
 */
import {
  AUTHORITY,
  CLASS_IN,
  type DnsReader,
  type DnsWriter,
  FLAGS_QUERY,
  HOST_TTL_SECONDS,
  type Outlet,
  PROBE_INTERVAL_MS,
  type ResourceRecord,
  TYPE_ANY,
  TYPE_NSEC,
  TYPE_SRV,
  TYPE_TXT,
} from "./dns-message.js";
import { type DomainName, domainName, LABEL_LIMIT_BYTES } from "./domain-name.js";
import {
  addressRecord,
  compareBytes,
  denialRecord,
  OwnedRecord,
  pointerRecord,
  serviceRecord,
  textRecord,
} from "./resource-record.js";

/** Records of one name that take part in a tiebreak; normal probes have two or three. */
const TIEBREAK_RECORD_LIMIT = 16;

/** RFC 6762 §8.1: three probes, 250 ms apart, after a random delay of up to 250 ms. */
const PROBE_COUNT = 3;

/** RFC 6762 §8.1: after 15 conflicts within 10 s, each probe waits 5 s. */
export const CONFLICT_COUNT_LIMIT = 15;

const CONFLICT_WINDOW_MS = 10_000;

const CONFLICT_DELAY_MS = 5000;

/** RFC 6762 §8.3: two to eight announcements; the minimum is two, a second apart. */
const ANNOUNCEMENT_COUNT = 2;

const ANNOUNCEMENT_INTERVAL_MS = 1000;

// What a record in a peer's response means for one of our names.

/**
 * Whether the record in `reader` conflicts with `claim`: it has the claim's name, but is not our record. While probing,
 * a record of any type conflicts; once the name is ours, one of a probed type (RFC 6762 §8.1 and §9). A goodbye does
 * not.
 */
export function isContestedBy(claim: Claim, reader: DnsReader): boolean {
  if (claim.phase.phase === "idle" || reader.ttlSeconds === 0 || !reader.nameIs(claim.name)) return false;
  const ofType = claim.records.filter(({ record }) => record.type === reader.type);
  if (ofType.some(({ record }) => reader.dataIs(record.data))) return false;
  return claim.isProbing || claim.probed.some(({ type }) => type === reader.type);
}

/**
 * Handles another host's answer that equals one of our records. It makes our scheduled answer unnecessary
 * (RFC 6762 §7.4), unless its TTL is below half of ours: then we multicast ours, so that caches keep the record (§6.6).
 */
export function noteAnswer(claim: Claim, reader: DnsReader, nowMs: number): void {
  for (const owned of claim.records) {
    const { record } = owned;
    if (record.type !== reader.type || !reader.nameIs(record.name) || !reader.dataIs(record.data)) continue;
    if (reader.ttlSeconds * 2 < record.ttlSeconds) owned.want(nowMs);
    else if (reader.ttlSeconds >= record.ttlSeconds) owned.cancel();
  }
}

// The names to try when a name is taken (RFC 6762 §9, RFC 6763 appendix D): `Console-1A2B (2)` for instances, whose
// names users read, `Console-1A2B-2` for hosts, whose names consist of letters, digits and hyphens.

// No pattern is global: `replace` would then write `lastIndex`, which is frozen on the board.
const NOT_HOST_CHARACTERS = /[^A-Za-z0-9-]+/;
const LEADING_HYPHENS = /^-+/;
const TRAILING_HYPHENS = /-+$/;

/** Instance label for attempt `attempt`, from 1. */
export function instanceLabel(base: string, attempt: number): string {
  return attempt === 1 ? cutToLabel(base, 0) : withSuffix(base, ` (${attempt})`);
}

/** Host label for attempt `attempt`, from 1. Each run of characters that host names cannot contain becomes a hyphen. */
export function hostLabel(base: string, attempt: number): string {
  const hyphenated = base.split(NOT_HOST_CHARACTERS).join("-");
  const legal = hyphenated.replace(LEADING_HYPHENS, "").replace(TRAILING_HYPHENS, "") || "console";
  return attempt === 1 ? cutToLabel(legal, 0) : withSuffix(legal, `-${attempt}`);
}

function withSuffix(base: string, suffix: string): string {
  return cutToLabel(base, suffix.length) + suffix;
}

/** Cuts `base` after a whole character, so that `reservedBytes` more bytes fit into a label. */
function cutToLabel(base: string, reservedBytes: number): string {
  const encoder = new TextEncoder();
  const characters = Array.from(base);
  while (encoder.encode(characters.join("")).length + reservedBytes > LABEL_LIMIT_BYTES) characters.pop();
  return characters.join("");
}

// Records recent conflicts, so that two hosts which never agree do not flood the network: after 15 conflicts within
// 10 s each further attempt waits 5 s, until one succeeds (RFC 6762 §8.1).

export class ConflictHistory {
  /** Ring buffer with the times of the last conflicts. */
  readonly #timesMs = new Float64Array(CONFLICT_COUNT_LIMIT).fill(Number.NEGATIVE_INFINITY);
  #next = 0;
  #isCrowded = false;

  /** Records a conflict. @returns the delay before the next probe in milliseconds */
  record(nowMs: number): number {
    this.#timesMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % CONFLICT_COUNT_LIMIT;
    const oldestMs = this.#timesMs[this.#next] as number;
    if (nowMs - oldestMs <= CONFLICT_WINDOW_MS) this.#isCrowded = true;
    return this.#isCrowded ? CONFLICT_DELAY_MS : 0;
  }

  /** Ends the delays: a name was won. */
  won(): void {
    this.#isCrowded = false;
  }
}

// The phases of a claim (RFC 6762 §8 and §9):
//
//            probe ┌──────────────── probe (conflict, lost tiebreak, new records) ───────┐
//                  ▼                                                                      │
//     idle ──► probing(0..3) ── due, three probes out ──► announcing(1) ── due ──► announced
//       ▲                                                                                 │
//       └──────────────────────────────────── stop ───────────────────────────────────────┘

export type ClaimPhase =
  | { readonly phase: "idle" }
  /** `sent` probes are sent; at `dueMs` the next one is due, or after the last probe the name is ours. */
  | { readonly phase: "probing"; readonly sent: number; readonly dueMs: number }
  /** `sent` announcements are sent; the next one is due at `dueMs`. */
  | { readonly phase: "announcing"; readonly sent: number; readonly dueMs: number }
  | { readonly phase: "announced" };

type ClaimEvent =
  /** Start probing anew, first at `atMs`. */
  | { readonly kind: "probe"; readonly atMs: number }
  /** The phase's `dueMs` is reached. */
  | { readonly kind: "due"; readonly nowMs: number }
  | { readonly kind: "stop" };

export const IDLE: ClaimPhase = Object.freeze({ phase: "idle" });
const ANNOUNCED: ClaimPhase = Object.freeze({ phase: "announced" });

/** The complete state machine. On `due`, the caller sends a probe or an announcement, depending on the new phase. */
export function advance(claim: ClaimPhase, event: ClaimEvent): ClaimPhase {
  switch (event.kind) {
    case "probe":
      return { phase: "probing", sent: 0, dueMs: event.atMs };
    case "stop":
      return IDLE;
    case "due":
      return afterDue(claim, event.nowMs);
    default:
      return event satisfies never;
  }
}

function afterDue(claim: ClaimPhase, nowMs: number): ClaimPhase {
  switch (claim.phase) {
    case "probing":
      if (claim.sent === PROBE_COUNT) return announcing(1, nowMs);
      return { phase: "probing", sent: claim.sent + 1, dueMs: nowMs + PROBE_INTERVAL_MS };
    case "announcing":
      return announcing(claim.sent + 1, nowMs);
    case "idle":
    case "announced":
      return claim;
    default:
      return claim satisfies never;
  }
}

function announcing(sent: number, nowMs: number): ClaimPhase {
  if (sent === ANNOUNCEMENT_COUNT) return ANNOUNCED;
  return { phase: "announcing", sent, dueMs: nowMs + ANNOUNCEMENT_INTERVAL_MS };
}

/** Time of the next `due` event, `Infinity` if there is none. */
export function dueOf(claim: ClaimPhase): number {
  return claim.phase === "probing" || claim.phase === "announcing" ? claim.dueMs : Number.POSITIVE_INFINITY;
}

/** Whether the name is ours, so that we answer questions about it. */
export function isOurs(claim: ClaimPhase): boolean {
  return claim.phase === "announcing" || claim.phase === "announced";
}

export abstract class Claim {
  /** Requested label. */
  readonly base: string;
  /** Number of the current name, from 1; grows with each conflict. */
  #attempt = 1;
  #phase: ClaimPhase = IDLE;
  #name: DomainName = new Uint8Array(1);
  #records: readonly OwnedRecord[] = [];
  #probed: readonly ResourceRecord[] = [];

  constructor(base: string) {
    this.base = base;
  }

  protected abstract nameFor(attempt: number): DomainName;
  /** Creates the records for `name`. */
  protected abstract recordsFor(name: DomainName): ResourceRecord[];

  get phase(): ClaimPhase {
    return this.#phase;
  }
  get dueMs(): number {
    return dueOf(this.#phase);
  }
  get isOurs(): boolean {
    return isOurs(this.#phase);
  }
  get isProbing(): boolean {
    return this.#phase.phase === "probing";
  }
  get name(): DomainName {
    return this.#name;
  }
  get records(): readonly OwnedRecord[] {
    return this.#records;
  }
  /** Records to announce and withdraw: all but the NSEC record, which is sent as an additional one (RFC 6762 §6.1). */
  get announced(): readonly OwnedRecord[] {
    return this.#records.filter(({ record }) => record.type !== TYPE_NSEC);
  }
  /** Records that a probe proposes, in the order of a tiebreak (RFC 6762 §8.2.1). */
  get probed(): readonly ResourceRecord[] {
    return this.#probed;
  }

  advance(event: ClaimEvent): void {
    this.#phase = advance(this.#phase, event);
  }

  /** Creates name and records anew, which resets the times of their multicasts. */
  rebuild(): void {
    this.#name = this.nameFor(this.#attempt);
    const records = this.recordsFor(this.#name);
    this.#records = records.map((record) => new OwnedRecord(record));
    this.#probed = records
      .filter((record) => record.isUnique && record.type !== TYPE_NSEC)
      .sort((one, other) => one.type - other.type || compareBytes(one.data, other.data));
  }

  /** Switches to the next name. */
  rename(): void {
    this.#attempt++;
    this.rebuild();
  }
}

/** Claim of a host name, with the console's addresses. */
export class HostClaim extends Claim {
  #addresses: readonly Uint8Array[];
  /** Number of service claims that use this host. */
  users = 0;

  /** @param addresses 4 or 16 bytes each; if empty, the host has no records */
  constructor(base: string, addresses: readonly Uint8Array[]) {
    super(base);
    this.#addresses = addresses;
    this.rebuild();
  }

  move(addresses: readonly Uint8Array[]): void {
    this.#addresses = addresses;
    this.rebuild();
  }

  protected override nameFor(attempt: number): DomainName {
    return domainName(hostLabel(this.base, attempt), "local");
  }

  protected override recordsFor(name: DomainName): ResourceRecord[] {
    const addresses = this.#addresses.map((address) => addressRecord(name, address));
    if (addresses.length === 0) return [];
    const types = addresses.map((record) => record.type);
    return [...addresses, denialRecord(name, types, HOST_TTL_SECONDS)];
  }
}

/** Claim of the name of a service instance. */
export class ServiceClaim extends Claim {
  readonly host: HostClaim;
  readonly #type: readonly string[];
  readonly #port: number;
  readonly #text: Uint8Array;

  /**
   * @param base label that users read
   * @param type labels of the service type, for instance `_svc`, `_tcp`
   * @param text data of the TXT record
   */
  constructor(host: HostClaim, base: string, type: readonly string[], port: number, text: Uint8Array) {
    super(base);
    this.host = host;
    this.#type = type;
    this.#port = port;
    this.#text = text;
    this.rebuild();
  }

  protected override nameFor(attempt: number): DomainName {
    return domainName(instanceLabel(this.base, attempt), ...this.#type, "local");
  }

  protected override recordsFor(name: DomainName): ResourceRecord[] {
    const type = domainName(...this.#type, "local");
    return [
      pointerRecord(domainName("_services", "_dns-sd", "_udp", "local"), type),
      pointerRecord(type, name),
      serviceRecord(name, this.host.name, this.#port),
      textRecord(name, this.#text),
      denialRecord(name, [TYPE_TXT, TYPE_SRV], HOST_TTL_SECONDS),
    ];
  }
}

// If two hosts probe for one name at the same time, the one whose records sort later wins (RFC 6762 §8.2).

interface Proposal {
  readonly classCode: number;
  readonly type: number;
  readonly data: Uint8Array;
}

/** Whether the probe in `reader` proposes records for the name of `claim` that sort after its own. */
export function losesTiebreak(claim: Claim, reader: DnsReader): boolean {
  const theirs = proposalsFor(claim, reader);
  if (theirs.length === 0) return false;
  const ours = claim.probed.map(({ type, data }) => ({ classCode: CLASS_IN, type, data }));
  for (const [index, proposal] of ours.entries()) {
    const other = theirs[index];
    if (other === undefined) return false;
    const order = compareProposals(proposal, other);
    if (order !== 0) return order < 0;
  }
  return ours.length < theirs.length;
}

function proposalsFor(claim: Claim, reader: DnsReader): Proposal[] {
  const proposals: Proposal[] = [];
  reader.rewind(true);
  while (reader.next() && proposals.length < TIEBREAK_RECORD_LIMIT) {
    if (reader.section !== AUTHORITY || !reader.nameIs(claim.name)) continue;
    proposals.push({ classCode: reader.classCode, type: reader.type, data: reader.copyData() });
  }
  return proposals.sort(compareProposals);
}

/** RFC 6762 §8.2: by class without its top bit, then type, then the bytes of the data. */
function compareProposals(one: Proposal, other: Proposal): number {
  return one.classCode - other.classCode || one.type - other.type || compareBytes(one.data, other.data);
}

// Sends probes: the names that we claim, with our proposed records (RFC 6762 §8.1).

/** Probes for all `claims`; splits them in half until each part fits a message. */
export function sendProbe(claims: readonly Claim[], writer: DnsWriter, outlet: Outlet): void {
  if (claims.length === 0) return;
  if (writeProbe(claims, writer) || claims.length === 1) {
    outlet.multicast(writer.message);
    return;
  }
  const half = claims.length >> 1;
  sendProbe(claims.slice(0, half), writer, outlet);
  sendProbe(claims.slice(half), writer, outlet);
}

/**
 * Writes a probe. Its questions request unicast answers, so that an owner can answer immediately. Its records lack the
 * cache-flush bit, since they have no owner yet (RFC 6762 §10.2).
 * @returns false if not everything fits
 */
function writeProbe(claims: readonly Claim[], writer: DnsWriter): boolean {
  writer.begin(0, FLAGS_QUERY);
  const fits = claims.every((claim) => writer.question(claim.name, TYPE_ANY, true));
  return (
    fits &&
    claims.every((claim) =>
      claim.probed.every((record) =>
        writer.record(AUTHORITY, record, { ttlSeconds: record.ttlSeconds, cacheFlush: false }),
      ),
    )
  );
}
