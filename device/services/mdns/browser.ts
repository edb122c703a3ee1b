/** A browser in the shape that mdns-js gives it. */
import type { DnsReader } from "./dns-reader.js";
import { Emitter } from "./emitter.js";
import type { ServiceData } from "./found-service.js";
import type { MdnsEngine, Participant } from "./mdns-engine.js";
import type { Peer } from "./outlet.js";
import { type BrowserEvent, ServiceBrowser } from "./service-browser.js";
import type { ServiceType } from "./service-type.js";

/** What `update` and `down` tell: a service, and where it was seen. */
export interface BrowserData extends ServiceData {
  /** Names that were asked for in the message; always empty, as mdns-js has it for answers. */
  readonly query: readonly string[];
  /** There is one interface. */
  readonly interfaceIndex: number;
  /** IPv4 address of the interface. */
  readonly networkInterface: string;
}

export interface BrowserEvents extends Record<string, unknown> {
  /** The network is there: `discover` can be called. */
  ready: undefined;
  /** A service has appeared or has changed. */
  update: BrowserData;
  /** A service has gone (mdns-js has no such event). */
  down: BrowserData;
}

export class Browser extends Emitter<BrowserEvents> implements Participant {
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
