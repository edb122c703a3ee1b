import { describe, expect, test } from "vitest";
import { HARMLESS, HAZARDS, hazardModule } from "./engine-hazards.js";
import { compareWithJudges } from "./verdicts.js";

describe("code that unmodified wasm3 gets wrong", () => {
  for (const { what, ...hazard } of [...HAZARDS, ...HARMLESS])
    test(`is valid, as to V8 and wabt: ${what}`, () => {
      expect(compareWithJudges(hazardModule(hazard))).toMatchObject({
        disagreement: undefined,
        isTaken: true,
      });
    });
});
