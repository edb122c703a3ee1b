/**
 * The interface of the package `mdns-js`: `createAdvertisement` and `createBrowser`, with the methods and events of the
 * objects that they return.
 */
import type { ServiceClaim } from "./claim.js";
import type { DnsReader, Peer } from "./dns-message.js";
import { makeServiceType, nameText, ServiceType } from "./domain-name.js";
import { MdnsEngine, type MdnsPorts, type Participant } from "./mdns-engine.js";
import { textData } from "./resource-record.js";
import { type BrowserEvent, ServiceBrowser, type ServiceData } from "./service-browser.js";

/** The subset of an event emitter that users of mdns-js need. */
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

// An advertised service, with the interface of mdns-js.

interface AdvertisementOptions {
  /** Name for users; if it is taken, the service becomes `name (2)`. */
  readonly name: string;
  /** Label of the host; default: `name`. */
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

  /** @throws {RangeError} without a name, and for an invalid port or TXT record */
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

  /** Current name of the instance, after any conflicts; `""` while stopped. */
  get fullname(): string {
    return this.#claim ? nameText(this.#claim.name) : "";
  }

  /** Probes for the name, then announces it and answers queries. No-op while started. */
  start(): void {
    if (this.#claim) return;
    const { name, host = name } = this.options;
    const type = this.serviceType.toLabels();
    this.#claim = this.#engine.publish({ name, host, type, port: this.port, text: this.#text });
  }

  /**
   * Withdraws the service with a goodbye. No-op while stopped.
   * @param onStopped called after the goodbye was sent
   */
  stop(onStopped?: () => void): void {
    if (this.#claim) this.#engine.withdraw(this.#claim);
    this.#claim = undefined;
    if (onStopped) this.#engine.later(onStopped);
  }
}

// A browser, with the interface of mdns-js.

/** Data of `update` and `down` events: a service, and the interface on which it was found. */
export interface BrowserData extends ServiceData {
  /** Names of the questions in the message; always empty, as in mdns-js for answers. */
  readonly query: readonly string[];
  /** Always 0: there is one interface. */
  readonly interfaceIndex: number;
  /** IPv4 address of the interface. */
  readonly networkInterface: string;
}

interface BrowserEvents extends Record<string, unknown> {
  /** The network is available: `discover` can be called. */
  ready: undefined;
  /** A service has appeared or has changed. */
  update: BrowserData;
  /** A service is gone (mdns-js has no such event). */
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

  /** Starts sending queries, at growing intervals until `stop`. */
  discover(): void {
    if (this.#isStopped) return;
    this.#isDiscovering = true;
    this.#services.discover(this.#engine.nowMs);
    this.#engine.settle();
  }

  /** Stops browsing: no event follows. May be called twice. */
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
  /** @internal Reports services of the previous network as down. */
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

  /** Opens no socket until an advertisement starts or a browser exists. */
  constructor(ports: MdnsPorts) {
    this.#engine = new MdnsEngine(ports);
  }

  /**
   * Creates an advertisement, to be started. Its host is `<name>.local`, or `options.host` if given.
   * @throws {RangeError} for an invalid type, port or option
   */
  createAdvertisement(
    type: ServiceType | string,
    port: number,
    options: AdvertisementOptions,
  ): Advertisement {
    return new Advertisement(this.#engine, makeServiceType(type), port, options);
  }

  /** Creates a browser for a service type; default: the list of all types on the link. */
  createBrowser(type: ServiceType | string = ServiceType.wildcard): Browser {
    return new Browser(this.#engine, makeServiceType(type));
  }

  /** Called by the host when a network was joined or left, or when its addresses changed. */
  networkChanged(): void {
    this.#engine.networkChanged();
  }

  /**
   * Closes everything created here: sends goodbyes for advertised services, stops events and closes the socket.
   * May be called twice.
   */
  close(): void {
    this.#engine.close();
  }
}
