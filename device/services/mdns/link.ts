/**
 * The one socket of multicast DNS: open while a service is advertised or browsed for and a network is
 * joined. Forwards received messages of multicast DNS, and sends messages.
 */
import type { Udp, UdpSocket } from "../../ports/udp.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import { HEAP_NEEDS } from "../heap/heap-needs.js";
import type { Logger } from "../logs/log.js";
import { DnsReader } from "./dns-reader.js";
import { MDNS_ADDRESS, MDNS_PORT, MDNS_TIME_TO_LIVE } from "./limits.js";
import type { Outlet, Peer } from "./outlet.js";

/** Takes a message that the reader has loaded. */
export type OnMessage = (reader: DnsReader, from: Peer) => void;

export class Link implements Outlet {
  readonly #Udp: Udp;
  readonly #log: Logger;
  readonly #onMessage: OnMessage;
  readonly #reader = new DnsReader();
  readonly #heap: HeapAdmission | undefined;
  #socket: UdpSocket | undefined;
  #dropped = 0;

  /** @param heap asked before a message is read; left out: there is always room */
  constructor(Udp: Udp, log: Logger, onMessage: OnMessage, heap?: HeapAdmission) {
    this.#heap = heap;
    this.#Udp = Udp;
    this.#log = log;
    this.#onMessage = onMessage;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  /** Joins the group on the interface with `address`. A refusal is logged, and the link stays closed. */
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
   * What is no message of multicast DNS is dropped in silence (RFC 6762 §18); what there is no memory for is counted,
   * and asked again by the peers that want to know.
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
      if (this.#reader.load(new Uint8Array(datagram))) this.#onMessage(this.#reader, datagram);
      this.#reader.release();
    }
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#log.warning(`${this.#dropped} messages were dropped for want of memory`);
    this.#dropped = 0;
  }
}
