import path from "node:path";
import { describe, expect, test } from "vitest";
import { isCorpusMissing, readCorpus, readModule, readScripts } from "./corpus.js";
import { faultOf, prepare } from "./preparation.js";
import { isValidToV8 } from "./v8.js";
import { compareWithJudges } from "./verdicts.js";

describe.skipIf(isCorpusMissing)(
  "the WebAssembly core test suite (skipped where ../shared/testdata is absent)",
  () => {
    const verdicts = isCorpusMissing
      ? []
      : readCorpus().map((module) => ({ ...module, ...compareWithJudges(module.bytes) }));

    test("V8, wabt and the validator agree about every module", () => {
      expect(verdicts.length).toBeGreaterThan(3800);
      const disagreements = verdicts.filter(({ disagreement }) => disagreement !== undefined);
      expect(disagreements.map(({ name, disagreement }) => `${name}: ${disagreement}`)).toEqual([]);
    });

    test("most valid modules are accepted", () => {
      expect(verdicts.filter(({ isTaken }) => isTaken).length).toBeGreaterThan(900);
    });

    test("every module of assert_invalid and assert_malformed is rejected", () => {
      let count = 0;
      const taken: string[] = [];
      for (const { directory, commands } of readScripts())
        for (const { type, filename, module_type, text } of commands) {
          if (type !== "assert_invalid" && type !== "assert_malformed") continue;
          if (module_type === "text" || !filename?.endsWith(".wasm")) continue;
          count++;
          const { name, bytes } = readModule(path.join(directory, filename));
          if (compareWithJudges(bytes).isTaken) taken.push(`${name}: ${text}`);
        }
      expect(count).toBeGreaterThan(1500);
      expect(taken).toEqual([]);
    });

    test("a prepared module can be prepared again, which adds only a global", () => {
      for (const { bytes, isTaken } of verdicts.slice(0, 400)) {
        if (!isTaken) continue;
        const once = prepare(bytes);
        const twice = prepare(once.bytes);
        expect(twice.facts.interruptGlobal).toBe(once.facts.interruptGlobal + 1);
        expect(twice.facts.ownFunctions).toBe(once.facts.ownFunctions);
      }
    });

    test("a module truncated to any length is rejected, or valid in V8 as well", () => {
      const fac = verdicts.find(({ name }) => name.endsWith("core/fac.0.wasm"));
      if (!fac) throw new Error("fac.0.wasm is missing");
      for (let length = 0; length < fac.bytes.length; length++) {
        const cut = fac.bytes.slice(0, length);
        if (isValidToV8(cut)) prepare(cut);
        else expect(faultOf(() => prepare(cut)).code).toBe("module_invalid");
      }
    });
  },
);
