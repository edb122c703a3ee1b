/**
 * Types of services (RFC 6763 §7), with the calls of the package mdns-js 1.0.3: `tcp("svc")` is `_svc._tcp`. Accepts and
 * refuses the same input as the package, and gives the same results. What the package refuses with any error is a
 * `RangeError` here.
 *
 * The package's `description` of well-known types is left out: a console shows none.
 */

/** Of a name or subtype in parts, as in the package. RFC 6335 §5.1 has 15 for registered names. */
const PART_LIMIT_CHARACTERS = 20;

/** Name of the list of all service types on the link (RFC 6763 §9). */
const WILDCARD = "_services._dns-sd._udp";

/** The default of a type in text form. */
const DEFAULT_PROTOCOL = "_tcp";

const PART = /^[-a-zA-Z0-9]+$/;
/** The package asks no more of a name in text form. */
const UNDERSCORED = /_[-a-zA-Z0-9]/;
/** As in the package, any character stands for the dot. */
const LOCAL_ENDING = /.local$/;

/** The fields of a service type. */
export interface ServiceTypeParts {
  readonly name: string;
  readonly protocol: string;
  readonly subtypes?: readonly string[];
  /** The text ends in a dot. */
  readonly fullyQualified?: boolean | undefined;
}

/** A type as text (`_svc._tcp`), as a list of parts (`["svc", "tcp", "printer"]`), or as an object of parts. */
export type ServiceTypeForm = string | readonly string[] | ServiceTypeParts;

export class ServiceType {
  /** A browser for it finds the types of all services. */
  static readonly wildcard = WILDCARD;

  /** Without its underscore, as `protocol`. */
  name = "";
  protocol = "";
  subtypes: string[] = [];
  fullyQualified: boolean | undefined;

  /**
   * @param form a type in one of its forms, or its parts one by one; without any, name and protocol are empty
   * @throws {RangeError} for an invalid service type
   */
  constructor(...form: readonly [ServiceTypeForm?] | readonly string[]) {
    const [first] = form;
    const parts: readonly unknown[] = form.length === 1 && Array.isArray(first) ? first : form;
    if (parts.length > 1) this.fromArray(parts as readonly string[]);
    else if (parts.length === 1) this.#fromOne(parts[0]);
  }

  #fromOne(form: unknown): void {
    if (typeof form === "string") this.fromString(form);
    else if (typeof form === "object" && form !== null) this.fromJSON(form as ServiceTypeParts);
    else throw new RangeError(`Cannot read a service type from ${form}: it is a text, a list or an object`);
  }

  /**
   * Reads text: `_http._tcp`, `_http._tcp.local`, `_http._tcp,_printer`, `_printer._sub._http._tcp`, or just `_http`. Text
   * before the type, such as the name of an instance, is skipped. Subtypes are taken as they stand.
   * @throws {RangeError} and changes nothing
   */
  fromString(text: string): void {
    const withoutLocal = text.replace(LOCAL_ENDING, "");
    const [primary, subtypes] = splitText(withoutLocal);
    const [name, protocol = DEFAULT_PROTOCOL, ...rest] = labelsOfPrimary(primary, withoutLocal === WILDCARD);
    const isFullyQualified = rest.length === 1 && rest[0] === "";
    if (rest.length > 0 && !isFullyQualified) throw unreadable(text);
    if (!protocol.startsWith("_") || !isProtocol(protocol)) throw unreadable(text);
    if (withoutLocal !== WILDCARD && !isUnderscored(name)) throw unreadable(text);
    if (isFullyQualified) this.fullyQualified = true;
    this.name = (name as string).slice(1);
    this.protocol = protocol.slice(1);
    this.subtypes = subtypes;
  }

  /**
   * Takes name, protocol and subtypes, each with or without its underscore.
   * @throws {RangeError} and changes nothing
   */
  fromArray(parts: readonly string[]): void {
    const [name, protocol, ...subtypes] = parts;
    this.#assign({ name: name as string, protocol: protocol as string, subtypes });
  }

  /**
   * Takes the fields of an object, for instance of another service type, or of one that was written as JSON.
   * @throws {RangeError} and changes nothing
   */
  fromJSON(parts: ServiceTypeParts): void {
    this.#assign(parts);
    if ("fullyQualified" in parts) this.fullyQualified = parts.fullyQualified;
  }

  #assign(parts: ServiceTypeParts): void {
    const given = "subtypes" in parts ? parts.subtypes : [];
    if (!Array.isArray(given)) throw new RangeError(`Cannot use ${given} as subtypes: they are a list`);
    const name = checkedPart(parts.name);
    const protocol = checkedProtocol(parts.protocol);
    this.subtypes = given.map(checkedPart);
    this.name = name;
    this.protocol = protocol;
  }

  /** Name, protocol and subtypes, without underscores where they were given in parts. */
  toArray(): string[] {
    return [this.name, this.protocol, ...this.subtypes];
  }

  toString(): string {
    const primary = `_${this.name}._${this.protocol}${this.fullyQualified ? "." : ""}`;
    return [primary, ...this.subtypes].join(",");
  }

  /** The labels of the type on the link, without subtypes and `local`. Not in the package. */
  toLabels(): string[] {
    return `_${this.name}._${this.protocol}`.split(".");
  }

  isWildcard(): boolean {
    return this.toString() === WILDCARD;
  }

  /** Whether name and protocol are equal; ignores subtypes. */
  matches(other: Pick<ServiceTypeParts, "name" | "protocol">): boolean {
    return this.name === other.name && this.protocol === other.protocol;
  }
}

