/**
 * Drives responder and browsers: one socket, one timer, one buffer. The timer runs only while an action is due, the
 * socket is open only while a service is published or browsed for.
 */
import type { Random } from "../../../protocol/ports/bytes.js";
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/timer.js";
import type { NetworkInterface } from "../../ports/network.js";
import type { Udp } from "../../ports/udp.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import { parseIpv4, parseIpv6 } from "../identity/ip-address.js";
import type { Logger } from "../logs/log.js";
import type { ServiceClaim } from "./claim.js";
import type { DnsReader } from "./dns-reader.js";
import { DnsWriter } from "./dns-writer.js";
import { Link } from "./link.js";
import type { Peer } from "./outlet.js";
import { RandomDelay } from "./random-delay.js";
import { Responder, type Service } from "./responder.js";

export interface MdnsPorts {
  readonly Udp: Udp;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Left out: there is always room. */
  readonly heap?: HeapAdmission;
  readonly network: NetworkInterface;
}

/** A listener on the link beside the responder. */
export interface Participant {
  readonly dueMs: number;
  tick(nowMs: number): void;
  receive(reader: DnsReader, from: Peer, nowMs: number): void;
  /** The link has been opened, or opened on another network. */
  opened(nowMs: number): void;
}

export class MdnsEngine {
  readonly writer = new DnsWriter();
  readonly link: Link;
  readonly delay: RandomDelay;
  readonly #ports: MdnsPorts;
  readonly #responder: Responder;
  readonly #participants = new Set<Participant>();
  #network = "";
  #timer: TimerHandle | undefined;
  #armedMs = Number.POSITIVE_INFINITY;

  constructor(ports: MdnsPorts) {
    this.#ports = ports;
    this.delay = new RandomDelay(ports.random);
    this.link = new Link(ports.Udp, ports.log, this.#receive, ports.heap);
    this.#responder = new Responder(this.writer, this.link, this.delay, ports.log);
  }

  get nowMs(): number {
    return this.#ports.clock.uptimeMs();
  }

  /** IPv4 address that the link is on, `""` without a network. */
  get address(): string {
    return this.#ports.network.address;
  }

  /** @throws {RangeError} for a service that cannot be published */
  publish(service: Service): ServiceClaim {
    this.networkChanged();
    const claim = this.#responder.publish(service, this.nowMs);
    this.settle();
    return claim;
  }

  withdraw(claim: ServiceClaim): void {
    this.#responder.withdraw(claim);
    this.settle();
  }

  join(participant: Participant): void {
    this.networkChanged();
    const wasOpen = this.link.isOpen;
    this.#participants.add(participant);
    this.settle();
    if (wasOpen) participant.opened(this.nowMs);
  }

  leave(participant: Participant): void {
    this.#participants.delete(participant);
    this.settle();
  }

  /** Says goodbye for everything and closes the link. */
  close(): void {
    this.#participants.clear();
    this.#responder.withdrawAll();
    this.settle();
  }

  /** Calls back once the present turn is over. */
  later(callback: () => void): void {
    this.#ports.timer.set(callback, 0);
  }

  /** Looks at the addresses of the network again: other ones are probed for and announced anew. */
  networkChanged(): void {
    const { address, addressIpv6 = "" } = this.#ports.network;
    const network = `${address} ${addressIpv6}`;
    if (network === this.#network) return;
    this.#network = network;
    this.link.close();
    const addresses = [parseIpv4(address), parseIpv6(addressIpv6)].filter((bytes) => bytes !== undefined);
    this.#responder.move(address === "" ? [] : addresses, this.nowMs);
    this.settle();
  }

  /** Opens or closes the link, and sets the timer, as is needed by now. */
  settle(): void {
    const isNeeded = this.#participants.size > 0 || !this.#responder.isIdle;
    if (!isNeeded) this.link.close();
    else if (!this.link.isOpen) this.#open();
    this.#arm();
  }

  #open(): void {
    if (this.address === "") return;
    this.link.open(this.address);
    if (!this.link.isOpen) return;
    for (const participant of this.#participants) participant.opened(this.nowMs);
  }

  #arm(): void {
    let dueMs = this.link.isOpen ? this.#responder.dueMs : Number.POSITIVE_INFINITY;
    if (this.link.isOpen) for (const { dueMs: other } of this.#participants) dueMs = Math.min(dueMs, other);
    if (dueMs === this.#armedMs) return;
    this.#ports.timer.clear(this.#timer);
    this.#timer = undefined;
    this.#armedMs = dueMs;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#ports.timer.set(this.#tick, Math.max(0, Math.ceil(dueMs - this.nowMs)));
  }

  readonly #tick = (): void => {
    this.#timer = undefined;
    this.#armedMs = Number.POSITIVE_INFINITY;
    const nowMs = this.nowMs;
    this.#responder.tick(nowMs);
    for (const participant of this.#participants) if (participant.dueMs <= nowMs) participant.tick(nowMs);
    this.settle();
  };

  readonly #receive = (reader: DnsReader, from: Peer): void => {
    const nowMs = this.nowMs;
    this.#responder.receive(reader, from, nowMs);
    for (const participant of this.#participants) participant.receive(reader, from, nowMs);
    this.settle();
  };
}
