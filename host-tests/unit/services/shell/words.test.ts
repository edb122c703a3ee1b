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
  test(`splitWords reads ${line === "" ? "an empty line" : line}`, () =>
    expect(splitWords(line)).toEqual(words));

test("splitWords gives back any words that were quoted", () => {
  const quote = (word: string) => `"${word.replaceAll(/[\\"]/g, "\\$&")}"`;
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(splitWords(words.map(quote).join(" "))).toEqual(words);
    }),
  );
});
