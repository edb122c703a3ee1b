/** The figures in docs/board.md are the measured ones. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { boardTables, markdownOf } from "../../../../boards/rv32/session/tables.js";

const root = path.join(import.meta.dirname, "../../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

test("the tables of docs/board.md match host-tests/bench/rv32.json", () =>
  expect(read("docs/board.md"), "run `npm run docs`").toContain(
    markdownOf(boardTables(JSON.parse(read("host-tests/bench/rv32.json")))),
  ));
