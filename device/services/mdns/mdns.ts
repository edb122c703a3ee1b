/**
 * Multicast DNS and DNS-SD with the calls of mdns-js:
 *
 *     const mdns = new Mdns({ Udp, timer, clock, random, log, network });
 *     const console = mdns.createAdvertisement(tcp("svc"), 8080, { name: "Console-1A2B", txt: { api: "v1" } });
 *     console.start();
 */
import { Advertisement, type AdvertisementOptions } from "./advertisement.js";
import { Browser } from "./browser.js";
import { MdnsEngine, type MdnsPorts } from "./mdns-engine.js";
import { makeServiceType, ServiceType } from "./service-type.js";

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
