/** Service types are those of the package: equal results for equal calls, and errors for the same input. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeServiceType, ServiceType, tcp, udp } from "../../../device/services/mdns/service-type.js";
import { type PackageType, published } from "./package.js";

/** Calls of either one. */
interface Calls {
  readonly ServiceType: { new (...form: readonly unknown[]): PackageType; readonly wildcard: string };
  makeServiceType(...form: readonly unknown[]): PackageType;
  tcp(...form: readonly unknown[]): PackageType;
  udp(...form: readonly unknown[]): PackageType;
}

const ours = { ServiceType, makeServiceType, tcp, udp } as unknown as Calls;
const http = { name: "http", protocol: "tcp" };

/** All that can be seen of a type, or that there is none. */
function shown(make: () => PackageType) {
  try {
    const type = make();
    const { name, protocol, subtypes, fullyQualified } = type;
    const texts = { array: type.toArray(), text: type.toString(), json: JSON.parse(JSON.stringify(type)) };
    delete texts.json.description; // left out on a console
    return {
      name,
      protocol,
      subtypes,
      fullyQualified,
      ...texts,
      isWildcard: type.isWildcard(),
      http: type.matches(http),
    };
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return "an error";
  }
}

/** Both results of a call. The arguments are copied: the package changes lists that it is given. */
function compare(call: (calls: Calls, form: readonly unknown[]) => PackageType, form: readonly unknown[]) {
  const result = shown(() => call(ours, structuredClone(form)));
  expect(result, `for ${JSON.stringify(form)}`).toEqual(shown(() => call(published, structuredClone(form))));
  return result;
}

const CALLS: Readonly<Record<string, (calls: Calls, form: readonly unknown[]) => PackageType>> = {
  "new ServiceType": (calls, form) => new calls.ServiceType(...form),
  makeServiceType: (calls, form) => calls.makeServiceType(...form),
  tcp: (calls, form) => calls.tcp(...form),
  udp: (calls, form) => calls.udp(...form),
};

const TEXTS = [
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
];

const PARTS: readonly (readonly unknown[])[] = [
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
];

describe("a service type is the package's", () => {
  for (const [name, call] of Object.entries(CALLS)) {
    test(`for ${name} with texts`, () => {
      const results = TEXTS.map((text) => compare(call, [text]));
      expect(new Set(results.map((result) => typeof result))).toEqual(new Set(["string", "object"]));
    });

    test(`for ${name} with parts, lists and objects`, () => {
      for (const form of PARTS) compare(call, form);
    });
  }

  test("for its own instances, which makeServiceType returns as they are", () => {
    for (const calls of [ours, published]) {
      const type = calls.tcp("http", "_printer");
      expect(calls.makeServiceType(type)).toBe(type);
      expect(String(new calls.ServiceType(type))).toBe("_http._tcp,printer");
      expect(shown(() => calls.tcp(type))).toBe("an error");
    }
  });

  test("for the wildcard", () => {
    expect(ServiceType.wildcard).toBe(published.ServiceType.wildcard);
    for (const calls of [ours, published])
      expect(new calls.ServiceType(calls.ServiceType.wildcard).isWildcard()).toBe(true);
  });

  test("after fromString, fromArray and fromJSON of an existing type, in any order", () => {
    const step = fc.oneof(
      fc.record({ call: fc.constant("fromString" as const), form: fc.constantFrom(...TEXTS) }),
      fc.record({
        call: fc.constant("fromArray" as const),
        form: fc.constantFrom(["http", "udp"], ["_a", "tcp", "b"], ["a"]),
      }),
      fc.record({
        call: fc.constant("fromJSON" as const),
        form: fc.constantFrom<unknown>(http, {}, { ...http, subtypes: ["x"], fullyQualified: true }),
      }),
    );
    const apply = (
      calls: Calls,
      steps: readonly { call: "fromString" | "fromArray" | "fromJSON"; form: unknown }[],
    ) => {
      const type = new calls.ServiceType();
      return steps.map(({ call, form }) =>
        shown(() => {
          (type[call] as (form: unknown) => void)(structuredClone(form));
          return type;
        }),
      );
    };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        expect(apply(ours, steps)).toEqual(apply(published, steps));
      }),
      { numRuns: 500 },
    );
  });

  test("for any text of the pieces of types", () => {
    const piece = fc.constantFrom(
      ...[
        "_",
        ".",
        ",",
        "_sub",
        "._sub",
        "_tcp",
        "_udp",
        "tcp",
        "http",
        "_http",
        "a",
        "-",
        " ",
        "é",
        ".local",
        "local",
      ],
      ...["_services", "._dns-sd", "._udp", "\n", "x".repeat(10)],
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(CALLS)),
        fc.array(text, { maxLength: 4 }),
        (call, form) => {
          compare(call, form);
        },
      ),
      { numRuns: 10_000 },
    );
  });

  test("for any parts", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "http",
        "_http",
        "tcp",
        "_tcp",
        "udp",
        "_udp",
        "",
        "_",
        "__x",
        "x".repeat(20),
        "x".repeat(21),
      ),
      fc.constantFrom<unknown>(undefined, null, 0, [], {}, ["http", "tcp"], true),
      fc.string({ maxLength: 4 }),
    );
    const form = fc.oneof(
      fc.array(part, { maxLength: 5 }),
      fc.array(part, { maxLength: 5 }).map((parts) => [parts]),
      fc
        .record(
          {
            name: part,
            protocol: part,
            subtypes: fc.array(part, { maxLength: 3 }),
            fullyQualified: fc.boolean(),
          },
          { requiredKeys: [] },
        )
        .map((parts) => [parts]),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(CALLS)), form, (call, parts) => void compare(call, parts)),
      { numRuns: 10_000 },
    );
  });
});

test("an invalid type is refused with a RangeError that quotes it, and an existing type is not changed", () => {
  const type = tcp("http", "printer");
  for (const text of ["", "http", "_http.tcp", "_a._b._c._tcp"])
    expect(() => type.fromString(text)).toThrow(new RegExp(`^Cannot use "${text}"`));
  for (const form of [5, null, [[["http"]]], { name: "http" }, { ...http, subtypes: "ab" }])
    expect(() => new ServiceType(form as unknown as string)).toThrow(RangeError);
  expect(() => tcp("http", "_udp")).toThrow('Cannot use "_udp" as a second protocol');
  expect(() => type.fromArray(["http", "tcp", "a b"])).toThrow(RangeError);
  expect(type.toArray()).toEqual(["http", "tcp", "printer"]);
});

test("a type in a list leaves the list as it is", () => {
  const parts = ["http", "tcp", "printer"];
  expect(String(new ServiceType(parts))).toBe("_http._tcp,printer");
  expect(parts).toEqual(["http", "tcp", "printer"]);
});
