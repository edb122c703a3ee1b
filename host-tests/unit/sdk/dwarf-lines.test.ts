/** Line tables are read as `llvm-dwarfdump` reads them, and no bytes in them do harm. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { customSection } from "../../../protocol/module-file.js";
import { dwarfLines } from "../../../sdk/builder/lines/dwarf-lines.js";
import { moduleOf } from "../../hosts/app-files.js";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { seededRandom } from "../../hosts/seeded-random.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { inTier } from "../../tier.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const MUTATIONS = inTier({ quick: 1000, sample: 10_000, nightly: 100_000 });
/** Of the processor, µs. */
const LIMIT_US = 1_000_000;
const TIMEOUT_MS = 300_000;

const HEADER = `static inline int squared(int x)
{
  return x * x;
}
int unused(int x);
int unused(int x) { return x + 1; }
`;
const MAIN = `#include "parts/part.h"
extern int other(int);
#line 400 "generated.y"
int other(int x) { return x / 3; }
#line 6 "main.c"
int main(int argc, char **argv)
{
  int sum = 0;
  for (int i = 0; i < argc; i++)
    sum += squared(other(i + (argv != 0)));
  return sum;
}
`;

function build(name: string, flags: readonly string[]): string {
  const directory = path.join(temporary.path, name);
  mkdirSync(path.join(directory, "parts"), { recursive: true });
  writeFileSync(path.join(directory, "parts/part.h"), HEADER);
  writeFileSync(path.join(directory, "main.c"), MAIN);
  const run = (program: string, words: readonly string[]) =>
    execFileSync(program, words, { cwd: directory, stdio: "pipe" });
  run("clang", ["--target=wasm32", "-mcpu=mvp", "-ffreestanding", "-c", "main.c", "-o", "main.o", ...flags]);
  run("wasm-ld", ["--no-entry", "--export-all", "--gc-sections", "-o", "app.wasm", "main.o"]);
  return path.join(directory, "app.wasm");
}

/** A program in Rust, whose libraries have tables of many units. */
function buildRust(): string {
  writeFileSync(
    path.join(temporary.path, "lib.rs"),
    `#[no_mangle] pub extern "C" fn main(n: i32) -> i32 { let v: Vec<String> = (0..n).map(|i| format!("{:?}", i)).collect(); v.concat().len() as i32 }`,
  );
  const flags = ["--target", "wasm32-unknown-unknown", "--crate-type", "cdylib", "-C", "debuginfo=1"];
  const linker = ["-C", "linker=wasm-ld", "-C", "linker-flavor=wasm-ld", "-C", "opt-level=1"];
  const file = path.join(temporary.path, "rust.wasm");
  execFileSync("/usr/bin/rustc", [...flags, ...linker, "-o", file, "lib.rs"], {
    cwd: temporary.path,
    stdio: "pipe",
  });
  return file;
}

const ROW = /^0x([0-9a-f]{16})\s+(\d+)\s+\d+\s+(\d+)\s+\d+\s+\d+\s*(.*)$/;
const REMOVED = 0xffff_fff0;

