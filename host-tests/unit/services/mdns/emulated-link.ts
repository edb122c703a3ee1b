/**
 * A link with any number of hosts on a clock that a test moves by hand. Every datagram is kept with its
 * time; multicast reaches every host, the sender too, a millisecond later. Nothing else happens by itself.
 */
import type { Udp, UdpOptions, UdpSocket } from "../../../../device/ports/udp.js";
import type { HeapAdmission } from "../../../../device/services/heap/heap-admission.js";
import type { Logger } from "../../../../device/services/logs/log-line.js";
import { Mdns } from "../../../../device/services/mdns/mdns.js";
import { tcp } from "../../../../device/services/mdns/service-type.js";
import type { Random } from "../../../../protocol/ports/runtime.js";
import type { Sandbox } from "../../../../protocol/ports/sandbox.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { type Message, readMessage } from "./dns-messages.js";
import { sandbox as program } from "./dns-program.js";

export const GROUP = "224.0.0.251";
export const PORT = 5353;
const TRAVEL_MS = 1;

export interface Datagram extends Message {
  readonly atMs: number;
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly bytes: Uint8Array;
}

interface Source {
  readonly address: string;
  readonly port: number;
}

export class EmulatedLink {
  readonly clock = new EmulatedClock(100_000);
  readonly sockets = new Set<EmulatedSocket>();
  /** Addresses whose cable is unplugged. */
  readonly unplugged = new Set<string>();
  #traffic: Datagram[] = [];

  /** The UDP port of a host. */
  get Udp(): Udp {
    const link = this;
    return class extends EmulatedSocket {
      constructor(options: UdpOptions) {
        super(link, options);
      }
    };
  }

  /** Delivers a message from any host. */
  send(bytes: Uint8Array, from: Source, to: string = GROUP, port = PORT): void {
    if (this.unplugged.has(from.address)) return;
    const copy = bytes.slice();
    this.clock.set(() => {
      for (const socket of this.sockets)
        if (to === GROUP || (socket.address === to && port === PORT)) socket.deliver(copy, from);
    }, TRAVEL_MS);
  }

  /** Stores and delivers a message from a host of ours. */
  sendFromHost(bytes: Uint8Array, address: string, to: string, port: number): void {
    const datagram = { atMs: this.clock.uptimeMs(), from: address, to, port, bytes: bytes.slice() };
    this.#traffic.push({ ...datagram, ...readMessage(bytes) });
    this.send(bytes, { address, port: PORT }, to, port);
  }

  /** What hosts of ours have sent since the last call. */
  take(): Datagram[] {
    const taken = this.#traffic;
    this.#traffic = [];
    return taken;
  }

  /** Advances the time and returns the messages sent in it. */
  pass(milliseconds: number): Datagram[] {
    this.clock.advance(milliseconds);
    return this.take();
  }
}

class EmulatedSocket implements UdpSocket {
  readonly address: string;
  readonly timeToLive: number | undefined;
  readonly #link: EmulatedLink;
  readonly #options: UdpOptions;
  readonly #received: (ArrayBuffer & Source)[] = [];

  constructor(link: EmulatedLink, options: UdpOptions) {
    this.#link = link;
    this.#options = options;
    this.address = options.address ?? "";
    this.timeToLive = options.timeToLive;
    link.sockets.add(this);
  }

  deliver(bytes: Uint8Array, from: Source): void {
    if (!this.#link.sockets.has(this) || this.#link.unplugged.has(this.address)) return;
    this.#received.push(Object.assign(bytes.slice().buffer as ArrayBuffer, from));
    this.#options.onReadable(1);
  }

  read(): (ArrayBuffer & Source) | undefined {
    return this.#received.shift();
  }

  write(bytes: Uint8Array, address: string, port: number): void {
    this.#link.sendFromHost(bytes, this.address, address, port);
  }

  close(): void {
    this.#link.sockets.delete(this);
  }
}

/** Numbers that look random and are the same in every run (xorshift32). */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761 + 1;
  }

  getRandomValues(into: Uint8Array): void {
    for (let index = 0; index < into.length; index++) {
      this.#state ^= this.#state << 13;
      this.#state ^= this.#state >>> 17;
      this.#state ^= this.#state << 5;
      into[index] = this.#state >>> 8;
    }
  }
}

/** Random numbers that are all the same: 0 gives the shortest delays, 255 the longest. */
export class ConstantRandom implements Random {
  readonly #byte: number;

  constructor(byte: number) {
    this.#byte = byte;
  }

  getRandomValues(into: Uint8Array): void {
    into.fill(this.#byte);
  }
}

export class CollectedLog implements Logger {
  readonly lines: string[] = [];
  debug = (message: string): void => void this.lines.push(message);
  info = this.debug;
  warning = this.debug;
  error = this.debug;
}

export interface HostOptions {
  readonly address?: string;
  readonly addressIpv6?: string;
  readonly random?: Random;
  readonly sandbox?: Sandbox;
  readonly heap?: HeapAdmission;
}

/** A host on the link. */
export function host(link: EmulatedLink, options: HostOptions = {}) {
  const { address = "10.0.0.1", addressIpv6, random = new ConstantRandom(0) } = options;
  const { sandbox = program, heap } = options;
  const network = { address, rssi: 0, ...(addressIpv6 === undefined ? {} : { addressIpv6 }) };
  const log = new CollectedLog();
  const mdns = new Mdns({
    sandbox,
    Udp: link.Udp,
    timer: link.clock,
    clock: link.clock,
    random,
    log,
    network,
    ...(heap && { heap }),
  });
  return { mdns, network, log };
}

/** A console on the link as the device has it, not yet started. */
export function consoleOn(link: EmulatedLink, options: HostOptions & { readonly version?: string } = {}) {
  const { mdns, network, log } = host(link, options);
  const txt = { fw: options.version ?? "1.0.0", api: "v1" };
  const advertisement = mdns.createAdvertisement(tcp("svc"), 8080, { name: "Console-1A2B", txt });
  return { mdns, network, log, advertisement };
}

/** A console that has been announced, on a link that has been quiet since. */
export function announcedConsole(options: HostOptions = {}) {
  const link = new EmulatedLink();
  const console = consoleOn(link, options);
  console.advertisement.start();
  link.pass(60_000);
  return { link, ...console };
}

/** Where a stranger's messages come from. */
export const STRANGER: Source = Object.freeze({ address: "10.0.0.99", port: PORT });
