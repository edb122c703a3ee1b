/**
 * The multicast DNS engine (RFC 6762): owns the link's socket, reads messages, and passes them to the responder and the
 * browsers. One timer serves all of them.
 */

import type { Clock, Random, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Sandbox } from "../../../protocol/ports/sandbox.js";
import type { NetworkInterface } from "../../ports/network.js";
import type { Udp, UdpSocket } from "../../ports/udp.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import { parseIpv4, parseIpv6 } from "../identity/identity.js";
import type { Logger } from "../logs/log-line.js";
import type { ServiceClaim } from "./claim.js";
import { DnsReader, DnsWriter, MDNS_PORT, type Outlet, openDns, type Peer } from "./dns-message.js";
import { RandomDelay } from "./resource-record.js";
import { Responder, type Service } from "./responder.js";

/** Multicast group of RFC 6762 §3. */
const MDNS_ADDRESS = "224.0.0.251";

/** RFC 6762 §11: every message is sent with this IP time to live. */
const MDNS_TIME_TO_LIVE = 255;

// The only multicast DNS socket: open while a network is joined and a service is advertised or browsed for. Sends
// messages and forwards valid received ones.

/** Receives a message that `reader` has loaded. */
type OnMessage = (reader: DnsReader, from: Peer) => void;

export class Link implements Outlet {
  readonly #Udp: Udp;
  readonly #log: Logger;
  readonly #onMessage: OnMessage;
  readonly #reader: DnsReader;
  readonly #heap: HeapAdmission | undefined;
  #socket: UdpSocket | undefined;
  #dropped = 0;

  /** @param heap admits each message before it is read; default: no check */
  constructor(Udp: Udp, reader: DnsReader, log: Logger, onMessage: OnMessage, heap?: HeapAdmission) {
    this.#heap = heap;
    this.#reader = reader;
    this.#Udp = Udp;
    this.#log = log;
    this.#onMessage = onMessage;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  /** Opens the socket and joins the group on the interface with `address`. On an error, logs it and stays closed. */
  open(address: string): void {
    if (this.#socket) return;
    try {
      this.#socket = new this.#Udp({
        port: MDNS_PORT,
        address,
        multicast: MDNS_ADDRESS,
        timeToLive: MDNS_TIME_TO_LIVE,
        onReadable: (datagrams) => this.#read(datagrams),
      });
    } catch (error) {
      this.#log.error(`Cannot open port ${MDNS_PORT} on ${address}: ${error}`);
    }
  }

  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  multicast(message: Uint8Array): void {
    this.#socket?.write(message, MDNS_ADDRESS, MDNS_PORT);
  }

  unicast(message: Uint8Array, to: Peer): void {
    this.#socket?.write(message, to.address, to.port);
  }

  /**
   * Reads datagrams. Drops those that are not multicast DNS silently (RFC 6762 §18). Counts and drops those for which
   * there is no memory: peers repeat their queries.
   */
  #read(datagrams: number): void {
    for (let count = 0; count < datagrams; count++) {
      const datagram = this.#socket?.read();
      if (datagram === undefined) return;
      if (this.#heap && !this.#heap.hasRoom(HEAP_NEEDS.datagram)) {
        this.#dropped++;
        continue;
      }
      this.#reportDropped();
      this.#receive(datagram);
    }
  }

  /** A fault of the reader's program must not end the console, or keep it from the next message. */
  #receive(datagram: ArrayBuffer & Peer): void {
    try {
      if (this.#reader.load(new Uint8Array(datagram))) this.#onMessage(this.#reader, datagram);
    } catch (error) {
      this.#log.error(`A message was dropped: ${error}`);
    }
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#log.warning(`${this.#dropped} messages were dropped: not enough memory`);
    this.#dropped = 0;
  }
}

export interface MdnsPorts {
  /** Runs the program `dns`. */
  readonly sandbox: Sandbox;
  readonly Udp: Udp;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Admits each received message, and each record that a browser keeps; default: no check. */
  readonly heap?: HeapAdmission;
  readonly network: NetworkInterface;
}

/** A further listener on the link, for instance a browser. */
export interface Participant {
  readonly dueMs: number;
  tick(nowMs: number): void;
  receive(reader: DnsReader, from: Peer, nowMs: number): void;
  /** Called when the link was opened, for the first time or on another network. */
  opened(nowMs: number): void;
  /** Called when the engine closes. */
  stop(): void;
}

export class MdnsEngine {
  readonly writer: DnsWriter;
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
    const program = openDns(ports.sandbox);
    const reader = new DnsReader(program);
    this.writer = new DnsWriter(program);
    this.link = new Link(ports.Udp, reader, ports.log, this.#receive, ports.heap);
    this.#responder = new Responder(this.writer, this.link, this.delay, ports.log, (names) =>
      reader.setOurNames(names),
    );
  }

  /** Whether the heap has room for an object that stays, such as a record of a peer. */
  hasRoomToStay(byteLength: number): boolean {
    return this.#ports.heap?.hasRoomToStay(byteLength) ?? true;
  }

  get log(): Logger {
    return this.#ports.log;
  }

  get nowMs(): number {
    return this.#ports.clock.uptimeMs();
  }

  /** IPv4 address of the link's interface, `""` without a network. */
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

  /** Withdraws everything with a goodbye and closes the link. */
  close(): void {
    for (const participant of this.#participants) participant.stop();
    this.#participants.clear();
    this.#responder.withdrawAll();
    this.settle();
  }

  /** Calls `callback` after the current turn. */
  later(callback: () => void): void {
    this.#ports.timer.set(callback, 0);
  }

  /** Reads the network's addresses again; if they have changed, probes for and announces all names again. */
  networkChanged(): void {
    const { address, addressIpv6 = "" } = this.#ports.network;
    const network = `${address} ${addressIpv6}`;
    if (network === this.#network) return;
    this.#network = network;
    this.#move();
    this.link.close();
    this.settle();
  }

  /** Sends goodbyes while the network can still be reached. If it stays, all names are probed for and announced again. */
  networkEnds(): void {
    this.networkChanged();
    this.#move();
    this.settle();
  }

  #move(): void {
    const { address, addressIpv6 = "" } = this.#ports.network;
    const addresses = [parseIpv4(address), parseIpv6(addressIpv6)].filter((bytes) => bytes !== undefined);
    this.#responder.move(address === "" ? [] : addresses, this.nowMs);
  }

  /** Opens or closes the link as needed, and sets the timer. */
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
    if (!reader.concernsUs && this.#participants.size === 0) return;
    const nowMs = this.nowMs;
    if (reader.concernsUs) this.#responder.receive(reader, from, nowMs);
    for (const participant of this.#participants) participant.receive(reader, from, nowMs);
    this.settle();
  };
}