/** `offset line file` of each row but those of removed functions; of the same offset the last one. */
function dumped(file: string): readonly string[] {
  const text = execFileSync("llvm-dwarfdump", ["--debug-line", file], {
    maxBuffer: 1 << 28,
    encoding: "utf8",
  });
  const rows: { offset: number; text: string }[] = [];
  for (const unit of text.split(/^debug_line\[/m).slice(1)) {
    const files = namesIn(unit);
    let isFirst = true;
    let isRemoved = false;
    for (const line of unit.split("\n")) {
      const [, digits = "", lineNumber, index, flags = ""] = ROW.exec(line) ?? [];
      if (lineNumber === undefined) continue;
      const offset = Number.parseInt(digits, 16);
      if (isFirst) isRemoved = offset === 0 || offset >= REMOVED;
      const isEnd = flags.includes("end_sequence");
      isFirst = isEnd;
      const at = isEnd ? "0" : lineNumber;
      if (!isRemoved)
        rows.push({ offset, text: `${offset} ${at} ${at === "0" ? "" : files.get(Number(index))}` });
    }
  }
  return lastOfEach(rows);
}

function namesIn(unit: string): ReadonlyMap<number, string> {
  const directories = new Map<number, string>();
  for (const [, index, name] of unit.matchAll(
    /^include_directories\[\s*(\d+)\] = (?:\.debug_line_str\[\w+\] = )?"(.*)"$/gm,
  ))
    directories.set(Number(index), name ?? "");
  const files = new Map<number, string>();
  for (const [, index, name = "", directory] of unit.matchAll(
    /^file_names\[\s*(\d+)\]:\n\s+name: (?:\.debug_line_str\[\w+\] = )?"(.*)"\n\s+dir_index: (\d+)$/gm,
  )) {
    const inside = Number(directory) === 0 ? "" : (directories.get(Number(directory)) ?? "");
    const joined = inside === "" || name.startsWith("/") ? name : `${inside}/${name}`;
    files.set(Number(index), joined.replace(/^(\.\/)+/, ""));
  }
  return files;
}

function lastOfEach(rows: readonly { offset: number; text: string }[]): readonly string[] {
  const last = new Map<number, string>();
  for (const { offset, text } of [...rows].sort((one, other) => one.offset - other.offset))
    last.set(offset, text);
  return [...last.values()];
}

function read(file: string): readonly string[] {
  const rows = dwarfLines(readFileSync(file)).map(({ offset, line, file: name }) => ({
    offset,
    text: `${offset} ${line} ${line === 0 ? "" : name}`,
  }));
  return lastOfEach(rows);
}

describe.skipIf(isMissing("clang") || isMissing("llvm"))("A line table (needs clang and llvm)", () => {
  const KINDS = ["2", "3", "4", "5"].flatMap((version) => [
    { name: `of DWARF ${version}`, flags: [`-gdwarf-${version}`, "-O0"] },
    { name: `of DWARF ${version}, optimised`, flags: [`-gdwarf-${version}`, "-gline-tables-only", "-O2"] },
  ]);
  test.each(KINDS)("$name has the rows that llvm-dwarfdump shows", ({ name, flags }) => {
    const file = build(name, flags);
    const rows = read(file);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.some((row) => row.endsWith("generated.y"))).toBe(true);
    expect(rows.some((row) => row.endsWith("parts/part.h"))).toBe(true);
    expect(rows).toEqual(dumped(file));
  });

  test.skipIf(lacksCompiler("rust"))("of Rust's libraries, too", { timeout: TIMEOUT_MS }, () => {
    const file = buildRust();
    expect(read(file).length).toBeGreaterThan(1000);
    expect(read(file)).toEqual(dumped(file));
  });

  test(`that ${MUTATIONS} changes have damaged is read or left out, in little time of the processor`, {
    timeout: TIMEOUT_MS,
  }, () => {
    const random = seededRandom(1);
    const modules = ["4", "5"].map((version) =>
      readFileSync(build(`mutated-${version}`, [`-gdwarf-${version}`, "-O1"])),
    );
    for (let turn = 0; turn < MUTATIONS; turn++) {
      const module = Uint8Array.from(modules[turn % 2] as Uint8Array);
      const section = customSection(module, ".debug_line") as Uint8Array;
      for (let left = 1 + random(4); left > 0; left--) section[random(section.length)] = random(256);
      const before = process.cpuUsage().user;
      const rows = dwarfLines(module);
      expect(rows.length).toBeLessThanOrEqual(section.length);
      expect(process.cpuUsage().user - before).toBeLessThan(LIMIT_US);
    }
  });
});

test("A module without line tables has no lines, and one with another section in their place neither", async () => {
  const module = await moduleOf("(module)");
  expect(dwarfLines(module)).toEqual([]);
  for (const content of ["", "\0", "\xff\xff\xff\xff", "\x02\0\0\0\x04\0", "\x04\0\0\0\x09\0\0\0"])
    expect(dwarfLines(appendCustomSection(module, ".debug_line", Buffer.from(content, "latin1")))).toEqual(
      [],
    );
});
