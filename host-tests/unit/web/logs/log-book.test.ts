import { array, assert, nat, property } from "fast-check";
import { expect, test } from "vitest";
import {
  BLOCK_LINES,
  BlockFilter,
  countLines,
  EMPTY_BOOK,
  type LogBook,
  linesFrom,
  sourcesOf,
  withLines,
} from "../../../../web/panels/logs/log-book.js";
import { EVERYTHING, isFiltering, withLevelSwitched } from "../../../../web/panels/logs/log-entry.js";

const line = (number: number) =>
  `${number}.000 ${number % 5 === 0 ? "E" : "I"} s${number % 3}: line ${number}`;
const lines = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => line(start + index));
const numbers = ({ blocks }: Pick<LogBook, "blocks">) =>
  blocks.flatMap(({ entries }) => entries.map(({ number }) => number));
const range = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, index) => start + index);

test("A book that grows and loses its oldest lines has the lines of the session, each under its number", () => {
  const steps = array(nat({ max: 3 * BLOCK_LINES }), { minLength: 1, maxLength: 8 });
  assert(
    property(steps, nat({ max: 200 }), (counts, limit) => {
      let book = EMPTY_BOOK;
      let end = 0;
      for (const count of counts) {
        end += count;
        const start = Math.max(0, end - limit);
        book = withLines(book, lines(start, end - start), start);
        expect(numbers(book)).toEqual(range(start, end));
        expect(book.blocks.flatMap(({ entries }) => entries.map(({ text }) => text))).toEqual(
          lines(start, end - start),
        );
      }
    }),
  );
});

test("A new line rebuilds one block and leaves the others unchanged", () => {
  const before = withLines(EMPTY_BOOK, lines(0, 4 * BLOCK_LINES + 3), 0);
  const after = withLines(before, lines(0, 4 * BLOCK_LINES + 4), 0);
  expect(after.blocks.map((block, index) => block === before.blocks[index])).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

test("The lines of another console replace the previous ones, whatever their numbers", () => {
  const before = withLines(EMPTY_BOOK, lines(0, 100), 0);
  expect(numbers(withLines(before, lines(500, 10), 500))).toEqual(range(500, 510));
  expect(numbers(withLines(before, lines(0, 10), 0))).toEqual(range(0, 10));
  expect(numbers(withLines(before, [], 100))).toEqual([]);
});

test("The filter caches a complete block that it has filtered", () => {
  const filter = new BlockFilter();
  const errors = { levels: new Set(["E"] as const), source: "" };
  const before = withLines(EMPTY_BOOK, lines(0, 3 * BLOCK_LINES), 0);
  const after = withLines(before, lines(0, 3 * BLOCK_LINES + 1), 0);
  const shown = filter.apply(before.blocks, errors);
  expect(numbers({ blocks: shown })).toEqual(range(0, 3 * BLOCK_LINES).filter((number) => number % 5 === 0));
  expect(filter.apply(after.blocks, errors).slice(0, 3)).toEqual(shown);
  for (const [index, block] of filter.apply(after.blocks, errors).slice(0, 3).entries())
    expect(block).toBe(shown[index]);
});

test("The filter drops its cache when it changes", () => {
  const filter = new BlockFilter();
  const { blocks } = withLines(EMPTY_BOOK, lines(0, 30), 0);
  filter.apply(blocks, EVERYTHING);
  expect(numbers({ blocks: filter.apply(blocks, { ...EVERYTHING, source: "s1" }) })).toEqual(
    range(0, 30).filter((number) => number % 3 === 1),
  );
  expect(numbers({ blocks: filter.apply(blocks, EVERYTHING, 25) })).toEqual(range(25, 30));
});

test("Restarts stay when lines around them are filtered out", () => {
  const { blocks } = withLines(
    EMPTY_BOOK,
    ["0.001 I boot: previous run ended here", "1.000 I a: x", "junk"],
    0,
  );
  const nothing = { levels: new Set<never>(), source: "a" };
  expect(numbers({ blocks: new BlockFilter().apply(blocks, nothing) })).toEqual([0]);
});

test("Lines without a level are shown for any levels, and not for a source", () => {
  const { blocks } = withLines(EMPTY_BOOK, ["junk"], 0);
  expect(countLines(new BlockFilter().apply(blocks, { levels: new Set(), source: "" }))).toBe(1);
  expect(countLines(new BlockFilter().apply(blocks, { ...EVERYTHING, source: "a" }))).toBe(0);
});

test("A level that is switched twice is unchanged", () => {
  const without = withLevelSwitched(EVERYTHING, "D");
  expect([...without.levels]).toEqual(["I", "W", "E"]);
  expect(isFiltering(without)).toBe(true);
  expect(isFiltering(withLevelSwitched(without, "D"))).toBe(false);
});

test("Lines are available from any number on", () => {
  const { blocks } = withLines(EMPTY_BOOK, lines(30, 300), 30);
  for (const from of [0, 30, 31, 63, 64, 65, 200, 329, 330, 1000])
    expect(linesFrom(blocks, from).map(({ number }) => number)).toEqual(
      range(30, 330).filter((number) => number >= from),
    );
});

test("Sources are listed once, in order", () => {
  expect(
    sourcesOf(withLines(EMPTY_BOOK, ["1.000 I b: x", "1.000 I a: x", "1.000 W b: x"], 0).blocks),
  ).toEqual(["a", "b"]);
});
