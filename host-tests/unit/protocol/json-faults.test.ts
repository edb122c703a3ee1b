/** What the faults of a JSON text say, and what its limits count: they hold before a parser sees the text. */
import { describe, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { JsonReader, parseJson } from "../../../protocol/json.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function faultOf(bytes: Uint8Array | string, limits?: Parameters<typeof parseJson>[1]): Fault {
  try {
    parseJson(typeof bytes === "string" ? bytesOf(bytes) : bytes, limits);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return expect.unreachable("The text was accepted");
}

describe("A fault of a JSON text", () => {
  test("names the limit on bytes", () => {
    const fault = faultOf("[1,2]", { byteLength: 4 });
    expect(fault.code).toBe("body_too_large");
    expect(fault.message).toBe("Cannot accept JSON over 4 bytes");
  });

  test("keeps the engine's error as its cause", () => {
    const fault = faultOf("{");
    expect([fault.code, fault.message]).toEqual(["bad_json", "The text is not JSON"]);
    expect(fault.cause).toBeInstanceOf(SyntaxError);
  });

  test("names what is wrong with the encoding", () => {
    const fault = faultOf(Uint8Array.of(0x22, 0xff, 0x22));
    expect([fault.code, fault.message]).toEqual(["bad_encoding", "The text is not UTF-8"]);
    expect(fault.cause).toBeInstanceOf(TypeError);
    expect(faultOf("\ufeff1").message).toBe("JSON must not begin with a byte order mark");
  });

  test.each([
    [0xef, 0xbb, 0x22],
    [0xef, 0x22, 0xbf],
    [0x22, 0xbb, 0xbf],
    [0xef, 0x22, 0x22],
  ])("speaks of a byte order mark for all three of its bytes alone, not for %i %i %i", (...bytes) => {
    expect(faultOf(Uint8Array.from(bytes)).message).toBe("The text is not UTF-8");
  });

  test("takes a text that begins with a character of the same first bytes for no byte order mark", () =>
    expect(faultOf("\ufee0").message).toBe("The text is not JSON"));
});

describe("The limit on nesting", () => {
  const tooDeep = (depth: number) => `Cannot accept JSON nested more than ${depth} deep`;

  test.each([
    ["arrays", "[[[]]]", "[[[[]]]]"],
    ["objects", '{"a":{"a":{}}}', '{"a":{"a":{"a":{}}}}'],
    ["arrays and objects", '[{"a":[]}]', '[{"a":[{}]}]'],
    ["arrays after others", "[[[]],[[]],[]]", "[[[]],[[[]]]]"],
  ])("counts levels of %s", (_, within, over) => {
    expect(parseJson(bytesOf(within), { depth: 3 })).toEqual(JSON.parse(within));
    expect(faultOf(over, { depth: 3 })).toMatchObject({ code: "bad_json", message: tooDeep(3) });
  });

  test("is checked before the text is parsed: nothing has to close what it opens", () =>
    expect(faultOf("[".repeat(5), { depth: 4 }).message).toBe(tooDeep(4)));

  test("does not count brackets in strings, whatever is escaped in them", () => {
    for (const text of ['"[[[["', '["\\"[[["]', '["\\\\","{{{"]'])
      expect(parseJson(bytesOf(text), { depth: 1 })).toEqual(JSON.parse(text));
    expect(faultOf('["\\\\",[]]', { depth: 1 }).message).toBe(tooDeep(1));
  });
});

describe("The limit on values", () => {
  const tooMany = (values: number) => `Cannot accept JSON of more than ${values} values`;

  test.each([
    ["numbers", "[1,2,3]", 4],
    ["members", '{"a":1,"b":2}', 3],
    ["empty arrays, twice each", "[[],[],[]]", 7],
    ["what is deep, and no comma", '[[[[{"a":[]}]]]]', 7],
  ])("counts %s", (_, text, values) => {
    expect(parseJson(bytesOf(text), { values })).toEqual(JSON.parse(text));
    expect(faultOf(text, { values: values - 1 })).toMatchObject({
      code: "bad_json",
      message: tooMany(values - 1),
    });
  });

  test("is checked before the text is parsed: what follows may be anything", () =>
    expect(faultOf("[,,,,,,,,", { values: 5 }).message).toBe(tooMany(5)));

  test("does not count commas in strings", () =>
    expect(parseJson(bytesOf('[",,,,,,,,",1]'), { values: 3 })).toEqual([",,,,,,,,", 1]));
});

test("a reader keeps its limits from one text to the next", () => {
  const reader = new JsonReader({ byteLength: 20, depth: 2, values: 4 });
  for (let round = 0; round < 2; round++) {
    expect(() => reader.read(bytesOf("[[[]]]"))).toThrow("nested more than 2 deep");
    expect(() => reader.read(bytesOf("[1,2,3,4]"))).toThrow("more than 4 values");
    expect(reader.read(bytesOf("[[1],2]"))).toEqual([[1], 2]);
  }
});
