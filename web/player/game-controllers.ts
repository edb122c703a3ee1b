/** Game controllers of the Gamepad API with the standard layout, as buttons of the console. */
import type { ButtonName, HeldButtons } from "../panels/screen/buttons.js";

/** By the number of the button: the face buttons lie as on the console. */
const BUTTONS: Readonly<Record<number, ButtonName>> = Object.freeze({
  ...{ 0: "b", 1: "a", 2: "y", 3: "x" },
  ...{ 8: "select", 9: "start" },
  ...{ 12: "up", 13: "down", 14: "left", 15: "right" },
});

/** Of a stick that counts as pushed. */
const PUSHED = 0.5;

/** Presses and releases what the controllers have pressed and released; call it once a frame. */
export function readControllers(held: HeldButtons, pads = navigator.getGamepads()): void {
  for (const pad of pads) {
    if (pad?.mapping !== "standard") continue;
    const hold = (name: ButtonName, isDown: boolean, part: string) => {
      const holder = `controller ${pad.index} ${part} ${name}`;
      if (isDown) held.press(holder, name);
      else held.release(holder);
    };
    for (const [number, name] of Object.entries(BUTTONS))
      hold(name, pad.connected && (pad.buttons[Number(number)]?.pressed ?? false), "button");
    const [x = 0, y = 0] = pad.connected ? pad.axes : [];
    hold("left", x < -PUSHED, "stick");
    hold("right", x > PUSHED, "stick");
    hold("up", y < -PUSHED, "stick");
    hold("down", y > PUSHED, "stick");
  }
}
