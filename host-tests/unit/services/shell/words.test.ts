/** Words of a command line (docs/spec/shell.md#words). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { splitWords } from "../../../../device/services/shell/words.js";

const LINES = [
  { line: "app list", words: ["app", "list"] },
  { line: "  app\t list  ", words: ["app", "list"] },
  { line: 'cat "/lfs/my file"', words: ["cat", "/lfs/my file"] },
  { line: "cat '/lfs/my file'", words: ["cat", "/lfs/my file"] },
  { line: 'a"b c"d', words: ["ab cd"] },
  { line: '"a \\"b\\" \\\\"', words: ['a "b" \\'] },
  { line: "'a \\'", words: ["a \\"] },
  { line: '""', words: [""] },
  { line: "", words: [] },
  { line: '"open', words: undefined },
  { line: "it's", words: undefined },
  { line: '"ends in \\', words: undefined },
];

for (const { line, words } of LINES)
  test(`splitWords splits ${line === "" ? "an empty line" : line}`, () =>
    expect(splitWords(line)).toEqual(words));

for (const line of ["a ".repeat(17), "'' ".repeat(17), "a ".repeat(500), "a".repeat(1025), " ".repeat(1025)])
  test(`splitWords rejects ${line.length} characters of ${line.slice(0, 3)}`, () =>
    expect(() => splitWords(line)).toThrow(expect.objectContaining({ code: "bad_parameter" })));

test("splitWords accepts 16 words, and 1024 characters in one", () => {
  expect(splitWords("a ".repeat(16))).toHaveLength(16);
  expect(splitWords("a".repeat(1024))).toEqual(["a".repeat(1024)]);
});

test("splitWords returns the words that were quoted", () => {
  const quote = (word: string) => `"${word.replaceAll(/[\\"]/g, "\\$&")}"`;
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(splitWords(words.map(quote).join(" "))).toEqual(words);
    }),
  );
});
