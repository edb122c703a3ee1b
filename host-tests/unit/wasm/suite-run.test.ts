/** The suite's own programs, prepared and run by V8: preparation does not change their results. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import {
  isCorpusMissing,
  readModule,
  readScripts,
  type Script,
  type ScriptAction,
  type ScriptCommand,
} from "./corpus.js";
import { prepare } from "./preparation.js";
import { fromScript, isExact, isSame } from "./suite-values.js";
import { type Instance, instantiate, invoke, isTrap } from "./v8.js";

const nothing = () => undefined;
const SPECTEST = {
  print: nothing,
  print_i32: nothing,
  print_i64: nothing,
  print_f32: nothing,
  print_f64: nothing,
  print_i32_f32: nothing,
  print_f64_f64: nothing,
};

/** Runs one script and counts its assertions; what does not hold is listed. */
class ScriptRun {
  readonly failures: string[] = [];
  returns = 0;
  traps = 0;
  readonly #script: Script;
  readonly #imports: Record<string, Record<string, unknown>> = { spectest: SPECTEST };
  readonly #named = new Map<string, Instance>();
  #current: Instance | undefined;
  /** A module that is refused would have changed the tables or memories of those before it. */
  #isOver = false;

  constructor(script: Script) {
    this.#script = script;
  }

  run(): void {
    for (const command of this.#script.commands) if (!this.#isOver) this.#step(command);
  }

  #step(command: ScriptCommand): void {
    const { type, action, name } = command;
    if (type === "module" && command.filename) {
      this.#current = this.#instantiate(command.filename);
      if (name && this.#current) this.#named.set(name, this.#current);
    } else if (type === "register") {
      const instance = name ? this.#named.get(name) : this.#current;
      if (instance && command.as) this.#imports[command.as] = { ...instance.exports };
    } else if (type === "action" && action) this.#invoke(action);
    else if (type === "assert_return" && action) this.#expectReturn(command, action);
    else if (type === "assert_trap" && action) this.#expectTrap(command, action);
  }

  #instantiate(filename: string): Instance | undefined {
    try {
      const { bytes } = prepare(readModule(path.join(this.#script.directory, filename)).bytes);
      return instantiate(bytes, this.#imports);
    } catch (error) {
      this.#isOver = error instanceof Fault && error.code === "import_unknown";
      return undefined; // a feature that the engine has not, or an import from a module that has one
    }
  }

  #invoke({ module, field, args = [] }: ScriptAction): { readonly result: unknown } | undefined {
    const instance = module ? this.#named.get(module) : this.#current;
    const parameters = args.map(fromScript);
    if (!instance || typeof instance.exports[field] !== "function") return undefined;
    if (!args.every(isExact)) return undefined;
    return parameters.includes(undefined) ? undefined : { result: invoke(instance, field, parameters) };
  }

  #expectReturn({ line, expected = [] }: ScriptCommand, action: ScriptAction): void {
    if (action.type !== "invoke") return;
    try {
      const ended = this.#invoke(action);
      if (!ended) return;
      this.returns++;
      if (!isSame(ended.result, expected))
        this.failures.push(`line ${line}: ${action.field} gave ${ended.result}`);
    } catch (error) {
      this.failures.push(`line ${line}: ${action.field}: ${error}`);
    }
  }

  #expectTrap({ line }: ScriptCommand, action: ScriptAction): void {
    try {
      if (this.#invoke(action)) this.failures.push(`line ${line}: ${action.field} did not trap`);
    } catch (error) {
      this.traps++;
      if (!isTrap(error)) this.failures.push(`line ${line}: ${action.field}: ${error}`);
    }
  }
}

describe.skipIf(isCorpusMissing)(
  "the suite prepared, on V8 (skipped where ../shared/testdata is absent)",
  () => {
    test("returns and traps as specified", { timeout: 60_000 }, () => {
      const runs = readScripts().map((script) => {
        const run = new ScriptRun(script);
        run.run();
        return { name: script.name, run };
      });
      const failures = runs.flatMap(({ name, run }) => run.failures.map((failure) => `${name}: ${failure}`));
      expect(failures).toEqual([]);
      expect(runs.reduce((sum, { run }) => sum + run.returns, 0)).toBeGreaterThan(15_000);
      expect(runs.reduce((sum, { run }) => sum + run.traps, 0)).toBeGreaterThan(300);
    });
  },
);
