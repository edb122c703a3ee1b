/**
 * What is known of ESP-IDF's headers (boards/check/facts), compared as `npm run board:check` does it: the headers that are made
 * of facts agree with them, and a fact that is not so is found.
 */
import { mkdtempSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compareHeaders } from "../../../boards/check/compare.js";
import {
  CHIPS,
  call,
  choice,
  constant,
  type Fact,
  type Header,
  header,
  holds,
  initializer,
  macro,
  object,
  RELEASES,
  selectFacts,
  standIn,
  struct,
  type Target,
  text,
  type,
} from "../../../boards/check/facts/fact.js";
import { HEADERS } from "../../../boards/check/facts/facts.js";
import { writeStubHeaders } from "../../../boards/check/stub-headers.js";
import { COMPILER, COMPILER_FLAGS } from "../../../boards/rv32/builder/toolchain.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** @returns what differs between facts and headers made of others */
function compare(facts: readonly Header[], real: readonly Header[], target: Target): Promise<string[]> {
  const folder = mkdtempSync(path.join(directory.path, "headers-"));
  writeStubHeaders(folder, real, target);
  const flags = [`-I${folder}`, `-DCFG_TUSB_MCU=OPT_MCU_${target.chip.toUpperCase()}`];
  return compareHeaders(
    { program: COMPILER, flags: [...COMPILER_FLAGS, ...flags] },
    selectFacts(facts, (fact) => holds(fact, target)),
  );
}

describe.skipIf(isMissing("rv32"))("facts about headers (skipped without the tools for RV32)", () => {
  for (const release of RELEASES)
    for (const chip of CHIPS)
      test(`hold for the headers made of them, for ESP-IDF ${release} and ${chip}`, async () => {
        expect(await compare(HEADERS, HEADERS, { release, chip })).toEqual([]);
      }, 300_000);

  const target = { release: "6.0", chip: "esp32s3" } as const;
  const point = { x: "int", y: "int" };
  /** What is known, what the header has, and what a complaint begins with. */
  const DIFFERENCES: readonly (readonly [name: string, known: Fact, real: Fact, complaint: string])[] = [
    [
      "a call with another parameter",
      call("lift", "int (int)"),
      call("lift", "int (long)"),
      "call lift: expected lift is int (int)",
    ],
    [
      "a call that is not there",
      call("lift", "int (int)"),
      call("lower", "int (int)"),
      "call lift: expected lift is int (int)",
    ],
    [
      "an object of another type",
      object("board", "const char *"),
      object("board", "char *"),
      "object board: expected board is const char *",
    ],
    [
      "another type",
      type("ticks_t", "unsigned"),
      type("ticks_t", "int"),
      "type ticks_t: expected ticks_t is unsigned",
    ],
    [
      "a record of another size",
      struct("point_t", 8, point),
      struct("point_t", 12, point),
      "record point_t: expected sizeof(point_t) == 8",
    ],
    [
      "a member of another type",
      struct("point_t", 8, { x: "int", y: "unsigned" }),
      struct("point_t", 8, point),
      "record point_t: expected y is unsigned",
    ],
    [
      "a member that is not there",
      struct("point_t", 8, { z: "int" }),
      struct("point_t", 8, point),
      "record point_t: expected z is int",
    ],
    [
      "another value of an enumeration",
      choice("mode_t_", { OFF: 0, ON: 1 }),
      choice("mode_t_", { OFF: 0, ON: 2 }),
      "choice mode_t_: expected ON == 1",
    ],
    ["another constant", constant("LIMIT", 5), constant("LIMIT", 6), "constant LIMIT: expected LIMIT == 5"],
    ["another text", text("NAME", "a"), text("NAME", "b"), "text NAME: expected"],
    [
      "a macro that does something else",
      macro("twice(value)", "(value * 2)"),
      macro("twice(value)", "((value) * (3))"),
      'macro twice: expected "value*2", not "value*3"',
    ],
    [
      "a macro that is not there",
      macro("twice(value)", "value * 2"),
      constant("thrice", 3),
      "macro twice: expected twice(value) is a macro",
    ],
    [
      "a stand-in with other parameters",
      standIn("put(a, b)", "a"),
      standIn("put(a)", "a"),
      "standIn put: expected put(a, b) is a macro",
    ],
    [
      "an initializer's other value",
      initializer("START(left)", "point_t", { x: "left", y: 5 }),
      initializer("START(left)", "point_t", { x: "left", y: 6 }),
      "initializer START: expected .y = 5",
    ],
    [
      "an initializer that takes its parameter for another member",
      initializer("START(left)", "point_t", { x: "left" }),
      initializer("START(left)", "point_t", { y: "left" }),
      "initializer START: expected .x = left",
    ],
  ];
  for (const [name, known, real, complaint] of DIFFERENCES)
    test(`name ${name}`, async () => {
      const more = known.kind === "initializer" ? [struct("point_t", 8, point)] : [];
      const headerOf = (fact: Fact) => [header("some/driver.h", [], [...more, fact])];
      const found = await compare(headerOf(known), headerOf(real), target);
      expect(found.length).toBeGreaterThan(0);
      for (const line of found) expect(line.startsWith(`some/driver.h: ${complaint}`), line).toBe(true);
    });

  test("take casts, types of numbers and parentheses of a macro for no difference", async () => {
    const headers = (fact: Fact) => [header("driver.h", [], [fact])];
    const known = headers(macro("give(task)", "notify(task, 0, NULL)"));
    const real = headers(macro("give(task)", "notify( ( task ), ( ( unsigned int ) 0U ), ((void *)NULL) )"));
    expect(await compare(known, real, target)).toEqual([]);
  });

  test("name a header that another no longer includes, and one that is not there", async () => {
    const inner = header("inner.h", [], [constant("INNER", 1)]);
    const outer = (includes: readonly string[]) => header("outer.h", includes, [constant("OUTER", 1)]);
    expect(await compare([outer(["inner.h"]), inner], [outer([]), inner], target)).toEqual([
      "outer.h: include inner.h: expected in what it includes: missing",
    ]);
    expect(await compare([inner], [], target)).toEqual([
      "inner.h: fatal error: inner.h: No such file or directory",
    ]);
  });
});
