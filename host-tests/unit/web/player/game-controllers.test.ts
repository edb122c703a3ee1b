/** Game controllers as buttons of the console. */
import { expect, test } from "vitest";
import { bitOf, HeldButtons } from "../../../../web/panels/screen/buttons.js";
import { readControllers } from "../../../../web/player/game-controllers.js";

const pad = (pressed: readonly number[], axes: readonly number[] = [0, 0], more: object = {}) =>
  ({
    ...{ mapping: "standard", connected: true, index: 0, axes },
    buttons: Array.from({ length: 17 }, (_, number) => ({ pressed: pressed.includes(number) })),
    ...more,
  }) as unknown as Gamepad;

test("buttons and the stick press the console's buttons, and release them", () => {
  const held = new HeldButtons(() => {});
  readControllers(held, [null, pad([0, 12], [0.9, 0])]);
  expect(held.bits).toBe(bitOf("b") | bitOf("up") | bitOf("right"));
  readControllers(held, [pad([9])]);
  expect(held.bits).toBe(bitOf("start"));
  readControllers(held, [pad([9], [1, 1], { connected: false })]);
  expect(held.bits).toBe(0);
});

test("a controller of another layout presses nothing, and no controller releases what a key holds", () => {
  const held = new HeldButtons(() => {});
  held.press("key KeyZ", "a");
  readControllers(held, [pad([0, 1, 2], [1, 1], { mapping: "" }), pad([])]);
  expect(held.bits).toBe(bitOf("a"));
});
