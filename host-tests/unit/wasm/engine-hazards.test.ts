import { describe, expect, test } from "vitest";
import { HARMLESS, HAZARDS, hazardModule } from "./engine-hazards.js";
import { prepare } from "./preparation.js";
import { compareWithV8 } from "./verdicts.js";

describe("code that the engine gets wrong", () => {
  for (const hazard of HAZARDS)
    test(`is refused: ${hazard.form}`, () => {
      const { disagreement, fault } = compareWithV8(hazardModule(hazard));
      expect(disagreement).toBeUndefined();
      expect([fault?.code, fault?.details?.["feature"]]).toEqual(["module_unsupported", hazard.form]);
    });

  for (const hazard of HAZARDS)
    test(`is taken where it is never reached: ${hazard.form}`, () => {
      const code = [0x00, ...hazard.code];
      expect(() => prepare(hazardModule({ ...hazard, code }))).not.toThrow();
    });

  for (const harmless of HARMLESS)
    test(`is not ${harmless.what}`, () => {
      expect(compareWithV8(hazardModule(harmless))).toMatchObject({ disagreement: undefined, isTaken: true });
    });
});
