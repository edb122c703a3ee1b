/** The lines of an app's sources by the offsets of a trap (docs/spec/apps.md#trap-lines). */
import { describe, expect, test } from "vitest";
import { CAPABILITIES } from "../../../protocol/capabilities.js";
import { functionBodies } from "../../../protocol/module-file.js";
import { appLines } from "../../../sdk/builder/lines/app-lines.js";
import { preparedFunctions } from "../../../sdk/builder/lines/prepared-code.js";
import { prepareModule } from "../../../sdk/builder/prepare-module.js";
import {
  type CodeLine,
  LINES_LIMIT_BYTES,
  readTrapLines,
  trapFrames,
  withLines,
  writeTrapLines,
} from "../../../tools/trap-lines.js";
import { moduleOf } from "../../hosts/app-files.js";

const OWNER = { app: "tetris", version: "1.2.3", moduleSha256: "ab".repeat(32) };
const LINES: readonly CodeLine[] = [
  { offset: 0x20, file: "main.c", line: 10, name: "drop" },
  { offset: 0x24, file: "main.c", line: 12 },
  { offset: 0x30, file: "", line: 0 },
  { offset: 0x40, file: "step.h", line: 3, name: "step" },
  { offset: 0x48, file: "step.h", line: 3, name: "twice" },
  { offset: 0x50, file: "step.h", line: 9, name: "twice" },
];
const written = writeTrapLines(OWNER, LINES);

function reading(text: string) {
  const lines = readTrapLines(text);
  if (!lines) throw new Error("The lines were not read");
  return lines;
}

const FRAMES = [
  { frame: "drop@20", told: { function: "drop", file: "main.c", line: 10 } },
  { frame: "drop@23", told: { function: "drop", file: "main.c", line: 10 } },
  { frame: "drop@2f", told: { function: "drop", file: "main.c", line: 12 } },
  { frame: "none@30", told: { function: "none" } },
  { frame: "before@1f", told: { function: "before" } },
  { frame: "beyond@ffffffff", told: { function: "beyond", file: "step.h", line: 9 } },
  { frame: "#7@44", told: { function: "#7", file: "step.h", line: 3 } },
  { frame: "step", told: { function: "step", file: "step.h", line: 3, isStart: true } },
  { frame: "twice", told: { function: "twice" } },
  { frame: "other", told: { function: "other" } },
  { frame: "", told: { function: "" } },
];
test.each(FRAMES)("The frame $frame is $told", ({ frame, told }) => {
  expect(reading(written).frame(frame)).toEqual(told);
});

const MESSAGE = '"tetris" ended: trap: integer divide by zero in drop@24 < step < main@10';

test("A trap's message gets files and lines", () => {
  const told =
    '"tetris" ended: trap: integer divide by zero in drop (main.c:12) < step (from step.h:3) < main';
  expect(withLines(MESSAGE, reading(written))).toBe(told);
  expect(trapFrames(MESSAGE, reading(written))).toHaveLength(3);
});

test.each([
  '"other" ended: trap: unreachable in drop@24',
  '"tetris" ended: trap: unreachable',
  '"tetris" ended: exit 3',
  "started drop@24",
])("The message %s stays as it is", (message) => {
  expect(withLines(message, reading(written))).toBe(message);
});

const parsed = () => JSON.parse(written);
const INVALID: readonly { name: string; text: string }[] = [
  { name: "no JSON", text: "{" },
  { name: "null", text: "null" },
  { name: "a source map of anything", text: JSON.stringify({ ...parsed(), x_svc_lines: undefined }) },
  {
    name: "another format",
    text: JSON.stringify({ ...parsed(), x_svc_lines: { ...parsed().x_svc_lines, version: 2 } }),
  },
  { name: "a digest that is none", text: written.replace("abab", "abxy") },
  { name: "an index beyond the sources", text: JSON.stringify({ ...parsed(), sources: ["main.c"] }) },
  { name: "an index beyond the names", text: JSON.stringify({ ...parsed(), names: [] }) },
  { name: "a name that is a number", text: JSON.stringify({ ...parsed(), names: [1, 2, 3] }) },
  { name: "an offset below 0", text: JSON.stringify({ ...parsed(), mappings: "DAAA" }) },
  { name: "a line below 1", text: JSON.stringify({ ...parsed(), mappings: "gCADA" }) },
  { name: "several lines of code", text: JSON.stringify({ ...parsed(), mappings: "gCAAA;gCAAA" }) },
  { name: "too many sources", text: JSON.stringify({ ...parsed(), sources: Array(10_001).fill("a") }) },
  { name: "a long path", text: JSON.stringify({ ...parsed(), sources: ["a".repeat(1025), "b"] }) },
  { name: "too many bytes", text: written + " ".repeat(LINES_LIMIT_BYTES) },
];
test.each(INVALID)("A file with $name is refused", ({ text }) => {
  expect(readTrapLines(text)).toBeUndefined();
});

