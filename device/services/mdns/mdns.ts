/**
 * The interface of the package `mdns-js`, as apps of it expect: `createAdvertisement`, `createBrowser`, `tcp`, `udp`, and
 * the events of both.
 */
import type { ServiceClaim } from "./claim.js";
import type { DnsReader, Peer } from "./dns-message.js";
import { makeServiceType, nameText, ServiceType } from "./domain-name.js";
import { MdnsEngine, type MdnsPorts, type Participant } from "./mdns-engine.js";
import { textData } from "./resource-record.js";
import { type BrowserEvent, ServiceBrowser, type ServiceData } from "./service-browser.js";

/** The part of an event emitter that code for mdns-js uses. */
class Emitter<Events extends Record<string, unknown>> {
  readonly #listeners: { [Name in keyof Events]?: ((data: Events[Name]) => void)[] } = {};

  on<Name extends keyof Events>(event: Name, listener: (data: Events[Name]) => void): this {
    this.#listeners[event] = [...(this.#listeners[event] ?? []), listener];
    return this;
  }

  removeListener<Name extends keyof Events>(event: Name, listener: (data: Events[Name]) => void): this {
    this.#listeners[event] = this.#listeners[event]?.filter((other) => other !== listener) ?? [];
    return this;
  }

  protected emit<Name extends keyof Events>(event: Name, data: Events[Name]): void {
    for (const listener of this.#listeners[event] ?? []) listener(data);
  }
}

// An advertised service, in the shape that mdns-js gives it.

interface AdvertisementOptions {
  /** What people read; a name that is taken becomes `name (2)`. */
  readonly name: string;
  /** Label of the host, the name of the service where left out. */
  readonly host?: string;
  /** Keys and values of the TXT record. */
  readonly txt?: Readonly<Record<string, string>>;
}

class Advertisement {
  readonly serviceType: ServiceType;
  /** TCP or UDP port of the service. */
  readonly port: number;
  readonly options: AdvertisementOptions;
  readonly #engine: MdnsEngine;
  readonly #text: Uint8Array;
  #claim: ServiceClaim | undefined;

  /** @throws {RangeError} without a name, and for a port or TXT record that cannot be */
  constructor(engine: MdnsEngine, type: ServiceType, port: number, options: AdvertisementOptions) {
    if (typeof options?.name !== "string" || options.name === "")
      throw new RangeError("Cannot advertise a service without a name");
    if (!Number.isInteger(port) || port < 0 || port > 0xffff)
      throw new RangeError(`Cannot advertise port ${port}: it is 0 to 65535`);
    this.#text = textData(options.txt ?? {});
    this.#engine = engine;
    this.serviceType = type;
    this.port = port;
    this.options = options;
  }

  /** Name of the instance as it is now, conflicts included; `""` while it is stopped. */
  get fullname(): string {
    return this.#claim ? nameText(this.#claim.name) : "";
  }

  /** Probes for the name, then announces it and answers queries. Once is enough. */
  start(): void {
    if (this.#claim) return;
    const { name, host = name } = this.options;
    const type = this.serviceType.toLabels();
    this.#claim = this.#engine.publish({ name, host, type, port: this.port, text: this.#text });
  }

  /**
   * Says goodbye; may be called twice.
   * @param onStopped called once the goodbye is out
   */
  stop(onStopped?: () => void): void {
    if (this.#claim) this.#engine.withdraw(this.#claim);
    this.#claim = undefined;
    if (onStopped) this.#engine.later(onStopped);
  }
}

// A browser in the shape that mdns-js gives it.

/** What `update` and `down` tell: a service, and where it was seen. */
export interface BrowserData extends ServiceData {
  /** Names that were asked for in the message; always empty, as mdns-js has it for answers. */
  readonly query: readonly string[];
  /** There is one interface. */
  readonly interfaceIndex: number;
  /** IPv4 address of the interface. */
  readonly networkInterface: string;
}

interface BrowserEvents extends Record<string, unknown> {
  /** The network is there: `discover` can be called. */
  ready: undefined;
  /** A service has appeared or has changed. */
  update: BrowserData;
  /** A service has gone (mdns-js has no such event). */
  down: BrowserData;
}

class Browser extends Emitter<BrowserEvents> implements Participant {
  readonly serviceType: ServiceType;
  readonly #engine: MdnsEngine;
  readonly #services: ServiceBrowser;
  #isReady = false;
  #isStopped = false;
  #isDiscovering = false;

  constructor(engine: MdnsEngine, type: ServiceType) {
    super();
    this.serviceType = type;
    this.#engine = engine;
    this.#services = new ServiceBrowser(type, engine.writer, engine.link, engine.delay, this.#onEvent);
    engine.join(this);
  }

  /** Starts to ask, again and again with growing distance until `stop`. */
  discover(): void {
    if (this.#isStopped) return;
    this.#isDiscovering = true;
    this.#services.discover(this.#engine.nowMs);
    this.#engine.settle();
  }

  /** No event follows. May be called twice. */
  stop(): void {
    this.#isStopped = true;
    this.#engine.leave(this);
  }

  /** @internal */
  get dueMs(): number {
    return this.#services.dueMs;
  }
  /** @internal */
  tick(nowMs: number): void {
    this.#services.tick(nowMs);
  }
  /** @internal */
  receive(reader: DnsReader, from: Peer, nowMs: number): void {
    this.#services.receive(reader, from, nowMs);
  }
  /** @internal What was found on another network is gone. */
  opened(nowMs: number): void {
    this.#services.reset(nowMs);
    if (this.#isDiscovering) this.#services.discover(nowMs);
    if (this.#isReady) return;
    this.#isReady = true;
    this.#engine.later(() => {
      if (!this.#isStopped) this.emit("ready", undefined);
    });
  }

  readonly #onEvent = ({ kind, service }: BrowserEvent): void => {
    if (this.#isStopped) return;
    const data = { ...service, query: [], interfaceIndex: 0, networkInterface: this.#engine.address };
    this.emit(kind === "down" ? "down" : "update", data);
  };
}

export class Mdns {
  readonly #engine: MdnsEngine;

  /** Nothing is opened until something is started. */
  constructor(ports: MdnsPorts) {
    this.#engine = new MdnsEngine(ports);
  }

  /**
   * A service to be started; its host is `<name>.local` unless `options.host` says otherwise.
   * @throws {RangeError} for what cannot be advertised
   */
  createAdvertisement(
    type: ServiceType | string,
    port: number,
    options: AdvertisementOptions,
  ): Advertisement {
    return new Advertisement(this.#engine, makeServiceType(type), port, options);
  }

  /** A browser for a type of service; for all types on the link where left out. */
  createBrowser(type: ServiceType | string = ServiceType.wildcard): Browser {
    return new Browser(this.#engine, makeServiceType(type));
  }

  /** The host calls this when a network was joined or left, or gave other addresses. */
  networkChanged(): void {
    this.#engine.networkChanged();
  }

  /**
   * Ends all that was created here: a goodbye for what is advertised, no more events, the socket closed.
   * May be called twice.
   */
  close(): void {
    this.#engine.close();
  }
}
