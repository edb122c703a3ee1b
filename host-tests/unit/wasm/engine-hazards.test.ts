import { describe, expect, test } from "vitest";
import { HARMLESS, HAZARDS, hazardModule } from "./engine-hazards.js";
import { compareWithV8 } from "./verdicts.js";

describe("code that unmodified wasm3 gets wrong", () => {
  for (const { what, ...hazard } of [...HAZARDS, ...HARMLESS])
    test(`is valid, as in V8: ${what}`, () => {
      expect(compareWithV8(hazardModule(hazard))).toMatchObject({ disagreement: undefined, isTaken: true });
    });
});
