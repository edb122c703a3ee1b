/** The JSON reader, against `JSON.parse`, and on text that is no JSON. */
import { beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../hosts/seeded-random.js";
import { COMPILE_TIMEOUT_MS } from "./home-app.js";
import { loadPart, type ModuleExports } from "./home-module.js";

let reader: ModuleExports;
let answer: Uint8Array = new Uint8Array();
let position = 0;

beforeAll(async () => {
  reader = await loadPart("json", {
    console_request: () => 200,
    console_read: (at: number, length: number) => {
      const part = answer.subarray(position, position + Math.min(length, 7));
      new Uint8Array(reader.memory.buffer).set(part, at);
      position += part.length;
      return part.length;
    },
  });
}, COMPILE_TIMEOUT_MS);

const call = (name: string): number => Number(reader[name]?.());

function begin(text: string | Uint8Array): void {
  answer = typeof text === "string" ? new TextEncoder().encode(text) : text;
  position = 0;
  call("begin");
}

/** Reads a value as one of the type that is expected of it. */
function read(expected: unknown): unknown {
  if (typeof expected === "string") return readText();
  if (typeof expected === "number") return call("readInteger");
  if (typeof expected === "boolean") return call("readFlag") === 1;
  if (expected === null) {
    call("skip");
    return null;
  }
  if (Array.isArray(expected)) {
    expect(call("enterArray")).toBe(1);
    const values: unknown[] = [];
    while (call("nextElement")) values.push(read(expected[values.length]));
    return values;
  }
  expect(call("enterObject")).toBe(1);
  const members: [string, unknown][] = [];
  const known = Object.entries(expected as object);
  while (call("nextMember")) {
    const [name = "", value] = known[members.length] ?? [];
    members.push([name, read(value)]);
  }
  return Object.fromEntries(members);
}

function readText(): string | undefined {
  const length = call("readText");
  if (length < 0) return undefined;
  const bytes = new Uint8Array(reader.memory.buffer, call("textAt"), length);
  return new TextDecoder().decode(bytes);
}

const VALUES: readonly unknown[] = [
  [],
  {},
  [[], {}, [{}]],
  { name: "clock", size: 23456, isOn: true, isOff: false, nothing: null },
  [-1, 0, 1, 9007199254740991, -9007199254740991],
  ['"\\/\b\f\n\r\t', "é 語 𝄞", "\u0000\u001f\u007f", "x".repeat(600)],
  { a: { b: { c: { d: { e: 1 } } } } },
  Array.from({ length: 100 }, (_, index) => ({ index, text: `number ${index}` })),
];

describe("the JSON reader", () => {
  test.each(VALUES.map((value) => [JSON.stringify(value).slice(0, 40), value] as const))(
    "reads %s",
    (_, value) => {
      for (const text of [
        JSON.stringify(value),
        JSON.stringify(value, null, "\t "),
        ` \r\n${JSON.stringify(value)} `,
      ]) {
        begin(text);
        expect(read(value)).toEqual(value);
        expect(call("isComplete")).toBe(1);
      }
    },
  );

  test("reads escapes, of which half a pair is U+FFFD", () => {
    begin('["\\u0041\\u00e9\\u8a9e\\ud834\\udd1e", "\\udd1e", "\\ud834\\u0041", "\\/"]');
    expect(read(["", "", "", ""])).toEqual(["Aé語𝄞", "\ufffd", "\ufffd", "/"]);
  });

  test("reads the whole part of numbers, and no more than 2^53 - 1", () => {
    begin("[1.9, -2.5e3, 1E+2, 99999999999999999999999999]");
    expect(read([0, 0, 0, 0])).toEqual([1, -2, 1, 9007199254740991]);
  });

  test("skips what is not read, however deep", () => {
    begin('{"a":[1,{"b":"]}"}],"name":"x","c":{"d":[[[[[[[[[[1]]]]]]]]]]},"name":"y"}');
    call("enterObject");
    const names: (string | undefined)[] = [];
    while (call("nextMember")) if (call("isNamedName")) names.push(readText());
    expect(names).toEqual(["x", "y"]);
    expect(call("isComplete")).toBe(1);
  });

  test("skips a value of another type", () => {
    begin('[{"a":1},[2],"3",4,true,null]');
    call("enterArray");
    const results: unknown[] = [];
    for (const name of ["readText", "readInteger", "enterObject", "readText", "enterArray", "readFlag"]) {
      expect(call("nextElement")).toBe(1);
      results.push(call(name));
    }
    expect(results).toEqual([-1, -7, 0, -1, 0, 0]);
    expect(call("nextElement")).toBe(0);
    expect(call("isComplete")).toBe(1);
  });

  test.each([
    ...[
      "",
      " ",
      "{",
      "[",
      '"',
      '{"',
      '{"a',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      "[1,",
      '["',
      '["\\',
      '["\\u12',
    ],
    ...[
      '{"a":1,}',
      "[1,]",
      "[1 2]",
      '{"a" 1}',
      "{1:2}",
      '["\\x"]',
      '["\\ud834x"]',
      '["\n"]',
      "[1}",
      '{"a":1]',
    ],
    ...["}", "]", ",", ":", "{,}", "[,1]", `${"[".repeat(40)}${"]".repeat(40)}`],
  ])("takes %s for incomplete", (text) => {
    begin(text);
    if (!text.startsWith("[") && call("enterObject")) while (call("nextMember")) call("readInteger");
    else if (call("enterArray")) while (call("nextElement")) call("readText");
    expect(call("isComplete")).toBe(0);
  });

  test("ends on any bytes, in any order of calls", () => {
    const seed = 20261126;
    const random = seededRandom(seed);
    const calls = [
      ...[
        "enterObject",
        "enterArray",
        "nextMember",
        "nextElement",
        "readText",
        "readInteger",
        "readFlag",
        "skip",
      ],
    ];
    const texts = VALUES.map((value) => new TextEncoder().encode(JSON.stringify(value)));
    for (let round = 0; round < 3000; round++) {
      const bytes = Uint8Array.from(texts[random(texts.length)] ?? []);
      for (let i = random(6); i > 0; i--) bytes[random(bytes.length)] = random(256);
      begin(bytes.subarray(0, random(4) === 0 ? random(bytes.length + 1) : bytes.length));
      for (let i = 0; i < 60; i++) call(calls[random(calls.length)] ?? "");
      call("isComplete");
      for (let i = 0; call("nextMember") || call("nextElement"); i++)
        expect(i, `seed ${seed}, round ${round}`).toBeLessThan(10_000);
    }
  });

  test("agrees with JSON.parse about every mutation that is still JSON", () => {
    const random = seededRandom(7);
    const value = VALUES[3];
    const text = new TextEncoder().encode(JSON.stringify(value));
    let isJson = 0;
    for (let round = 0; round < 5000; round++) {
      const bytes = Uint8Array.from(text);
      bytes[random(bytes.length)] = 0x20 + random(95);
      const mutated = new TextDecoder().decode(bytes);
      const parsed = parse(mutated);
      if (parsed === undefined) continue;
      isJson++;
      begin(bytes);
      expect(read(parsed), mutated).toEqual(wholeNumbers(parsed));
    }
    expect(isJson).toBeGreaterThan(500);
  });
});

function parse(text: string): unknown {
  try {
    const value = JSON.parse(text);
    // One name twice is one member for JSON.parse, and two for the reader, which also takes no exponents.
    if (/\d[eE]/.test(text)) return undefined;
    return text.split(":").length - 1 === Object.keys(value).length ? value : undefined;
  } catch {
    return undefined; // no JSON
  }
}

function wholeNumbers(value: unknown): unknown {
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => [
      name,
      typeof member === "number" ? wholePart(JSON.stringify(member)) : member,
    ]),
  );
}

/** The digits before a fraction or an exponent. */
function wholePart(number: string): number {
  return Number(/^-?\d+/.exec(number)?.[0]);
}
