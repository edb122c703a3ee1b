import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { SpecRunner } from "../../hosts/spec-runner.js";
import {
  type Action,
  bitsOf,
  type Command,
  isNumber,
  isTestsuiteThere,
  matches,
  matchesQuieted,
  moduleFile,
  type Script,
  scripts,
  type Value,
} from "./core-testsuite.js";
import { prepared } from "./prepared.js";

/** What a script came to: failed commands, and how many ran or were left out, for what reason. */
interface Outcome {
  readonly failures: string[];
  readonly left: Map<string, number>;
  ran: number;
  quieted: number;
}

const directory = mkdtempSync(path.join(tmpdir(), "core-testsuite-"));

/** Writes the module as the console would store it. @returns its file, or why the console would refuse it */
function prepare(script: Script, filename: string): { readonly file: string } | { readonly reason: string } {
  const bytes = readFileSync(moduleFile(script, filename));
  const file = path.join(directory, `${script.name}-${filename}`.replaceAll("/", "-"));
  try {
    const onImport = ({ module }: { readonly module: string }) => {
      if (module !== "spectest") throw new Fault("import_unknown", "imports of other modules");
    };
    writeFileSync(file, prepared(bytes, { onImport }));
    return { file };
  } catch (error) {
    if (error instanceof Fault && error.code !== "module_invalid") return { reason: error.code };
    throw error;
  }
}

/** One script: modules, the last of which is the current one, and what is asserted of them. */
class ScriptRun {
  readonly outcome: Outcome = { failures: [], left: new Map(), ran: 0, quieted: 0 };
  readonly #runner: SpecRunner;
  readonly #named = new Map<string, number>();
  /** Modules whose memory, table or globals another one that was left out may have changed. */
  readonly #shared = new Set<number>();
  #hasLeftImporter = false;
  readonly #script: Script;
  #current: number | undefined;

  constructor(runner: SpecRunner, script: Script) {
    this.#runner = runner;
    this.#script = script;
  }

  async run(): Promise<Outcome> {
    for (const command of this.#script.commands) {
      if (command.type === "module") await this.#module(command);
      else if (command.type === "register") this.#register(command);
      else if (command.type === "assert_uninstantiable") await this.#uninstantiable(command);
      else if (command.action) await this.#action(command, command.action);
    }
    return this.outcome;
  }

  async #module(command: Command): Promise<void> {
    this.#current = undefined;
    const module = this.#prepare(command);
    if (!module) return;
    const { id, answer } = await this.#runner.load(module);
    if (answer !== "ok") return this.#fail(command, `does not load: ${answer}`);
    this.#current = id;
    if (command.name) this.#named.set(command.name, id);
  }

  #register({ name }: Command): void {
    const id = name ? this.#named.get(name) : this.#current;
    if (id !== undefined) this.#shared.add(id);
  }

  async #uninstantiable(command: Command): Promise<void> {
    const module = this.#prepare(command);
    if (!module) return;
    this.outcome.ran++;
    const { answer } = await this.#runner.load(module);
    if (answer === "ok") this.#fail(command, "loads");
  }

  async #action(command: Command, action: Action): Promise<void> {
    const { type, expected = [] } = command;
    const args = action.args ?? [];
    const id = action.module ? this.#named.get(action.module) : this.#current;
    if (id === undefined) return this.#leave("its module was left out");
    if (this.#shared.has(id) && this.#hasLeftImporter) return this.#leave("another module was left out");
    if (![...args, ...expected].every(isNumber) && type === "assert_return")
      return this.#leave("references and vectors");
    this.outcome.ran++;
    const answer =
      action.type === "get"
        ? await this.#runner.get(id, action.field)
        : await this.#runner.invoke(id, action.field, args.map(bitsOf));
    const judgement = judge(type, answer.split(" "), expected);
    if (judgement === "quieted") this.outcome.quieted++;
    else if (judgement === "wrong") this.#fail(command, `${action.field}: ${answer}`);
  }

  /** @returns the file of the prepared module */
  #prepare(command: Command): string | undefined {
    const { filename = "" } = command;
    const module = filename.endsWith(".wasm")
      ? prepare(this.#script, filename)
      : { reason: "in the text format" };
    if ("file" in module) return module.file;
    if (module.reason === "import_unknown") this.#hasLeftImporter = true;
    this.#leave(module.reason);
    return undefined;
  }

  #fail({ type, line, filename = "", expected = [] }: Command, what: string): void {
    this.outcome.failures.push(`${line}: ${type} ${filename} ${what}, not ${JSON.stringify(expected)}`);
  }

  #leave(reason: string): void {
    this.outcome.left.set(reason, (this.outcome.left.get(reason) ?? 0) + 1);
  }
}

/** `quieted`: right but for the bit that says whether an f32 is a signalling NaN. */
function judge(type: string, [verdict, ...values]: string[], expected: readonly Value[]) {
  if (type === "assert_trap" || type === "assert_exhaustion") return verdict === "trap" ? "right" : "wrong";
  if (verdict !== "ok") return "wrong";
  if (type !== "assert_return" || everyMatches(values, expected, matches)) return "right";
  return everyMatches(values, expected, matchesQuieted) ? "quieted" : "wrong";
}

function everyMatches(values: readonly string[], expected: readonly Value[], match: typeof matches): boolean {
  return values.length === expected.length && expected.every((value, at) => match(values[at], value));
}

const total: Outcome = { failures: [], left: new Map(), ran: 0, quieted: 0 };

describe.skipIf(!isTestsuiteThere)(
  "core test suite (skipped where ../shared/testdata is absent)",
  async () => {
    const runner = await SpecRunner.start();
    afterAll(async () => {
      rmSync(directory, { recursive: true });
      expect(await runner.stop()).toBe(0);
    });
    for (const script of scripts())
      test(`${script.name} passes on the engine`, async () => {
        const { failures, left, ran, quieted } = await new ScriptRun(runner, script).run();
        total.ran += ran;
        total.quieted += quieted;
        for (const [reason, count] of left) total.left.set(reason, (total.left.get(reason) ?? 0) + count);
        expect(failures).toEqual([]);
      });
    test("more than 15,000 commands were run", () => {
      process.stderr.write(
        `core test suite: ${total.ran} ran, ${total.quieted} but for a signalling NaN, left ${JSON.stringify([...total.left])}\n`,
      );
      expect(total.ran).toBeGreaterThan(15_000);
    });
  },
);
