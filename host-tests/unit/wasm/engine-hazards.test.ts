import { describe, expect, test } from "vitest";
import { HARMLESS, HAZARDS, hazardModule } from "./engine-hazards.js";
import { compareWithV8 } from "./verdicts.js";

describe("code that wasm3 by itself gets wrong", () => {
  for (const { what, ...hazard } of [...HAZARDS, ...HARMLESS])
    test(`is valid, as it is to V8: ${what}`, () => {
      expect(compareWithV8(hazardModule(hazard))).toMatchObject({ disagreement: undefined, isTaken: true });
    });
});
