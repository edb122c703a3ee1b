/** Game controllers as buttons of the console. */
import { beforeEach, describe, expect, test } from "vitest";
import { bitOf, HeldButtons } from "../../../../web/panels/screen/buttons.js";
import { connectedPads, GameControllers } from "../../../../web/player/game-controllers.js";

const pad = (pressed: readonly number[], axes: readonly number[] = [0, 0], more: object = {}) =>
  ({
    mapping: "standard",
    connected: true,
    index: 0,
    axes,
    buttons: Array.from({ length: 17 }, (_, number) => ({ pressed: pressed.includes(number) })),
    ...more,
  }) as unknown as Gamepad;

/** A controller that the browser does not know. */
const otherPad = (pressed: readonly number[], axes: readonly number[], buttonCount = 13) => {
  const buttons = Array.from({ length: buttonCount }, (_, number) => ({ pressed: pressed.includes(number) }));
  return pad([], axes, { mapping: "", buttons });
};

let held: HeldButtons;
let controllers: GameControllers;
beforeEach(() => {
  held = new HeldButtons(() => {});
  controllers = new GameControllers(held);
});
const bits = (...names: readonly Parameters<typeof bitOf>[0][]) =>
  names.reduce((sum, name) => sum | bitOf(name), 0);

test("Buttons and the stick press the console's buttons, and release them", () => {
  controllers.read([null, pad([0, 12], [0.9, 0])], true);
  expect(held.bits).toBe(bits("b", "up", "right"));
  controllers.read([pad([9])], true);
  expect(held.bits).toBe(bits("start"));
  controllers.read([pad([9], [1, 1], { connected: false })], true);
  expect(held.bits).toBe(0);
});

describe("What a controller holds is released when the controller", () => {
  const held0 = pad([1], [0, -1]);
  const GONE = [
    { how: "vanishes from the list", pads: [] },
    { how: "leaves an empty place in the list", pads: [null] },
    { how: "is disconnected", pads: [pad([1], [0, -1], { connected: false })] },
    { how: "gives its place to another one", pads: [null, pad([], [0, 0], { index: 1 })] },
  ];
  for (const { how, pads } of GONE)
    test(how, () => {
      controllers.read([held0], true);
      expect(held.bits).toBe(bits("a", "up"));
      controllers.read(pads, true);
      expect(held.bits).toBe(0);
    });
});

test("A button that stays down while the page is left is pressed again only when it goes down again", () => {
  controllers.read([pad([1], [-1, 0])], true);
  held.releaseAll();
  for (const isHeard of [true, false, true]) {
    controllers.read([pad([1], [-1, 0])], isHeard);
    expect(held.bits).toBe(0);
  }
  controllers.read([pad([])], true);
  controllers.read([pad([1])], true);
  expect(held.bits).toBe(bits("a"));
});

test("A press while the page has not the focus is none of the app's, a release is", () => {
  controllers.read([pad([0])], true);
  controllers.read([pad([0, 1])], false);
  expect(held.bits).toBe(bits("b"));
  controllers.read([pad([1])], false);
  controllers.read([pad([1])], true);
  expect(held.bits).toBe(0);
});

describe("A controller whose layout the browser does not know", () => {
  const CROSSES = [
    { where: "left and up on axes 6 and 7", axes: [0, 0, -1, 0, 0, -1, -1, -1], bits: bits("left", "up") },
    { where: "right and down on axes 6 and 7", axes: [0, 0, 0, 0, 0, 0, 1, 1], bits: bits("right", "down") },
    { where: "up on axis 9", axes: [0, 0, 0, 0, 0, 0, 0, 0, 0, -1], bits: bits("up") },
    {
      where: "down and left on axis 9",
      axes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 3 / 7],
      bits: bits("down", "left"),
    },
    { where: "left and up on axis 9", axes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1], bits: bits("left", "up") },
    { where: "nowhere on axis 9", axes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 9 / 7], bits: 0 },
    { where: "not yet known on axis 9", axes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bits: 0 },
  ];
  test.each(CROSSES)("has its cross, $where", ({ axes, bits }) => {
    controllers.read([otherPad([], axes)], true);
    expect(held.bits).toBe(bits);
  });

  test("has face buttons, Select and Start, also where they are 6 and 7, and its stick", () => {
    controllers.read([otherPad([0, 1, 2, 3, 8, 9, 12], [1, 0])], true);
    expect(held.bits).toBe(bits("a", "b", "x", "y", "select", "start", "right"));
    controllers.read([otherPad([6, 7, 8, 9], [0, 0, -1, 0, 0, -1, 0, 0], 11)], true);
    expect(held.bits).toBe(bits("select", "start"));
  });
});

test("No controller releases what a key holds", () => {
  held.press("key KeyZ", "a");
  controllers.read([pad([1])], true);
  controllers.read([], true);
  expect(held.bits).toBe(bits("a"));
});

test("A browser without controllers has none", () => {
  expect(connectedPads()).toEqual([]);
});
