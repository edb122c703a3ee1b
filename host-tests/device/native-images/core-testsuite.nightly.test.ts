/**
 * The core test suite of WebAssembly on modules that are compiled as native images are: those that import nothing, with what
 * is asserted of their exports (docs/spec/aot.md#same).
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { isMissing } from "../../hosts/peers.js";
import { inTier } from "../../tier.js";
import {
  bitsOf,
  type Command,
  isNumber,
  isTestsuiteThere,
  matches,
  moduleFile,
  type Script,
  scripts,
} from "../guest/core-testsuite.js";
import {
  ARM_PROGRAMS,
  callExports,
  compileShared,
  type ExportCall,
  NATIVE_PROGRAMS,
  type ProgramToolchain,
} from "./image-program.js";

/** Of every so many scripts, one. */
const STEP = inTier({ quick: 20, sample: 10, nightly: 1 });

/** A module of a script, and what follows about it until the next one. */
interface Group {
  readonly module: Command;
  readonly commands: Command[];
}

const ASSERTIONS: readonly string[] = ["assert_return", "assert_trap", "assert_exhaustion", "action"];

function groupsOf(script: Script): Group[] {
  const groups: Group[] = [];
  for (const command of script.commands) {
    if (command.type === "module") groups.push({ module: command, commands: [] });
    else if (ASSERTIONS.includes(command.type) && isCall(command)) groups.at(-1)?.commands.push(command);
  }
  return groups.filter(({ module, commands }) => commands.length > 0 && module.filename?.endsWith(".wasm"));
}

/** Of the module before, with numbers. */
function isCall({ action, expected = [] }: Command): boolean {
  const { type, module, args = [] } = action ?? {};
  return type === "invoke" && module === undefined && [...args, ...expected].every(isNumber);
}

function callOf({ action }: Command): ExportCall {
  const parameters = (action?.args ?? []).map((value) => ({
    type: value.type as ExportCall["parameters"][0]["type"],
    bits: bitsOf(value) & (value.type.endsWith("32") ? 0xffff_ffffn : 0xffff_ffff_ffff_ffffn),
  }));
  return { name: action?.field ?? "", parameters };
}

interface Run {
  readonly directory: string;
  readonly toolchain: ProgramToolchain;
  calls: number;
}

/** @returns what is wrong; nothing for a module that a console refuses, or that imports something */
async function failuresOf(run: Run, script: Script, { module, commands }: Group): Promise<string[]> {
  const bytes = readFileSync(moduleFile(script, module.filename ?? ""));
  const answers = await callExports(bytes, commands.map(callOf), run.directory, run.toolchain).catch(
    (error) => {
      if (error instanceof Fault || /undefined reference|too few arguments/.test(String(error.stderr)))
        return undefined;
      throw error;
    },
  );
  if (!answers) return [];
  run.calls += commands.length;
  return commands.flatMap((command, at) => {
    const answer = answers[at + 1] ?? "nothing";
    return isRight(command, answer) ? [] : [`${command.line}: ${command.action?.field}: ${answer}`];
  });
}

function isRight({ type, expected = [] }: Command, answer: string): boolean {
  const [verdict, ...values] = answer.split(" ");
  if (type === "assert_trap" || type === "assert_exhaustion") return verdict === "trap";
  if (verdict !== "ok") return false;
  return type !== "assert_return" || expected.every((value, at) => matches(values[at], value));
}

for (const [toolchain, isThere] of [
  [NATIVE_PROGRAMS, true],
  [ARM_PROGRAMS, !isMissing("arm")],
] as const)
  describe.skipIf(!isTestsuiteThere || !isThere)(
    `core test suite for ${toolchain.architecture} (skipped where ../shared/testdata is absent)`,
    () => {
      const run: Run = { directory: mkdtempSync(path.join(tmpdir(), "core-images-")), toolchain, calls: 0 };
      beforeAll(() => compileShared(run.directory, toolchain));
      afterAll(() => rmSync(run.directory, { recursive: true }));

      for (const script of scripts().filter((_, index) => index % STEP === 0))
        test(`${script.name} passes as native images`, { timeout: 1_200_000 }, async () => {
          const failures: string[] = [];
          for (const group of groupsOf(script)) failures.push(...(await failuresOf(run, script, group)));
          expect(failures).toEqual([]);
        });

      test("calls were made", () => {
        process.stderr.write(
          `core test suite, as images for ${toolchain.architecture}: ${run.calls} calls\n`,
        );
        expect(run.calls).toBeGreaterThan(0);
      });
    },
  );
