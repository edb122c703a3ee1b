/**
 * The browser of mdns-js: an event emitter that reports services. Events are emitted in a turn of their own, so that a
 * listener may call anything, `stop` included; what a listener throws is logged.
 *
 * A listener hears the difference between what was reported and what is known now. So no queue of events grows when
 * messages arrive faster than turns: a service that has changed twice since is reported once.
 */
import type { DnsReader, Peer } from "../services/mdns/dns-message.js";
import type { MdnsEngine, Participant } from "../services/mdns/mdns-engine.js";
import { makeServiceType, ServiceType } from "../services/mdns/service-type.js";
import { EventEmitter } from "./event-emitter.js";
import type { CachedRecord } from "./record-cache.js";
import { ServiceBrowser } from "./service-browser.js";
import { type FoundService, readService, type ServiceData, sameRecords } from "./service-data.js";

/** Data of `update` and `down` events: a service, and the interface on which it was found. */
export interface BrowserData extends ServiceData {
  /** Names of the questions in the message; always empty, as in mdns-js for answers. */
  readonly query: readonly string[];
  /** Always 0: there is one interface. */
  readonly interfaceIndex: number;
  /** IPv4 address of the interface. */
  readonly networkInterface: string;
}

export type BrowserEvents = {
  /** The network is available: `discover` can be called. */
  readonly ready: [];
  /** A service has appeared or has changed. */
  readonly update: [data: BrowserData];
  /** A service is gone; the data is that of its last `update`. The package has no such event. */
  readonly down: [data: BrowserData];
  /** Never emitted, as in the package: a port that cannot be opened is in the log. */
  readonly error: [error: Error];
};

export class Browser extends EventEmitter<BrowserEvents> implements Participant {
  /** As it was given. */
  readonly serviceType: ServiceType | string;
  readonly #engine: MdnsEngine;
  readonly #browser: ServiceBrowser;
  /** Services as they were last reported, by the record that names them. */
  readonly #reported = new Map<CachedRecord, FoundService>();
  #isReady = false;
  #isStopped = false;
  #isDiscovering = false;
  #isReporting = false;

  /**
   * @param engine what the package calls networking
   * @param serviceType the first of its subtypes, if any, limits what is found
   * @throws {RangeError} for anything but a service type or a valid text
   */
  constructor(engine: MdnsEngine, serviceType: ServiceType | string) {
    super();
    if (typeof serviceType !== "string" && !(serviceType instanceof ServiceType))
      throw new RangeError(`Cannot browse for ${serviceType}: expected a ServiceType or a text`);
    this.serviceType = serviceType;
    this.#engine = engine;
    this.#browser = new ServiceBrowser(makeServiceType(serviceType), engine, this.#onChange);
    engine.join(this);
  }

  /** Starts sending queries, at growing intervals until `stop`. */
  discover(): void {
    if (this.#isStopped) return;
    this.#isDiscovering = true;
    this.#browser.discover(this.#engine.nowMs);
    this.#engine.settle();
  }

  /** Stops browsing: no event follows. May be called twice. */
  stop(): void {
    this.#isStopped = true;
    this.#reported.clear();
    this.#engine.leave(this);
  }

  /** @internal */
  get dueMs(): number {
    return this.#browser.dueMs;
  }
  /** @internal */
  tick(nowMs: number): void {
    this.#browser.tick(nowMs);
  }
  /** @internal */
  receive(reader: DnsReader, from: Peer, nowMs: number): void {
    this.#browser.receive(reader, from, nowMs);
  }
  /** @internal Forgets the services of the previous network. */
  opened(nowMs: number): void {
    this.#browser.reset(nowMs);
    if (this.#isDiscovering) this.#browser.discover(nowMs);
    if (this.#isReady) return;
    this.#isReady = true;
    this.#engine.later(() => this.#attempt(() => this.emit("ready")));
  }

  readonly #onChange = (): void => {
    if (this.#isReporting || this.#isStopped) return;
    this.#isReporting = true;
    this.#engine.later(this.#report);
  };

  /** Emits what has changed since the last report. */
  readonly #report = (): void => {
    this.#isReporting = false;
    for (const pointer of Array.from(this.#reported.keys())) {
      const reported = this.#reported.get(pointer);
      if (reported === undefined || this.#browser.find(pointer)) continue;
      this.#reported.delete(pointer);
      this.#tell("down", reported);
    }
    for (const pointer of this.#browser.pointers) {
      const found = this.#browser.find(pointer);
      const reported = this.#reported.get(pointer);
      if (this.#isStopped || !found || (reported && sameRecords(found, reported))) continue;
      this.#reported.set(pointer, found);
      this.#tell("update", found);
    }
  };

  #tell(event: "update" | "down", found: FoundService): void {
    this.#attempt(() => {
      const service = readService(found, this.#browser.type);
      const networkInterface = this.#engine.address;
      this.emit(event, { ...service, query: [], interfaceIndex: 0, networkInterface });
    });
  }

  /** A stranger's data must not end the console by way of a listener that does not expect it. */
  #attempt(emit: () => void): void {
    if (this.#isStopped) return;
    try {
      emit();
    } catch (error) {
      this.#engine.log.error(`A listener of a browser has failed: ${error}`);
    }
  }
}
