/** From a line to a request (docs/spec/usb.md#request). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Line, LineReader } from "../../../../device/services/usb/line-reader.js";
import { MessageReader } from "../../../../device/services/usb/message-reader.js";
import { Fault } from "../../../../protocol/fault.js";
import { loadSandbox } from "../../../../tools/sandbox.js";
import { nodeBase64 } from "../../../hosts/node-bytes.js";

const sandbox = await loadSandbox(["usb-line"]);

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Parameters of the endpoints that there are in these tests. */
const NAMES = ["a", "b", "chunk", "constructor", "i", "n", "t", "total", "z"];

const lines = new LineReader(sandbox);

/** The line as it comes over USB, with its data cut out. */
function lineOf(bytes: Uint8Array): Line {
  const isLine = bytes.length > 0 && !bytes.includes(0x0a) && !bytes.includes(0x0d);
  if (!isLine) return { bytes, isWhole: true };
  lines.reset();
  lines.feed(bytes.length + 1, (into) => {
    into.set(bytes);
    into[bytes.length] = 0x0a;
  });
  return lines.next() ?? { bytes, isWhole: true };
}

/** What is read of a line: a request in plain values, or the id and the code it is refused with. */
function read(line: string | Uint8Array, isWhole = true, names: readonly string[] = NAMES) {
  const bytes = typeof line === "string" ? utf8(line) : line;
  const message = new MessageReader(nodeBase64, names).read(isWhole ? lineOf(bytes) : { bytes, isWhole });
  if (message.kind === "refusal") {
    if (!(message.error instanceof Fault)) throw message.error;
    return { id: message.id, code: message.error.code, status: message.error.status };
  }
  const { method, path, parameters, bodyByteLength } = message.request;
  const body = message.body && [...message.body];
  return { id: message.id, method, path, parameters: Object.fromEntries(parameters), bodyByteLength, body };
}

const request = (members: object) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GET", path: "/a", ...members });

const BARE = { id: 1, method: "GET", path: "/a", parameters: {}, bodyByteLength: 0, body: undefined };
const TAKEN: readonly { name: string; line: string; is: object }[] = [
  { name: "a request without params", line: request({}), is: BARE },
  { name: "unknown members", line: request({ x: [1], y: null }), is: BARE },
  {
    name: "text, numbers and booleans as parameters",
    line: request({ params: { t: "ä b", n: -1.5, i: 7, b: true } }),
    is: { ...BARE, parameters: { t: "ä b", n: "-1.5", i: "7", b: "true" } },
  },
  {
    name: "a query in the path, as HTTP has it",
    line: request({ path: "/a%20b?x=1+2&y", params: { z: "%20" } }),
    is: { ...BARE, path: "/a b", parameters: { x: "1 2", y: "", z: "%20" } },
  },
  {
    name: "a chunk",
    line: request({ chunk: 1, total: 2, data: "AQID" }),
    is: { ...BARE, parameters: { chunk: 1, total: 2 }, bodyByteLength: 3, body: [1, 2, 3] },
  },
  {
    name: "an empty chunk",
    line: request({ chunk: 1, total: 1, data: "" }),
    is: { ...BARE, parameters: { chunk: 1, total: 1 }, body: [] },
  },
  { name: "a negative id", line: request({ id: -5 }), is: { ...BARE, id: -5 } },
  {
    name: "an integer id in any notation",
    line: request({}).replace('"id":1', '"id":1e0'),
    is: BARE,
  },
  {
    name: "undeclared parameters of any type, ignoring them",
    line: request({ params: { other: {}, toString: null, a: 1 } }),
    is: { ...BARE, parameters: { a: "1" } },
  },
  {
    name: "a text of separators, which do not count as values",
    line: request({ params: { a: "[,{".repeat(200) } }),
    is: { ...BARE, parameters: { a: "[,{".repeat(200) } },
  },
  {
    name: "a name of Object.prototype",
    line: request({ params: { constructor: "x" } }),
    is: { ...BARE, parameters: { constructor: "x" } },
  },
];
for (const { name, line, is } of TAKEN)
  test(`MessageReader accepts ${name}`, () => expect(read(line)).toEqual(is));

