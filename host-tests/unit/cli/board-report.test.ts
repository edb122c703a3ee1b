/** Reports of boards, and their rows in docs/board.md. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readReport } from "../../../cli/board-check/board-report.js";
import { boardRows } from "../../../docs/board-rows.js";

const REPORT = {
  board_report: 1,
  date: "2027-01-31",
  hardware: "DevKitC-1 N16R8",
  board: "svc_esp32s3",
  chip: "ESP32-S3",
  firmware: "0.1.0",
  features: ["apps", "sd"],
  heap_bytes: 320_000,
  psram_bytes: 8_388_608,
  storage_bytes: 8_000_000,
  memory: [
    {
      state: "start",
      heap_free_bytes: 102_400,
      heap_minimum_free_bytes: 99_000,
      psram_free_bytes: 2_097_152,
    },
  ],
  steps: [
    { name: "usb", result: "passed" },
    { name: "panel", result: "failed", note: "mirrored" },
    { name: "card", result: "absent" },
    { name: "sound", result: "skipped" },
  ],
};
const [, panel] = REPORT.steps;

test("a report is read as it was written", () => {
  expect(readReport(JSON.stringify(REPORT))).toEqual(REPORT);
});

describe("what is no report is refused with its place:", () => {
  const CASES: readonly { readonly is: string; readonly value: unknown; readonly why: RegExp }[] = [
    { is: "a list", value: [], why: /^it is not an object$/ },
    { is: "nothing in it", value: {}, why: /^it has no "board_report"$/ },
    { is: "another format", value: { ...REPORT, board_report: 2 }, why: /^"board_report" is 2, and 1 is/ },
    { is: "a time for a day", value: { ...REPORT, date: "today" }, why: /^"date" is not a day: "today"$/ },
    { is: "a number for a text", value: { ...REPORT, chip: 3 }, why: /^"chip" is not a text of at most 200/ },
    { is: "a long text", value: { ...REPORT, hardware: "x".repeat(201) }, why: /^"hardware" is not a text/ },
    { is: "less than no memory", value: { ...REPORT, heap_bytes: -1 }, why: /^"heap_bytes" is not a whole/ },
    { is: "a text for a list", value: { ...REPORT, steps: "all" }, why: /^"steps" is not a list$/ },
    {
      is: "another result",
      value: { ...REPORT, steps: [{ ...panel, result: "good" }] },
      why: /^"steps"\[0\]\.result is "good", and not one of passed, failed, skipped, absent$/,
    },
    { is: "a step twice", value: { ...REPORT, steps: [panel, panel] }, why: /^"steps" has "panel" twice$/ },
    { is: "an address", value: { ...REPORT, mac: "02:00" }, why: /^it has "mac", which no report has$/ },
  ];
  test.each(CASES)("$is", ({ value, why }) => {
    expect(() => readReport(JSON.stringify(value))).toThrow(why);
  });

  test("no JSON, and more than a report can be", () => {
    expect(() => readReport("{")).toThrow(/^it is not JSON$/);
    expect(() => readReport(JSON.stringify({ ...REPORT, features: Array(10_000).fill("apps") }))).toThrow(
      /^it is longer than 65536 characters$/,
    );
  });
});

describe("docs/board.md", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "reports-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("says that there is no report", async () => {
    expect(await boardRows(folder)).toBe("No board has been reported yet.\n");
  });

  test("has a row of each report, in which what people wrote is plain text", async () => {
    const strange = { ...REPORT, hardware: "my <b>board</b> | [x](http://x)\n# y" };
    writeFileSync(path.join(folder, "a.json"), JSON.stringify(REPORT));
    writeFileSync(path.join(folder, "b.json"), JSON.stringify(strange));
    const [, , first, second, ...rest] = (await boardRows(folder)).split("\n");
    expect(first).toBe(
      "| DevKitC-1 N16R8 (svc\\_esp32s3) | 0.1.0 | 2027-01-31 | usb | panel (mirrored) | sound, card | 100, PSRAM 2048 |",
    );
    expect(second).toMatch(/^\| my \\<b\\>board\\<\/b\\> \\\| \\\[x\\\]\(http:\/\/x\) # y \(/);
    expect(rest).toEqual([""]);
  });

  test("names the file that is no report", async () => {
    writeFileSync(path.join(folder, "c.json"), "{}");
    await expect(boardRows(folder)).rejects.toThrow(
      'c.json is not a report of a board: it has no "board_report"',
    );
  });
});
