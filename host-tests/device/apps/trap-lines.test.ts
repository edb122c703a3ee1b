/** An app that traps, in each language: files and lines of its sources (docs/spec/apps.md#trap-lines). */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import type { Language } from "../../../sdk/languages.js";
import { readTrapLines, type TrapFrame, trapFrames, withLines } from "../../../tools/trap-lines.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const temporary = temporaryDirectory();
let console: AppConsole;
beforeAll(async () => {
  console = await startAppConsole({ roles: "# roles: app, native\n" });
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
  temporary.remove();
});

const TIMEOUT_MS = 120_000;

interface Trapping {
  readonly lang: Language;
  readonly file: string;
  /** The line with `TRAP` traps, in a function that the line with `CALL` calls, in one that the line with `MAIN` calls. */
  readonly source: string;
  /** Of the three functions, as the console names them. */
  readonly functions: readonly [string, string, string];
}

const APPS: readonly Trapping[] = [
  {
    lang: "assemblyscript",
    file: "main.ts",
    functions: ["main/divide", "main/step", "main/main"],
    // Calls by way of a table: the compiler would put such short functions into each other.
    source: `import { uptimeMs } from "svc";

const divisions: ((value: i32, by: i32) => i32)[] = [divide];
const steps: ((value: i32) => i32)[] = [step];

function divide(value: i32, by: i32): i32 {
  const sum = value + 1;
  return sum / by; // TRAP
}

function step(value: i32): i32 {
  const pick = value & 0;
  return divisions[pick](value, value - value) + 1; // CALL
}

export function main(): i32 {
  const now = i32(uptimeMs() & 1);
  return steps[now & 0](now) + 2; // MAIN
}
`,
  },
  {
    lang: "c",
    file: "main.c",
    functions: ["divide", "step", "run"],
    source: `#include "svc.h"

__attribute__((noinline)) static int32_t divide(int32_t value, int32_t by)
{
	int32_t sum = value + 1;
	return sum / by; // TRAP
}

__attribute__((noinline)) static int32_t step(int32_t value)
{
	svc_sleep_ms(0);
	return divide(value, svc_sleep_ms(0)) + 1; // CALL
}

SVC_EXPORT(main) int32_t run(void)
{
	svc_sleep_ms(0);
	return step((int32_t)svc_uptime_ms()) + 2; // MAIN
}
`,
  },
  {
    lang: "cpp",
    file: "main.cpp",
    functions: [
      "(anonymous namespace)::Divider::divide(int) const",
      "(anonymous namespace)::step(int)",
      "run()",
    ],
    source: `#include "svc.h"

namespace {

class Divider {
public:
	explicit Divider(int32_t by) : by(by) {}
	__attribute__((noinline)) int32_t divide(int32_t value) const
	{
		const int32_t sum = value + 1;
		return sum / by; // TRAP
	}

private:
	int32_t by;
};

__attribute__((noinline)) int32_t step(int32_t value)
{
	const Divider divider(svc_sleep_ms(0));
	return divider.divide(value) + 1; // CALL
}

} // namespace

SVC_EXPORT(main) int32_t run()
{
	svc_sleep_ms(0);
	return step(static_cast<int32_t>(svc_uptime_ms())) + 2; // MAIN
}
`,
  },
  {
    lang: "rust",
    file: "main.rs",
    functions: ["app::divide", "app::step", "app::run"],
    source: `svc::main!(run);

#[inline(never)]
fn divide(value: i32, by: i32) -> i32 {
    let sum = value + 1;
    sum / by // TRAP
}

#[inline(never)]
fn step(value: i32) -> i32 {
    svc::sleep_ms(0);
    divide(value, svc::sleep_ms(0)) + 1 // CALL
}

fn run() -> i32 {
    svc::sleep_ms(0);
    step(svc::uptime_ms() as i32) + 2 // MAIN
}
`,
  },
  {
    lang: "zig",
    file: "main.zig",
    functions: ["main.divide", "main.step", "main.main"],
    source: `const svc = @import("svc/svc.zig");
pub const panic = svc.panic;

noinline fn divide(value: i32, by: i32) i32 {
    const sum = value +% 1;
    return @divTrunc(sum, by); // TRAP
}

noinline fn step(value: i32) i32 {
    _ = svc.sleepMs(0);
    return divide(value, svc.sleepMs(0)) +% 1; // CALL
}

export fn main() i32 {
    _ = svc.sleepMs(0);
    return step(@truncate(svc.uptimeMs())) +% 2; // MAIN
}
`,
  },
];

const lineOf = (source: string, mark: string) =>
  source.split("\n").findIndex((line) => line.includes(`// ${mark}`)) + 1;

/** Builds and runs the app. @returns the message of its end, and the lines beside its package */
async function runToTrap({ lang, file, source }: Trapping, isNative: boolean) {
  const directory = path.join(temporary.path, `${lang}${isNative ? "-native" : ""}`);
  mkdirSync(directory);
  const manifest = { name: "trapping", version: "1.0.0", capabilities: [], memory_quota: 131_072 };
  writeFileSync(path.join(directory, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(path.join(directory, file), source);
  const { package: packed, lines } = await buildApp(directory, { architectures: isNative ? ["native"] : [] });
  const signature = console.publisher.sign(packed);
  expect(await installOverHttp(console, { file: packed, signature })).toMatchObject({ status: 200 });
  const from = console.stderr.length;
  const { body } = await console.app("start", "trapping");
  expect(body).toMatchObject({ engine: isNative ? "aot" : "wasm3" });
  const line = await console.waitForLine(/"trapping" ended/, from);
  const known = readTrapLines(lines ?? "");
  if (!known) throw new Error("The app has no lines");
  return { message: line.slice(line.indexOf('"trapping"')), lines: known };
}

for (const app of APPS)
  describe.skipIf(lacksCompiler(app.lang))(
    `An app in ${app.lang} that traps`,
    { timeout: TIMEOUT_MS },
    () => {
      const { source, functions, file } = app;
      const places = ["TRAP", "CALL", "MAIN"].map((mark) => lineOf(source, mark));

      test("is told by the lines of the trap and of the calls that led to it", async () => {
        const { message, lines } = await runToTrap(app, false);
        const frames = trapFrames(message, lines) ?? [];
        const own = frames.filter(({ file: name }) => name === file);
        expect(own).toEqual(places.map((line) => expect.objectContaining({ file, line })));
        if (app.lang !== "rust" && app.lang !== "zig")
          // which check divisors by themselves, and panic
          expect(frames.slice(0, 3).map(({ function: name }) => name)).toEqual(
            functions.map((name) => name.slice(0, 63)),
          );
        expect(withLines(message, lines)).toContain(`(${file}:${places[0]}) < `);
      });

      test.skipIf(isMissing("clang"))("as machine code, by the lines where its functions start", async () => {
        const { message, lines } = await runToTrap(app, true);
        const own = (trapFrames(message, lines) ?? []).filter(({ file: name }) => name === file);
        expect(own.length).toBeGreaterThanOrEqual(2);
        for (const { isStart, line = 0 } of own as readonly TrapFrame[]) {
          expect(isStart).toBe(true);
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(places[2] as number);
        }
      });
    },
  );
