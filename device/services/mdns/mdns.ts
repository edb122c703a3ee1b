/**
 * The console's multicast DNS: creates advertisements, with the call of the package mdns-js, and follows the network.
 * The package's other calls are in `device/mdns-js`, which firmware that browses imports.
 */
import { Advertisement, type AdvertisementOptions } from "./advertisement.js";
import { MdnsEngine, type MdnsPorts } from "./mdns-engine.js";
import type { ServiceType, ServiceTypeForm } from "./service-type.js";

export class Mdns {
  /** Shared by advertisements and browsers. */
  readonly engine: MdnsEngine;

  /** Opens no socket until an advertisement starts or a browser exists. */
  constructor(ports: MdnsPorts) {
    this.engine = new MdnsEngine(ports);
  }

  /**
   * Creates an advertisement, to be started. Its host is `<name>.local`, or `options.host` if given.
   * @throws {RangeError} for an invalid type, port or option
   */
  createAdvertisement(
    type: ServiceType | ServiceTypeForm,
    port: number,
    options: AdvertisementOptions,
  ): Advertisement {
    return new Advertisement(this.engine, type, port, options);
  }

  /** Called by the host when a network was joined or left, or when its addresses changed. */
  networkChanged(): void {
    this.engine.networkChanged();
  }

  /** Called by the host before it leaves a network of itself. */
  networkEnds(): void {
    this.engine.networkEnds();
  }

  /**
   * Closes everything created here: sends goodbyes for advertised services, stops browsers and closes the socket.
   * May be called twice.
   */
  close(): void {
    this.engine.close();
  }
}
