/**
 * Service types of mdns-js: calls, forms of a type to make them with, and all that can be seen of the results. The package
 * and ours give the same, on every engine.
 */
import type { ServiceType } from "../../device/services/mdns/service-type.js";

/** A service type of the package; it has no `toLabels`. */
export type PackageType = Omit<ServiceType, "toLabels">;

/** The exports that make service types. */
export interface ServiceTypeCalls {
  readonly ServiceType: { new (...form: readonly unknown[]): PackageType; readonly wildcard: string };
  makeServiceType(...form: readonly unknown[]): PackageType;
  tcp(...form: readonly unknown[]): PackageType;
  udp(...form: readonly unknown[]): PackageType;
}

type Call = (calls: ServiceTypeCalls, form: readonly unknown[]) => PackageType;

export const CALLS: Readonly<Record<string, Call>> = Object.freeze({
  "new ServiceType": (calls, form) => new calls.ServiceType(...form),
  makeServiceType: (calls, form) => calls.makeServiceType(...form),
  tcp: (calls, form) => calls.tcp(...form),
  udp: (calls, form) => calls.udp(...form),
});

const http = Object.freeze({ name: "http", protocol: "tcp" });

/** All that can be seen of a type, in JSON, or that there is none. */
export function shown(make: () => PackageType): string {
  try {
    const type = make();
    const { name, protocol, subtypes, fullyQualified = "unset" } = type;
    const json = { ...JSON.parse(JSON.stringify(type)), description: undefined }; // left out on a console
    const texts = { array: type.toArray(), text: type.toString(), isWildcard: type.isWildcard() };
    return JSON.stringify({
      name,
      protocol,
      subtypes,
      fullyQualified,
      json,
      ...texts,
      isHttp: type.matches(http),
    });
  } catch (error) {
    return error instanceof Error ? "an error" : `thrown: ${error}`;
  }
}

/** A copy of what a call is given: the package changes lists. */
export function copyOf(form: unknown): unknown {
  return Array.isArray(form) ? form.map(copyOf) : form;
}

/** A line for each call with each form of the tables. */
export function* serviceTypeLines(calls: ServiceTypeCalls): Generator<string> {
  for (const [name, call] of Object.entries(CALLS))
    for (const form of [...TEXTS.map((text) => [text]), ...PARTS])
      yield `${name}: ${shown(() => call(calls, copyOf(form) as unknown[]))}`;
}

export const TEXTS: readonly string[] = Object.freeze([
  ...[
    "_http._tcp",
    "_http._udp",
    "_http._tcp.local",
    "_http._tcp.",
    "_http._tcp.local.",
    "_http",
    "_http.local",
  ],
  ...["_http._tcp,_printer", "_http._tcp,printer", "_http._tcp,_a,_b", "_http,_a", "_http._tcp,", ",_a", ","],
  ...[
    "_printer._sub._http._tcp",
    "printer._sub._http._tcp.local",
    "_a._sub._b._sub._http._tcp",
    "_sub._http._tcp",
  ],
  ...["_subway._tcp", "_sub", "._sub", "_a._sub", "x.local._sub._http._tcp", "Console-1A2B._svc._tcp.local"],
  ...[
    "_services._dns-sd._udp",
    "_services._dns-sd._udp.local",
    "_services._dns-sd._udp.",
    "_services._dns-sd._tcp",
  ],
  ...[
    "",
    ".",
    "..",
    "_",
    "__",
    "_._tcp",
    "http",
    "http.tcp",
    "_http.tcp",
    "_http._ip",
    "_a._b._c._tcp",
    "_http._tcp.x",
  ],
  ...[
    "_h ttp._tcp",
    "x.a_b._tcp",
    "a_b._tcp",
    "_é._tcp",
    `_${"x".repeat(20)}._tcp`,
    `_${"x".repeat(21)}._tcp`,
  ],
]);

const PARTS: readonly (readonly unknown[])[] = Object.freeze([
  [],
  [[]],
  ["http", "tcp"],
  ["_http", "_udp", "printer", "_scanner"],
  [["http", "tcp", "_printer"]],
  [["_http._tcp"]],
  [[["http", "tcp"]]],
  ["http", "ip"],
  ["http", ""],
  ["", "tcp"],
  ["__http", "tcp"],
  ["http", "tcp", ""],
  ["http", "tcp", "x".repeat(20)],
  ["http", "tcp", "x".repeat(21)],
  ["x".repeat(21), "tcp"],
  ["ht tp", "tcp"],
  ["http", "tcp", "a.b"],
  ["http", "tcp", "tcp"],
  ["http", "_udp", "a"],
  ["http", undefined],
  [undefined, "tcp"],
  ["http", "tcp", undefined],
  [1, "tcp"],
  [undefined],
  [null],
  [5],
  [true],
  [{}],
  [{ name: "http" }],
  [{ protocol: "tcp" }],
  [http],
  [{ name: "_http", protocol: "_udp", subtypes: ["_a", "b"], fullyQualified: true }],
  [{ ...http, subtypes: [] }],
  [{ ...http, subtypes: ["a b"] }],
  [{ ...http, subtypes: "ab" }],
  [{ ...http, subtypes: undefined }],
  [{ ...http, subtypes: [5] }],
  [{ ...http, fullyQualified: false }],
  [{ name: 5, protocol: "tcp" }],
  [{ name: ["http"], protocol: "tcp" }],
  [{ name: null, protocol: "tcp" }],
]);
