/**
 * Service types as mdns-js has them: `tcp("svc")` is `_svc._tcp`. A leading underscore of a part is taken
 * and dropped; the name follows RFC 6335 §5.1 with mdns-js's limit of 20 characters.
 */
const NAME_LIMIT_CHARACTERS = 20;
const NAME = /^[A-Za-z0-9-]+$/;
const LOCAL_ENDING = /\.local\.?$/;
/** The list of all types on the link (RFC 6763 §9). */
const WILDCARD = "_services._dns-sd._udp";

export type Protocol = "tcp" | "udp";

/** The part of mdns-js's options and objects that makes a type. */
export interface ServiceTypeParts {
  readonly name: string;
  readonly protocol: string;
  readonly subtypes?: readonly string[];
}

export class ServiceType {
  static readonly wildcard = WILDCARD;

  readonly name: string;
  readonly protocol: Protocol;
  readonly subtypes: readonly string[];

  /**
   * From text (`_svc._tcp`, `_svc._tcp.local`, `_svc._tcp,_printer`), parts, or an object with them.
   * @throws {RangeError} for an invalid service type
   */
  constructor(type: string | readonly string[] | ServiceTypeParts) {
    const { name, protocol, subtypes = [] } = partsOf(type);
    this.protocol = checkedProtocol(withoutUnderscore(protocol));
    this.name = name === "_services._dns-sd" ? "services._dns-sd" : checkedName(withoutUnderscore(name));
    this.subtypes = subtypes.map((subtype) => checkedName(withoutUnderscore(subtype)));
  }

  isWildcard(): boolean {
    return this.toString() === WILDCARD;
  }

  /** Same name and protocol, with any subtypes. */
  matches(other: ServiceType): boolean {
    return this.name === other.name && this.protocol === other.protocol;
  }

  /** The labels of the type below `local`. */
  toLabels(): string[] {
    return this.isWildcard() ? WILDCARD.split(".") : [`_${this.name}`, `_${this.protocol}`];
  }

  toString(): string {
    return [`_${this.name}._${this.protocol}`, ...this.subtypes].join(",");
  }
}

/** The type of a service over TCP: `tcp("svc")` is `_svc._tcp`. @throws {RangeError} */
export function tcp(name: string, ...subtypes: readonly string[]): ServiceType {
  return new ServiceType({ name, protocol: "tcp", subtypes });
}

/** The type of a service over UDP. @throws {RangeError} */
export function udp(name: string, ...subtypes: readonly string[]): ServiceType {
  return new ServiceType({ name, protocol: "udp", subtypes });
}

/** Converts any form of a type that mdns-js accepts. @throws {RangeError} */
export function makeServiceType(
  type: ServiceType | string | readonly string[] | ServiceTypeParts,
): ServiceType {
  return type instanceof ServiceType ? type : new ServiceType(type);
}

function partsOf(type: string | readonly string[] | ServiceTypeParts): ServiceTypeParts {
  if (typeof type === "string") return partsOfText(type.replace(LOCAL_ENDING, ""));
  if (!isList(type)) return type;
  const [name = "", protocol = "tcp", ...subtypes] = type;
  return { name, protocol, subtypes };
}

function isList(type: readonly string[] | ServiceTypeParts): type is readonly string[] {
  return Array.isArray(type);
}

/** As in mdns-js a protocol that is left out is TCP. */
function partsOfText(text: string): ServiceTypeParts {
  if (text === WILDCARD) return { name: "_services._dns-sd", protocol: "udp" };
  const [primary = "", ...subtypes] = text.split(",");
  const [name = "", protocol = "_tcp", ...rest] = primary.split(".");
  if (!name.startsWith("_") || !protocol.startsWith("_") || rest.length > 0)
    throw new RangeError(`Cannot use "${text}" as a service type: it is like "_http._tcp"`);
  return { name, protocol, subtypes };
}

function withoutUnderscore(text: string): string {
  return text.startsWith("_") ? text.slice(1) : text;
}

function checkedName(name: string): string {
  if (name.length > NAME_LIMIT_CHARACTERS || !NAME.test(name))
    throw new RangeError(
      `Cannot use "${name}" in a service type: it takes 1 to ${NAME_LIMIT_CHARACTERS} letters, digits and hyphens`,
    );
  return name;
}

function checkedProtocol(protocol: string): Protocol {
  if (protocol === "tcp" || protocol === "udp") return protocol;
  throw new RangeError(`Cannot use "${protocol}" as a protocol: it is "tcp" or "udp"`);
}
