/**
 * A unique name and the records that come with it: a host with its addresses, or an instance of a service
 * with its SRV, TXT and pointers. A taken name becomes the next one and the records are made anew.
 */
import { hostLabel, instanceLabel } from "./candidate-name.js";
import { advance, type ClaimEvent, type ClaimPhase, dueOf, IDLE, isOurs } from "./claim-phase.js";
import { TYPE_NSEC, TYPE_SRV, TYPE_TXT } from "./dns-types.js";
import { type DomainName, domainName } from "./domain-name.js";
import { HOST_TTL_SECONDS } from "./limits.js";
import { OwnedRecord } from "./owned-record.js";
import {
  addressRecord,
  compareBytes,
  denialRecord,
  pointerRecord,
  type ResourceRecord,
  serviceRecord,
  textRecord,
} from "./resource-record.js";

export abstract class Claim {
  /** Label that was asked for. */
  readonly base: string;
  /** Counts the names that were tried, from 1. */
  #attempt = 1;
  #phase: ClaimPhase = IDLE;
  #name: DomainName = new Uint8Array(1);
  #records: readonly OwnedRecord[] = [];
  #probed: readonly ResourceRecord[] = [];

  constructor(base: string) {
    this.base = base;
  }

  protected abstract nameFor(attempt: number): DomainName;
  /** Records under the present name. */
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
  /** What is announced and withdrawn: all but the denial, which goes along as it fits (RFC 6762 §6.1). */
  get announced(): readonly OwnedRecord[] {
    return this.#records.filter(({ record }) => record.type !== TYPE_NSEC);
  }
  /** What a probe proposes, in the order of a tiebreak (RFC 6762 §8.2.1). */
  get probed(): readonly ResourceRecord[] {
    return this.#probed;
  }

  advance(event: ClaimEvent): void {
    this.#phase = advance(this.#phase, event);
  }

  /** Makes name and records anew; nothing is known of when they were sent. */
  rebuild(): void {
    this.#name = this.nameFor(this.#attempt);
    const records = this.recordsFor(this.#name);
    this.#records = records.map((record) => new OwnedRecord(record));
    this.#probed = records
      .filter((record) => record.isUnique && record.type !== TYPE_NSEC)
      .sort((one, other) => one.type - other.type || compareBytes(one.data, other.data));
  }

  /** Goes on to the next name. */
  rename(): void {
    this.#attempt++;
    this.rebuild();
  }
}

/** The name that the addresses of the console are under. */
export class HostClaim extends Claim {
  #addresses: readonly Uint8Array[];
  /** Claims of services that are to be reached here. */
  users = 0;

  /** @param addresses 4 or 16 bytes each; without any there are no records */
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

/** An instance of a service. */
export class ServiceClaim extends Claim {
  readonly host: HostClaim;
  readonly #type: readonly string[];
  readonly #port: number;
  readonly #text: Uint8Array;

  /**
   * @param base label that people read
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