const bad = (id: number | null, code = "bad_request") => ({ id, code, status: 400 });
const REFUSED = [
  { name: "no JSON", line: "hello", is: bad(null, "bad_json") },
  { name: "truncated JSON, with its id", line: '{"id":3,"method":', is: bad(3, "bad_json") },
  { name: "bytes that are not UTF-8", line: Uint8Array.of(0x7b, 0xff), is: bad(null, "bad_encoding") },
  {
    name: "nesting over 32 levels, with its id",
    line: request({}).replace("}", `,"x":${"[".repeat(33)}`),
    is: bad(1, "bad_json"),
  },
  { name: "a line of empty arrays", line: `[${"[],".repeat(330)}[]]`, is: bad(null, "bad_json") },
  {
    name: "an unknown member of empty arrays, with the id",
    line: request({ id: 7, other: Array(250).fill([]) }),
    is: bad(7, "bad_json"),
  },
  {
    name: "a chunk with a member of empty arrays",
    line: request({ chunk: 1, total: 1, data: "AAAA".repeat(500), other: Array(250).fill([]) }),
    is: { id: 1, code: "line_too_long", status: 413 },
  },
  { name: "a query of ampersands", line: request({ path: `/a?${"&".repeat(900)}` }), is: bad(1) },
  { name: "an overlong slash in its path", line: request({ path: "/a%C0%AFb" }), is: bad(1, "bad_encoding") },
  {
    name: "an overlong slash in the bytes of its path",
    line: Buffer.from(request({ path: "/a?b" }).replace("?", "\xc0\xaf"), "latin1"),
    is: bad(1, "bad_encoding"),
  },
  {
    name: "a surrogate in the bytes of a parameter",
    line: Buffer.from(request({ params: { a: "?" } }).replace("?", "\xed\xa0\x80"), "latin1"),
    is: bad(1, "bad_encoding"),
  },
  { name: "a list", line: `[${request({})}]`, is: bad(null) },
  { name: "a text", line: '"GET"', is: bad(null) },
  { name: "null", line: "null", is: bad(null) },
  { name: "another version", line: request({ jsonrpc: "1.0" }), is: bad(1) },
  { name: "no version", line: request({ jsonrpc: undefined }), is: bad(1) },
  { name: "no id", line: request({ id: undefined }), is: bad(null) },
  { name: "an id of text", line: request({ id: "1" }), is: bad(null) },
  { name: "an id of null", line: request({ id: null }), is: bad(null) },
  { name: "an id with a fraction", line: request({ id: 1.5 }), is: bad(null) },
  {
    name: "an id beyond safe integers",
    line: request({}).replace('"id":1', '"id":9007199254740993'),
    is: bad(null),
  },
  { name: "a list as id", line: request({ id: [1] }), is: bad(null) },
  { name: "no method", line: request({ method: undefined }), is: bad(1) },
  { name: "a method that is not text", line: request({ method: 1 }), is: bad(1) },
  { name: "an empty method", line: request({ method: "" }), is: bad(1) },
  { name: "no path", line: request({ path: undefined }), is: bad(1) },
  { name: "a path that is not text", line: request({ path: ["/a"] }), is: bad(1) },
  { name: "a path without slash", line: request({ path: "a" }), is: bad(1) },
  { name: "a path that is not UTF-8", line: request({ path: "/%ff" }), is: bad(1, "bad_encoding") },
  { name: "params of a list", line: request({ params: [1] }), is: bad(1) },
  { name: "params of text", line: request({ params: "x" }), is: bad(1) },
  { name: "params of null", line: request({ params: null }), is: bad(1) },
  { name: "a parameter of null", line: request({ params: { a: null } }), is: bad(1, "bad_parameter") },
  { name: "a parameter of an object", line: request({ params: { a: {} } }), is: bad(1, "bad_parameter") },
  { name: "a parameter of a list", line: request({ params: { a: [] } }), is: bad(1, "bad_parameter") },
  {
    name: "a parameter in query and params",
    line: request({ path: "/a?b=1", params: { b: 1 } }),
    is: bad(1, "duplicate_parameter"),
  },
  {
    name: "a parameter twice in the query",
    line: request({ path: "/a?b=1&b=1" }),
    is: bad(1, "duplicate_parameter"),
  },
  {
    name: "a chunk that is a parameter too",
    line: request({ params: { chunk: 1 }, chunk: 1, total: 1, data: "" }),
    is: bad(1, "duplicate_parameter"),
  },
  {
    name: "the largest numbers that parameters can be",
    line: request({ chunk: 999_999_999_999_999, total: 999_999_999_999_999, data: "" }),
    is: { ...BARE, parameters: { chunk: 999_999_999_999_999, total: 999_999_999_999_999 }, body: [] },
  },
  {
    name: "numbers that no parameter can be, as text for its check",
    line: request({ chunk: -1, total: 1_000_000_000_000_000, data: "" }),
    is: { ...BARE, parameters: { chunk: "-1", total: "1000000000000000" }, body: [] },
  },
  { name: "data without chunk", line: request({ data: "AQID" }), is: bad(1) },
  { name: "a chunk without data", line: request({ chunk: 1, total: 1 }), is: bad(1) },
  { name: "a chunk of text", line: request({ chunk: "1", total: 1, data: "" }), is: bad(1) },
  { name: "a total with a fraction", line: request({ chunk: 1, total: 1.5, data: "" }), is: bad(1) },
  { name: "data that is not text", line: request({ chunk: 1, total: 1, data: 1 }), is: bad(1) },
  {
    name: "data without padding",
    line: request({ chunk: 1, total: 1, data: "AQI" }),
    is: bad(1, "bad_encoding"),
  },
  {
    name: "data in base64url",
    line: request({ chunk: 1, total: 1, data: "-_-_" }),
    is: bad(1, "bad_encoding"),
  },
  {
    name: "data with a space",
    line: request({ chunk: 1, total: 1, data: "AQ ID" }),
    is: bad(1, "bad_encoding"),
  },
];
for (const { name, line, is } of REFUSED)
  test(`MessageReader rejects ${name}`, () => expect(read(line)).toEqual(is));

