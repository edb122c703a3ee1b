import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { JsonReader, parseJson } from "../../../protocol/json.js";

const utf8 = (text: string) => new TextEncoder().encode(text);

/** The value, or the code of the fault. Anything else that is thrown fails the test. */
function outcome(bytes: Uint8Array, limits = {}): unknown {
  try {
    return { value: parseJson(bytes, limits) };
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

const TEXTS = [
  { name: "32 levels", text: nested(32), is: "taken" },
  { name: "33 levels", text: nested(33), is: "bad_json" },
  { name: "33 levels of objects", text: `${'{"a":'.repeat(33)}1${"}".repeat(33)}`, is: "bad_json" },
  { name: "33 levels of both", text: `${'[{"a":'.repeat(17)}1${"}]".repeat(17)}`, is: "bad_json" },
  { name: "30,000 levels", text: nested(30_000), is: "bad_json" },
  { name: "levels that are never closed", text: "[".repeat(50_000), is: "bad_json" },
  { name: "many brackets side by side", text: `[${"[],".repeat(1000)}{}]`, is: "taken" },
  { name: "many brackets in a string", text: JSON.stringify("[{".repeat(1000)), is: "taken" },
  { name: "brackets after an escaped quote", text: `["\\"${"[".repeat(99)}"]`, is: "taken" },
  { name: "brackets after an escaped backslash", text: `["\\\\",${nested(31)}]`, is: "taken" },
  { name: "too many after an escaped backslash", text: `["\\\\",${nested(32)}]`, is: "bad_json" },
  { name: "a string that ends in a backslash", text: `${"[".repeat(32)}"${"[".repeat(9)}\\`, is: "bad_json" },
  { name: "closing brackets that were never opened", text: `${"]".repeat(99)}${nested(99)}`, is: "bad_json" },
  { name: "nothing", text: "", is: "bad_json" },
  { name: "a byte order mark", text: "\ufeff[]", is: "bad_encoding" },
];
for (const { name, text, is } of TEXTS)
  test(`parseJson of ${name}: ${is}`, () => {
    const result = outcome(utf8(text));
    expect(result).toEqual(is === "taken" ? { value: JSON.parse(text) } : is);
  });

const BROKEN = [
  { name: "a lone continuation byte", bytes: [0x22, 0x80, 0x22] },
  { name: "an overlong slash", bytes: [0x22, 0xc0, 0xaf, 0x22] },
  { name: "a surrogate", bytes: [0x22, 0xed, 0xa0, 0x80, 0x22] },
  { name: "a sequence cut short", bytes: [0x22, 0xe2, 0x82] },
];
for (const { name, bytes } of BROKEN)
  test(`parseJson answers bad_encoding for ${name}`, () =>
    expect(outcome(Uint8Array.from(bytes))).toBe("bad_encoding"));

test("parseJson accepts exactly as many bytes as its limit", () => {
  expect(outcome(utf8("[1,2]"), { byteLength: 5 })).toEqual({ value: [1, 2] });
  expect(outcome(utf8("[1,2,3]"), { byteLength: 5 })).toBe("body_too_large");
});

test("parseJson counts the bytes of multi-byte characters", () =>
  expect(outcome(utf8('"ä"'), { byteLength: 3 })).toBe("body_too_large"));

test("a JsonReader works after a rejected text", () => {
  const reader = new JsonReader();
  expect(() => reader.read(Uint8Array.of(0xe2, 0x82))).toThrow(Fault);
  expect(reader.read(utf8('"ä"'))).toBe("ä");
});

test("property: parseJson equals JSON.parse within the nesting limit", () =>
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      expect(parseJson(utf8(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  ));

test("property: parseJson throws only faults, whatever the bytes", () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      outcome(bytes);
    }),
  ));

test("property: a limit of d accepts exactly texts nested at most d deep", () =>
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), (value, depth) => {
      const text = `${JSON.stringify(value)}${" ".repeat(3)}`;
      expect(outcome(utf8(text), { depth }) !== "bad_json").toBe(depthOf(value) <= depth);
    }),
  ));

for (const [text, count] of [
  ["0", 1],
  ["[0,0]", 3],
  ["[[],[]]", 5],
  ['{"a":0,"b":0}', 3],
  ["[[[]]]", 4],
  ['["[,{","\\",["]', 3],
] as const)
  test(`${text} counts as ${count} values`, () => {
    expect(outcome(utf8(text), { values: count })).not.toBe("bad_json");
    expect(outcome(utf8(text), { values: count - 1 })).toBe("bad_json");
  });

test("a string of separators alone counts as one value", () =>
  expect(outcome(utf8(`"${"[{,".repeat(2000)}"`), { values: 1 })).not.toBe("bad_json"));

for (const text of ["[],", "{},", "0,", '"",', '{"":0},', "[[]],", "null,"])
  test(`64 KiB of ${text} are rejected by default`, () => {
    const many = `[${text.repeat(Math.floor(65_000 / text.length))}0]`;
    expect(outcome(utf8(many), {})).toBe("bad_json");
  });

test("property: no more values are accepted than the limit", () =>
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(20), (value, values) => {
      if (outcome(utf8(JSON.stringify(value)), { values }) !== "bad_json")
        expect(valuesIn(value)).toBeLessThanOrEqual(values);
    }),
  ));

function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + valuesIn(item), 1);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const CORPUS = join(import.meta.dirname, "../../../../shared/testdata/JSONTestSuite/test_parsing");

describe.skipIf(!existsSync(CORPUS))("JSONTestSuite (skipped where ../shared/testdata is absent)", () => {
  const names = existsSync(CORPUS) ? readdirSync(CORPUS).filter((name) => name.endsWith(".json")) : [];
  test("is complete", () => expect(names.length).toBe(318));
  for (const name of names)
    test(name, () => {
      const bytes = new Uint8Array(readFileSync(join(CORPUS, name)));
      const result = outcome(bytes, { byteLength: 1024 * 1024 });
      if (name.startsWith("y_")) expect(result).toHaveProperty("value");
      if (name.startsWith("n_")) expect(result).toMatch(/^bad_(json|encoding)$/);
      // i_: a value or a Fault, and `outcome` has thrown on anything else
    });
});
