/** An advertised service, with the interface of mdns-js. */
import type { ServiceClaim } from "./claim.js";
import { nameText } from "./domain-name.js";
import type { MdnsEngine } from "./mdns-engine.js";
import { textData } from "./resource-record.js";
import { makeServiceType, type ServiceType, type ServiceTypeForm } from "./service-type.js";

export interface AdvertisementOptions {
  /** Name for users; if it is taken, the service becomes `name (2)`. */
  readonly name: string;
  /** Label of the host; default: `name`. */
  readonly host?: string;
  /** Only `local`, the default: multicast DNS knows no other (RFC 6762 §3). */
  readonly domain?: string;
  /** Keys and values of the TXT record. */
  readonly txt?: Readonly<Record<string, string>>;
}

export class Advertisement {
  /** As it was given. Its subtypes are not advertised. */
  readonly serviceType: ServiceType | ServiceTypeForm;
  /** TCP or UDP port of the service. */
  readonly port: number;
  readonly options: AdvertisementOptions;
  readonly #engine: MdnsEngine;
  readonly #labels: readonly string[];
  readonly #text: Uint8Array;
  #claim: ServiceClaim | undefined;

  /**
   * @param engine what the package calls networking
   * @throws {RangeError} without a name, and for an invalid type, port, domain or TXT record
   */
  constructor(
    engine: MdnsEngine,
    serviceType: ServiceType | ServiceTypeForm,
    port: number,
    options: AdvertisementOptions,
  ) {
    if (typeof options?.name !== "string" || options.name === "")
      throw new RangeError("Cannot advertise a service without a name");
    if (!Number.isInteger(port) || port < 0 || port > 0xffff)
      throw new RangeError(`Cannot advertise port ${port}: it is 0 to 65535`);
    if (options.domain !== undefined && options.domain !== "local")
      throw new RangeError(`Cannot advertise in "${options.domain}": multicast DNS has "local" alone`);
    this.#labels = makeServiceType(serviceType).toLabels();
    this.#text = textData(options.txt ?? {});
    this.#engine = engine;
    this.serviceType = serviceType;
    this.port = port;
    this.options = options;
  }

  /** Current name of the instance with its type, after any conflicts; `""` while stopped. */
  get alias(): string {
    return this.#claim ? nameText(this.#claim.name) : "";
  }

  /**
   * Probes for the name, then announces it and answers queries. No-op while started.
   * @throws {RangeError} for more than eight at a time, and a name that is no label
   */
  start(): void {
    if (this.#claim) return;
    const { name, host = name } = this.options;
    const { port } = this;
    this.#claim = this.#engine.publish({ name, host, type: this.#labels, port, text: this.#text });
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