describe("The limits of a line", () => {
  /** A request of exactly `byteLength` bytes, filled up in one member. */
  function filled(byteLength: number, name: string, members: object = {}) {
    const empty = request({ ...members, [name]: "" });
    return request({ ...members, [name]: "A".repeat(byteLength - empty.length) });
  }
  const chunk = { chunk: 1, total: 1 };
  const tooLong = (id: number | null) => ({ id, code: "line_too_long", status: 413 });

  test("1024 bytes are accepted", () => expect(read(filled(1024, "x"))).toEqual(BARE));
  test("1025 bytes are 413 with their id", () => expect(read(filled(1025, "x"))).toEqual(tooLong(1)));
  test("1025 bytes with an invalid id are 413 with null", () =>
    expect(read(filled(1025, "x", { id: "1" }))).toEqual(tooLong(null)));
  test("1025 bytes that are not JSON are 413", () => expect(read("x".repeat(1025))).toEqual(tooLong(null)));
  test("1025 bytes with a part of a chunk are 413", () =>
    expect(read(filled(1025, "data", { chunk: 1 }))).toEqual(tooLong(1)));
  test("a chunk of 3072 bytes is accepted", () => {
    const line = request({ ...chunk, data: nodeBase64.encode(new Uint8Array(3072)) });
    expect(read(line)).toMatchObject({ bodyByteLength: 3072 });
  });
  test("a chunk in 5120 bytes is accepted", () =>
    expect(read(filled(5120, "x", { ...chunk, data: "AQID" }))).toMatchObject({ bodyByteLength: 3 }));
  test("the beginning of a line over 5120 bytes is 413 with its readable id", () => {
    const line = filled(6000, "data", chunk);
    expect(read(line.slice(0, 5120), false)).toEqual(tooLong(1));
    expect(read("x".repeat(5120), false)).toEqual(tooLong(null));
  });
});

