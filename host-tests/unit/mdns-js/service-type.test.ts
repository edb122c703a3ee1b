/** Service types are those of the package: equal results for equal calls, and errors for the same input. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeServiceType, ServiceType, tcp, udp } from "../../../device/services/mdns/service-type.js";
import {
  CALLS,
  copyOf,
  type PackageType,
  type ServiceTypeCalls,
  serviceTypeLines,
  shown,
  TEXTS,
} from "../../contracts/service-types.js";
import { published } from "./package.js";

const ours = { ServiceType, makeServiceType, tcp, udp } as unknown as ServiceTypeCalls;
const http = { name: "http", protocol: "tcp" };

/** Both results of a call. */
function compare(
  call: (calls: ServiceTypeCalls, form: readonly unknown[]) => PackageType,
  form: readonly unknown[],
) {
  const resultOf = (calls: ServiceTypeCalls) => shown(() => call(calls, copyOf(form) as unknown[]));
  const result = resultOf(ours);
  expect(result, `for ${JSON.stringify(form)}`).toBe(resultOf(published));
  return result;
}

describe("a service type is the package's", () => {
  test("for each call with texts, parts, lists and objects", () => {
    const lines = [...serviceTypeLines(ours)];
    expect(lines).toEqual([...serviceTypeLines(published)]);
    const refused = lines.filter((line) => line.endsWith(": an error"));
    expect(refused.length).toBeGreaterThan(100);
    expect(lines.length - refused.length).toBeGreaterThan(60);
  });

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
      calls: ServiceTypeCalls,
      steps: readonly { call: "fromString" | "fromArray" | "fromJSON"; form: unknown }[],
    ) => {
      const type = new calls.ServiceType();
      return steps.map(({ call, form }) =>
        shown(() => {
          (type[call] as (form: unknown) => void)(copyOf(form));
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
