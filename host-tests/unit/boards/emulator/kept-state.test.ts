/** What a start after a loss of power makes of an update (docs/spec/boot-and-slots.md#trial-once). */
import { describe, expect, test } from "vitest";
import { afterPowerLoss, inWords, type KeptState } from "../../../board/kept-state.js";

const state: KeptState = { confirmed: "0.1.0", apps: { clock: "1.0.0", bricks: "1.1.0" }, hub: "" };

describe("After a loss of power", () => {
  test("what was confirmed is there, and everything else", () => {
    expect(afterPowerLoss(state)).toEqual(state);
  });

  test("staged firmware is on trial", () => {
    expect(afterPowerLoss({ ...state, staged: "0.2.0" })).toEqual({ ...state, trial: "0.2.0" });
  });

  test("firmware that was on trial is gone, with the reason", () => {
    expect(afterPowerLoss({ ...state, trial: "0.2.0" })).toEqual({
      ...state,
      result: "rolled_back 0.2.0 power_loss",
    });
  });
});

test("two states that the endpoints tell alike have the same words", () => {
  expect(inWords({ ...state, trial: "0.2.0", confirmed: "" })).toBe(inWords({ ...state, trial: "0.2.0" }));
  expect(inWords({ ...state, apps: { bricks: "1.1.0", clock: "1.0.0" } })).toBe(inWords(state));
});

test("each difference that the endpoints tell has words of its own", () => {
  const states: readonly KeptState[] = [
    state,
    { ...state, confirmed: "0.2.0" },
    { ...state, staged: "0.2.0" },
    { ...state, trial: "0.2.0" },
    { ...state, result: "confirmed 0.1.0" },
    { ...state, apps: {} },
    { ...state, hub: "http://192.0.2.1" },
  ];
  expect(new Set(states.map(inWords)).size).toBe(states.length);
});