test("property: a written request is read unchanged", () => {
  const parameters = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.boolean(), fc.integer()), {
    maxKeys: 4,
  });
  fc.assert(
    fc.property(fc.integer(), parameters, fc.uint8Array({ maxLength: 200 }), (id, params, bytes) => {
      fc.pre(!("chunk" in params) && !("total" in params) && !Object.is(id, -0));
      const line = utf8(request({ id, params, chunk: 3, total: 4, data: nodeBase64.encode(bytes) }));
      fc.pre(line.length <= 5120);
      const names = Object.keys(params);
      const texts = Object.entries(params).map(([name, value]) => [name, String(value)]);
      expect(read(line, true, names)).toEqual({
        ...BARE,
        id,
        parameters: { ...Object.fromEntries(texts), chunk: 3, total: 4 },
        bodyByteLength: bytes.length,
        body: [...bytes],
      });
    }),
  );
});

describe("A long line is read as JSON defines, if its data is", () => {
  const data = nodeBase64.encode(Uint8Array.from({ length: 1200 }, (_, index) => index));
  const chunk = (members: object) => ({ jsonrpc: "2.0", id: 1, method: "GET", path: "/a", ...members });
  const LINES = [
    { name: "last", line: JSON.stringify(chunk({ chunk: 1, total: 2, data })) },
    { name: "first", line: JSON.stringify({ data, ...chunk({ chunk: 1, total: 2 }) }) },
    { name: "before others", line: JSON.stringify(chunk({ data, chunk: 1, total: 2, params: { z: "é" } })) },
    {
      name: "after a path of other letters",
      line: JSON.stringify(chunk({ path: "/é", chunk: 1, total: 2, data })),
    },
    { name: "after an escape", line: JSON.stringify(chunk({ path: '/"', chunk: 1, total: 2, data })) },
    {
      name: "far from the beginning",
      line: JSON.stringify(chunk({ x: "x".repeat(400), chunk: 1, total: 2, data })),
    },
    { name: "in another object", line: JSON.stringify(chunk({ chunk: 1, total: 2, params: { data } })) },
    {
      name: "in two objects",
      line: JSON.stringify(chunk({ params: { data }, chunk: 1, total: 2, data: "" })),
    },
    {
      name: "repeated",
      line: JSON.stringify(chunk({ chunk: 1, total: 2, data })).replace("}", ',"data":""}'),
    },
    { name: "a value", line: JSON.stringify(chunk({ chunk: 1, total: 2, x: "data", data })) },
    { name: "not base64", line: JSON.stringify(chunk({ chunk: 1, total: 2, data: `${data}!` })) },
    {
      name: "in a truncated line",
      line: JSON.stringify(chunk({ chunk: 1, total: 2, data })).slice(0, -1),
    },
    { name: "in a line with more after it", line: `${JSON.stringify(chunk({ chunk: 1, total: 2, data }))}}` },
    { name: "without a chunk", line: JSON.stringify(chunk({ data })) },
    { name: "in a list", line: JSON.stringify([chunk({ chunk: 1, total: 2, data })]) },
  ];
  for (const { name, line } of LINES)
    test(name, () => {
      expect(line.length).toBeGreaterThan(1024);
      // With a space there, nothing is taken out of it before it is JSON.
      expect(read(line)).toEqual(read(line.replaceAll('"data":', '"data": ')));
    });
});

test("property: any value is a request or rejected with 400", () =>
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const line = utf8(JSON.stringify(value));
      fc.pre(line.length <= 1024);
      expect(read(line)).toMatchObject({ status: 400 });
    }),
  ));

const CORPUS = join(import.meta.dirname, "../../../../../shared/testdata/JSONTestSuite/test_parsing");
test.skipIf(!existsSync(CORPUS))(
  "JSONTestSuite as lines: each is rejected (skipped without testdata)",
  () => {
    const names = readdirSync(CORPUS).filter((name) => name.endsWith(".json"));
    expect(names.length).toBe(318);
    for (const name of names) {
      const bytes = new Uint8Array(readFileSync(join(CORPUS, name)));
      const isLong = bytes.length > 1024;
      const result = read(bytes.subarray(0, 5120), bytes.length <= 5120);
      expect({ name, ...result }).toMatchObject({ name, status: isLong ? 413 : 400 });
      // Valid JSON is not refused as JSON, but because it is not a request.
      if (name.startsWith("y_")) expect({ name, ...result }).toMatchObject({ name, code: "bad_request" });
    }
  },
);
