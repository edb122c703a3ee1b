import { expect, test } from "vitest";
import { type ButtonName, bitOf, HeldButtons } from "../../../../web/panels/screen/buttons.js";

const bits = (...names: ButtonName[]) => names.reduce((all, name) => all | bitOf(name), 0);

function holding() {
  const told: number[] = [];
  return { told, held: new HeldButtons((state) => told.push(state)) };
}

test("Several buttons can be held at once, and released one by one", () => {
  const { told, held } = holding();
  held.press("key ArrowLeft", "left");
  held.press("pointer 2", "a");
  held.release("key ArrowLeft");
  held.release("pointer 2");
  expect(told).toEqual([bits("left"), bits("left", "a"), bits("a"), 0]);
});

test("A button that two clients hold is held until both release it", () => {
  const { told, held } = holding();
  held.press("key KeyZ", "a");
  held.press("pointer 1", "a");
  held.release("key KeyZ");
  expect(held.bits).toBe(bits("a"));
  held.release("pointer 1");
  expect(told).toEqual([bits("a"), 0]);
});

test("A finger that slides to the next button releases the previous one in the same change", () => {
  const { told, held } = holding();
  held.press("pointer 1", "left");
  held.press("pointer 1", "up");
  expect(told).toEqual([bits("left"), bits("up")]);
});

test("A repeating key causes no change", () => {
  const { told, held } = holding();
  held.press("key KeyZ", "a");
  held.press("key KeyZ", "a");
  expect(told).toEqual([bits("a")]);
});

test("All buttons are released at once, with one change", () => {
  const { told, held } = holding();
  held.press("key KeyZ", "a");
  held.press("pointer 1", "up");
  held.releaseAll();
  held.releaseAll();
  held.release("key KeyZ");
  expect(told.slice(2)).toEqual([0]);
});
