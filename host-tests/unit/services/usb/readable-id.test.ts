/** The id of a line that is not a request (docs/spec/usb.md#line-too-long). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readableId } from "../../../../device/services/usb/message-reader.js";

const utf8 = (text: string) => new TextEncoder().encode(text);

const LINES = [
  { line: '{"id":7,"x":', id: 7 },
  { line: ' {"jsonrpc":"2.0", "id" : -7 }', id: -7 },
  { line: '{"params":{"id":1,"a":[1,{"id":2}]},"id":3,', id: 3 },
  { line: '{"path":"\\"id\\":4,","id":5,"', id: 5 },
  { line: '{"a\\\\":1,"id":6,', id: 6 },
  { line: '{"id":9007199254740991,', id: 9007199254740991 },
  { line: '{"ä":"€","id":8}', id: 8 },
  { line: '{"id":9007199254740993,', id: null },
  { line: '{"id":12', id: null },
  { line: '{"id":1.5,', id: null },
  { line: '{"id":"7",', id: null },
  { line: '{"id":null,', id: null },
  { line: '{"id":01,', id: null },
  { line: '{"id', id: null },
  { line: '{"x":"id":7,', id: null },
  { line: '{"params":{"id":1,', id: null },
  { line: '[{"id":1}]', id: null },
  { line: '[1,"id":1,', id: null },
  { line: 'noise {"id":1}', id: null },
  { line: '"id":1', id: null },
  { line: "", id: null },
];
for (const { line, id } of LINES)
  test(`readableId finds ${id} in ${line}`, () => expect(readableId(utf8(line))).toBe(id));

test("property: the id of a request is readable as soon as the next member has begun", () => {
  const others = fc.dictionary(
    fc.string().filter((name) => name !== "id"),
    fc.jsonValue({ maxDepth: 4 }),
  );
  fc.assert(
    fc.property(others, fc.maxSafeInteger(), fc.nat(), (before, id, cut) => {
      const head = JSON.stringify({ ...before, id });
      const line = utf8(`${head.slice(0, -1)},"more":${"[".repeat(cut % 50)}`);
      expect(readableId(line)).toBe(Object.is(id, -0) ? 0 : id);
    }),
  );
});

test("property: whatever the bytes, the answer is an integer or null", () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const id = readableId(bytes);
      expect(id === null || Number.isSafeInteger(id)).toBe(true);
    }),
  ));