test("A file as large as they may be is read in little time of the processor", () => {
  const mappings = "AAAA,".repeat(Math.floor(LINES_LIMIT_BYTES / 5) - 200);
  const text = JSON.stringify({ ...parsed(), mappings: mappings.slice(0, -1) });
  const before = process.cpuUsage().user;
  expect(readTrapLines(text)?.frame("x@0")).toMatchObject({ file: "main.c", line: 1 });
  expect(process.cpuUsage().user - before).toBeLessThan(5_000_000); // µs
});

const MANIFEST = {
  entry: "main",
  memory_quota: 65_536,
  capabilities: CAPABILITIES.map(({ name }) => name),
};

/** A function that never returns has dead code behind, which a console leaves out. */
const DEAD = `(module (memory 1) (global $g (mut i32) (i32.const 0)) (table 2 funcref)
  (func $first (param i32) (result i32)
    (block $out (br $out) (global.set $g (i32.const 70000)) (block (loop (br 0))))
    (if (result i32) (local.get 0)
      (then (return (i32.const 5)) (drop (f64.const 1)) (i32.const 7))
      (else (unreachable) (if (i32.const 1) (then (nop)) (else (nop))) (i32.const 9)))
    (i32.store offset=300 (i32.const 1) (i32.const 2)))
  (func $second (param i32) (result i32)
    (block $a (block $b (br_table $a $b (local.get 0)) (drop (i64.const -1))) (drop (f32.const 2)))
    (call_indirect (param i32) (result i32) (local.get 0) (i32.const 0))
    (memory.fill (i32.const 0) (i32.const 0) (i32.const 1))
    (memory.copy (i32.const 0) (i32.const 0) (i32.const 1)))
  (func (export "main") (drop (call $first (i32.const 1))) (drop (call $second (memory.grow (i32.const 0))))))`;

describe("The code of a prepared module", () => {
  test("is known by that of the published one, without what is never executed", async () => {
    const module = await moduleOf(DEAD);
    const { prepared } = await prepareModule(module, MANIFEST);
    const { start } = functionBodies(module);
    const target = functionBodies(prepared);
    const functions = preparedFunctions(module, prepared);
    expect(functions.map(({ runs }) => runs.length)).toEqual([4, 2, 1]);
    for (const [index, { at, runs }] of functions.entries()) {
      const body = target.bodies[index];
      expect(at).toBe(body?.from);
      const copied = runs.map(({ from, to }) => module.subarray(start + from, start + to));
      expect(Buffer.concat(copied)).toEqual(Buffer.from(prepared.subarray(body?.from, body?.to)));
    }
  });

  test("of a function that is changed in another way has no lines", async () => {
    const module = await moduleOf(`(module (func (export "main") (i32.const 1)
      (loop $turn (param i32) (br $turn (i32.sub (i32.const 1))))))`);
    const { prepared } = await prepareModule(module, MANIFEST);
    expect(preparedFunctions(module, prepared)[0]?.runs).toEqual([]);
  });

  test("has the lines of the published one, up to each function's end", async () => {
    const module = await moduleOf(DEAD);
    const { prepared } = await prepareModule(module, MANIFEST);
    const { start, bodies } = functionBodies(module);
    const offsetOf = (index: number, byte: number) => (bodies[index]?.from ?? 0) - start + byte;
    const rows = [
      { offset: offsetOf(0, 1), file: "a.c", line: 1 },
      { offset: offsetOf(0, 3), file: "a.c", line: 2 },
      { offset: offsetOf(0, 3), file: "a.c", line: 3 },
      { offset: offsetOf(0, 9), file: "", line: 0 },
      { offset: offsetOf(2, 1), file: "b.c", line: 7 },
    ];
    const lines = reading(appLines({ name: "tetris", version: "1.0.0" }, module, prepared, rows) ?? "");
    const target = functionBodies(prepared).bodies;
    const told = (index: number, byte: number) =>
      lines.frame(`f@${((target[index]?.from ?? 0) + byte).toString(16)}`);
    expect(told(0, 0)).toEqual({ function: "f" });
    expect(told(0, 1)).toMatchObject({ file: "a.c", line: 1 });
    expect(told(0, 3)).toMatchObject({ file: "a.c", line: 3 });
    expect(told(0, 14)).toMatchObject({ file: "a.c", line: 3 });
    expect(told(1, 1)).toEqual({ function: "f" });
    expect(told(2, 2)).toMatchObject({ file: "b.c", line: 7 });
    expect(lines.frame("first")).toMatchObject({ file: "a.c", line: 1, isStart: true });
  });
});
