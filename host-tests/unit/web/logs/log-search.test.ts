import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { EMPTY_BOOK, withLines } from "../../../../web/panels/logs/log-book.js";
import {
  linesWith,
  neighbour,
  patternOf,
  piecesIn,
  piecesOf,
} from "../../../../web/panels/logs/log-search.js";

const marked = (text: string, query: string) =>
  piecesOf(text, patternOf(query))
    .map(({ text, isFound }) => (isFound ? `[${text}]` : text))
    .join("");

const CASES = [
  { name: "marks every match", text: "one two one", query: "one", shown: "[one] two [one]" },
  { name: "ignores case", text: "WiFi wifi", query: "WIFI", shown: "[WiFi] [wifi]" },
  {
    name: "matches special characters literally",
    text: "a.b (axb) [c]",
    query: "a.b",
    shown: "[a.b] (axb) [c]",
  },
  { name: "matches brackets literally", text: "heap [x]", query: "[x", shown: "heap [[x]]" },
  { name: "marks nothing for an empty query", text: "one", query: "", shown: "one" },
  {
    name: "keeps its position after letters that are longer in lower case",
    text: "İİ x",
    query: "x",
    shown: "İİ [x]",
  },
  { name: "finds emoji", text: "a 🎮 b", query: "🎮", shown: "a [🎮] b" },
];
for (const { name, text, query, shown } of CASES)
  test(`Search ${name}`, () => expect(marked(text, query)).toBe(shown));

test("Search keeps every letter of a line, whatever the query", () => {
  assert(
    property(string(), string(), (text, query) => {
      expect(
        piecesOf(text, patternOf(query))
          .map((piece) => piece.text)
          .join(""),
      ).toBe(text);
    }),
  );
});

test("A mark over the end of a stretch continues in the next", () => {
  const pieces = piecesOf("1.000 E wifi: lost", patternOf("wifi: l"));
  expect(piecesIn(pieces, [6, 2, 6, 4])).toEqual([
    [{ text: "1.000 ", isFound: false }],
    [{ text: "E ", isFound: false }],
    [{ text: "wifi: ", isFound: true }],
    [
      { text: "l", isFound: true },
      { text: "ost", isFound: false },
    ],
  ]);
});

test("Search finds a line by its source and its message, and no restarts", () => {
  const { blocks } = withLines(
    EMPTY_BOOK,
    [
      "0.001 I boot: previous run ended here",
      "1.000 I boot: ready",
      "2.000 I app/a: boot?",
      "3.000 I hub: x",
    ],
    10,
  );
  expect(linesWith(blocks, patternOf("boot"))).toEqual([11, 12]);
  expect(linesWith(blocks, undefined)).toEqual([]);
});

const STEPS = [
  { name: "starts with the newest", current: undefined, step: 1, to: 30 },
  { name: "goes to the next", current: 10, step: 1, to: 20 },
  { name: "goes to the previous", current: 20, step: -1, to: 10 },
  { name: "wraps at the end", current: 30, step: 1, to: 10 },
  { name: "wraps at the beginning", current: 10, step: -1, to: 30 },
  { name: "goes forward from a line that no longer matches", current: 15, step: 1, to: 20 },
  { name: "goes back from a line that no longer matches", current: 15, step: -1, to: 10 },
] as const;
for (const { name, current, step, to } of STEPS)
  test(`Search ${name}`, () => expect(neighbour([10, 20, 30], current, step)).toBe(to));

test("Search has no target without matches", () => {
  expect(neighbour([], undefined, 1)).toBeUndefined();
  expect(neighbour([], 5, -1)).toBeUndefined();
});
