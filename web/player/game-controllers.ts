/**
 * Game controllers of the Gamepad API as buttons of the console (docs/spec/web-player.md#controllers). Only changes count: a button
 * that stays down while the page is left is not pressed again, and all that a controller held is released when it vanishes.
 */
import type { ButtonName, HeldButtons } from "../panels/screen/buttons.js";

/** By the number of the button: the face buttons lie as on the console. */
const FACE: Readonly<Record<number, ButtonName>> = Object.freeze({ 0: "b", 1: "a", 2: "y", 3: "x" });
const MIDDLE: Readonly<Record<number, ButtonName>> = Object.freeze({ 8: "select", 9: "start" });
const CROSS: Readonly<Record<number, ButtonName>> = Object.freeze({
  12: "up",
  13: "down",
  14: "left",
  15: "right",
});

/** Linux gives Xbox controllers without a standard layout this many buttons, of which 8 and 9 are others. */
const XBOX_BUTTONS = 11;
const XBOX_MIDDLE: Readonly<Record<number, ButtonName>> = Object.freeze({ 6: "select", 7: "start" });

/** Of a stick that counts as pushed. */
const PUSHED = 0.5;
/** A cross that is one axis: eight directions from -1 to 1, clockwise from up; anything else is none of them. */
const ONE_AXIS = 9;
const DIRECTIONS: readonly (readonly ButtonName[])[] = [
  ["up"],
  ["up", "right"],
  ["right"],
  ["right", "down"],
  ["down"],
  ["down", "left"],
  ["left"],
  ["left", "up"],
];

export class GameControllers {
  readonly #held: HeldButtons;
  /** Holders whose part of a controller is down. */
  #down: ReadonlySet<string> = new Set();

  constructor(held: HeldButtons) {
    this.#held = held;
  }

  /**
   * Presses and releases what the controllers have pressed and released; call it once a frame.
   * @param isHeard whether the page has the focus: presses while it has not are none of the app's
   */
  read(pads: readonly (Gamepad | null)[], isHeard: boolean): void {
    const down = new Map(pads.flatMap((pad) => (pad?.connected ? partsDown(pad) : [])));
    for (const holder of this.#down) if (!down.has(holder)) this.#held.release(holder);
    if (isHeard)
      for (const [holder, name] of down) if (!this.#down.has(holder)) this.#held.press(holder, name);
    this.#down = new Set(down.keys());
  }
}

/** @returns none where browsers have no controllers, or the page may not use them */
export function connectedPads(): readonly (Gamepad | null)[] {
  try {
    return navigator.getGamepads();
  } catch {
    return []; // an older browser, or a page whose policy forbids it
  }
}

/** What is down of a controller: holder and button. */
function partsDown(pad: Gamepad): [holder: string, name: ButtonName][] {
  const buttons = Object.entries(buttonsOf(pad)).filter(([number]) => pad.buttons[Number(number)]?.pressed);
  return [
    ...buttons.map(([, name]) => ["button", name] as const),
    ...pushed(pad.axes[0], pad.axes[1]).map((name) => ["stick", name] as const),
    ...crossOf(pad).map((name) => ["cross", name] as const),
  ].map(([part, name]) => [`controller ${pad.index} ${part} ${name}`, name]);
}

/** A layout that the browser does not know may have fewer buttons, and its cross as axes. */
function buttonsOf({ mapping, buttons }: Gamepad): Readonly<Record<number, ButtonName>> {
  if (mapping === "standard") return { ...FACE, ...MIDDLE, ...CROSS };
  return { ...FACE, ...(buttons.length === XBOX_BUTTONS ? XBOX_MIDDLE : MIDDLE) };
}

function crossOf({ mapping, axes }: Gamepad): readonly ButtonName[] {
  if (mapping === "standard") return [];
  if (axes.length <= ONE_AXIS) return pushed(axes[6], axes[7]);
  const turn = (((axes[ONE_AXIS] as number) + 1) * 7) / 2;
  return Math.abs(turn - Math.round(turn)) < 0.1 ? (DIRECTIONS[Math.round(turn)] ?? []) : [];
}

function pushed(x = 0, y = 0): readonly ButtonName[] {
  const horizontal: ButtonName[] = Math.abs(x) > PUSHED ? [x < 0 ? "left" : "right"] : [];
  const vertical: ButtonName[] = Math.abs(y) > PUSHED ? [y < 0 ? "up" : "down"] : [];
  return [...horizontal, ...vertical];
}
