/**
 * The package mdns-js 1.0.3 for programs of a console: its exports and their calls, over the console's multicast DNS.
 * The console's firmware only advertises and does not import this folder; firmware that browses does.
 *
 *     const mdns = mdnsJs(new Mdns(ports));
 *     const browser = mdns.createBrowser(mdns.tcp("http"));
 *     browser.on("ready", () => browser.discover());
 *     browser.on("update", (data) => trace(`${data.fullname}\n`));
 *
 * The differences from the package are in docs/spec/mdns.md#mdns-js-differences.
 */
import { Advertisement, type AdvertisementOptions } from "../services/mdns/advertisement.js";
import type { Mdns } from "../services/mdns/mdns.js";
import {
  makeServiceType,
  ServiceType,
  type ServiceTypeForm,
  tcp,
  udp,
} from "../services/mdns/service-type.js";
import { Browser } from "./browser.js";

/** The package's exports. None of the functions uses `this`. */
export interface MdnsJs {
  readonly name: "mdns-js";
  /** Version of the package whose calls these are. */
  readonly version: "1.0.3";
  readonly Browser: typeof Browser;
  readonly Advertisement: typeof Advertisement;
  readonly ServiceType: typeof ServiceType;
  readonly makeServiceType: typeof makeServiceType;
  readonly tcp: typeof tcp;
  readonly udp: typeof udp;
  /**
   * Creates a browser for a service type; default: the list of all types on the link.
   * @throws {RangeError} for an invalid type
   */
  createBrowser(serviceType?: ServiceType | string): Browser;
  /**
   * Creates an advertisement, to be started. Its host is `<name>.local`, or `options.host` if given.
   * @throws {RangeError} for an invalid type, port or option
   */
  createAdvertisement(
    serviceType: ServiceType | ServiceTypeForm,
    port: number,
    options: AdvertisementOptions,
  ): Advertisement;
  /** No-op: a console has one socket, on the network that it has joined. */
  excludeInterface(networkInterface: string): void;
}

/** @param mdns owns the socket, and closes what is created here */
export function mdnsJs(mdns: Mdns): MdnsJs {
  return Object.freeze({
    name: "mdns-js",
    version: "1.0.3",
    Browser,
    Advertisement,
    ServiceType,
    makeServiceType,
    tcp,
    udp,
    createBrowser: (serviceType: ServiceType | string = ServiceType.wildcard) =>
      new Browser(mdns.engine, serviceType),
    createAdvertisement: (
      serviceType: ServiceType | ServiceTypeForm,
      port: number,
      options: AdvertisementOptions,
    ) => mdns.createAdvertisement(serviceType, port, options),
    excludeInterface() {},
  });
}
