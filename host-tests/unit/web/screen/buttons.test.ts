import { expect, test } from "vitest";
import { BUTTONS } from "../../../../device/wasm/abi.js";
import { BUTTON_KEYS, BUTTON_NAMES, bitOf, buttonOfKey } from "../../../../web/panels/screen/buttons.js";

test("Buttons have the bits of the ABI", () => expect(BUTTON_NAMES).toEqual(BUTTONS));

test("Every button has its own key", () => {
  expect(BUTTON_KEYS.map(({ name }) => name)).toEqual(BUTTON_NAMES);
  expect(new Set(BUTTON_KEYS.map(({ key }) => key)).size).toBe(BUTTON_NAMES.length);
});

test("Bits are counted from the first", () => {
  expect(bitOf("up")).toBe(1);
  expect(bitOf("a")).toBe(16);
  expect(bitOf("select")).toBe(512);
});

const KEYS = [
  { name: "an arrow", key: "ArrowLeft", code: "ArrowLeft", button: "left" },
  { name: "a letter", key: "z", code: "KeyZ", button: "a" },
  { name: "a capital letter, while Shift is select", key: "Z", code: "KeyZ", button: "a" },
  { name: "the letter on another keyboard layout", key: "z", code: "KeyY", button: "a" },
  { name: "no letter in the position of another one", key: "w", code: "KeyZ", button: undefined },
  { name: "the position on a keyboard with other letters", key: "я", code: "KeyZ", button: "a" },
  { name: "Shift on either side", key: "Shift", code: "ShiftRight", button: "select" },
  { name: "Enter of the keypad", key: "Enter", code: "NumpadEnter", button: "start" },
  { name: "no digit", key: "1", code: "Digit1", button: undefined },
  { name: "no Tab", key: "Tab", code: "Tab", button: undefined },
] as const;
const plain = { ctrlKey: false, altKey: false, metaKey: false };
for (const { name, button, ...key } of KEYS)
  test(`A key presses by ${name}`, () => expect(buttonOfKey({ ...key, ...plain })).toBe(button));

for (const modifier of ["ctrlKey", "altKey", "metaKey"])
  test(`A key with ${modifier} is left to the browser`, () =>
    expect(buttonOfKey({ key: "s", code: "KeyS", ...plain, [modifier]: true })).toBeUndefined());