/**
 * A new service type, or the given one itself.
 * @throws {RangeError} for an invalid service type
 */
export function makeServiceType(
  ...form: readonly [(ServiceType | ServiceTypeForm)?] | readonly string[]
): ServiceType {
  const [first] = form;
  if (form.length === 1 && first instanceof ServiceType) return first;
  return new ServiceType(form as readonly string[]);
}

/** The type of a service over TCP: `tcp("svc")` is `_svc._tcp`. @throws {RangeError} */
export function tcp(name: string, ...subtypes: readonly string[]): ServiceType {
  return makeServiceType(name, "tcp", ...withoutProtocol(subtypes));
}

/** The type of a service over UDP. @throws {RangeError} */
export function udp(name: string, ...subtypes: readonly string[]): ServiceType {
  return makeServiceType(name, "udp", ...withoutProtocol(subtypes));
}

function withoutProtocol(subtypes: readonly string[]): readonly string[] {
  if (isProtocol(subtypes[0])) throw new RangeError(`Cannot use "${subtypes[0]}" as a second protocol`);
  return subtypes;
}

/**
 * Splits text into `_name._protocol` and subtypes: those behind commas, else those before `._sub`, the nearest first.
 * A type that begins with `_sub` has one subtype, which is empty.
 */
function splitText(text: string): readonly [string, string[]] {
  const whole = text.startsWith("_sub") ? `.${text}` : text;
  const listed = whole.split(",");
  const [primary = "", ...subtypes] = listed.length > 1 ? listed : whole.split("._sub").reverse();
  return [primary, subtypes];
}

/** Name, protocol and what follows. The name of the wildcard has two labels. A first label without underscore is skipped. */
function labelsOfPrimary(primary: string, isWildcard: boolean): readonly (string | undefined)[] {
  const labels = primary.split(".");
  if (isWildcard) return [labels.slice(0, 2).join("."), ...labels.slice(2)];
  return primary.startsWith("_") ? labels : labels.slice(1);
}

function isUnderscored(name: string | undefined): boolean {
  return name !== undefined && name.length <= PART_LIMIT_CHARACTERS + 1 && UNDERSCORED.test(name);
}

function isProtocol(text: unknown): text is string {
  return text === "tcp" || text === "_tcp" || text === "udp" || text === "_udp";
}

function checkedPart(part: unknown): string {
  const plain = withoutUnderscore(part);
  if (typeof plain !== "string" || plain.length > PART_LIMIT_CHARACTERS || !PART.test(plain))
    throw new RangeError(
      `Cannot use "${part}" in a service type: it takes 1 to ${PART_LIMIT_CHARACTERS} letters, digits and hyphens`,
    );
  return plain;
}

function checkedProtocol(part: unknown): string {
  const plain = withoutUnderscore(part);
  if (plain === "tcp" || plain === "udp") return plain;
  throw new RangeError(`Cannot use "${part}" as a protocol: it is "tcp" or "udp"`);
}

function withoutUnderscore(part: unknown): unknown {
  return typeof part === "string" && part.startsWith("_") ? part.slice(1) : part;
}

function unreadable(text: string): RangeError {
  return new RangeError(`Cannot use "${text}" as a service type: it is like "_http._tcp"`);
}
