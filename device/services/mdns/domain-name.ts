/**
 * Domain names in wire form (RFC 1035 §3.1), and service types in text form (RFC 6763 §4).
 */

/** RFC 1035 §2.3.4. */
export const LABEL_LIMIT_BYTES = 63;

/** RFC 1035 §2.3.4, including length bytes and root. */
const NAME_LIMIT_BYTES = 255;

/** An uncompressed name in wire form. Immutable. */
export type DomainName = Uint8Array;

/**
 * Builds a name from labels, most specific first: `domainName("_svc", "_tcp", "local")`.
 * @throws {RangeError} for an empty label, one over 63 bytes of UTF-8, or a name over 255
 */
export function domainName(...labels: readonly string[]): DomainName {
  const encoder = new TextEncoder();
  const encoded = labels.map((label) => encoder.encode(label));
  const name = new Uint8Array(encoded.reduce((total, label) => total + 1 + label.length, 1));
  let at = 0;
  for (const label of encoded) {
    if (label.length === 0 || label.length > LABEL_LIMIT_BYTES)
      throw new RangeError(`Cannot use a label of ${label.length} bytes: 1 to ${LABEL_LIMIT_BYTES} fit`);
    name[at] = label.length;
    name.set(label, at + 1);
    at += 1 + label.length;
  }
  if (name.length > NAME_LIMIT_BYTES)
    throw new RangeError(`Cannot use a name of ${name.length} bytes: ${NAME_LIMIT_BYTES} fit`);
  return name;
}

/** The labels of an uncompressed name, most specific first. Bytes that are not UTF-8 become U+FFFD. */
export function labelsOf(name: DomainName): string[] {
  const decoder = new TextDecoder();
  const labels: string[] = [];
  for (let at = 0; name[at] !== 0; at += 1 + (name[at] as number))
    labels.push(decoder.decode(name.subarray(at + 1, at + 1 + (name[at] as number))));
  return labels;
}

/** The labels with dots between them, as mdns-js shows names; dots within a label are not escaped. */
export function nameText(name: DomainName): string {
  return labelsOf(name).join(".");
}

/** Whether two uncompressed names are equal, ignoring ASCII case. Their length bytes are below any letter. */
export function sameName(one: DomainName, other: DomainName): boolean {
  if (one === other) return true;
  return (
    one.length === other.length &&
    one.every((byte, index) => byte === other[index] || foldCase(byte) === foldCase(other[index] as number))
  );
}

/** Converts an ASCII letter to lower case; returns other bytes unchanged. */
function foldCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/**
 * Service types as in mdns-js: `tcp("svc")` is `_svc._tcp`. A leading underscore of a part is optional. The name
 * follows RFC 6335 §5.1, but with the limit of 20 characters of mdns-js.
 */
const NAME_LIMIT_CHARACTERS = 20;
const NAME = /^[A-Za-z0-9-]+$/;
const LOCAL_ENDING = /\.local\.?$/;
/** Name of the list of all service types on the link (RFC 6763 §9). */
const WILDCARD = "_services._dns-sd._udp";

type Protocol = "tcp" | "udp";

/** The fields that define a service type, as in mdns-js. */
interface ServiceTypeParts {
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
   * @param type text (`_svc._tcp`, `_svc._tcp.local`, `_svc._tcp,_printer`), a list of parts, or an object of parts
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

  /** Whether name and protocol are equal; ignores subtypes. */
  matches(other: ServiceType): boolean {
    return this.name === other.name && this.protocol === other.protocol;
  }

  /** The labels of the type, without `local`. */
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

/** Parses a service type in text form. As in mdns-js, the default protocol is TCP. */
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
