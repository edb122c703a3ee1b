/** An advertised service, in the shape that mdns-js gives it. */
import type { ServiceClaim } from "./claim.js";
import { nameText } from "./domain-name.js";
import type { MdnsEngine } from "./mdns-engine.js";
import { textData } from "./resource-record.js";
import type { ServiceType } from "./service-type.js";

export interface AdvertisementOptions {
  /** What people read; a name that is taken becomes `name (2)`. */
  readonly name: string;
  /** Label of the host, the name of the service where left out. */
  readonly host?: string;
  /** Keys and values of the TXT record. */
  readonly txt?: Readonly<Record<string, string>>;
}

export class Advertisement {
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
