/** Looks at the buttons, ten times a second, for whoever has to know of them beside the app in front. */
import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Buttons } from "../../ports/display.js";

const WATCH_MS = 100;

interface Watcher {
  look(pressed: number, pressedByOwner: number): void;
}

export class ButtonWatch {
  readonly #timer: Timer;
  readonly #poll: TimerHandle;

  constructor(
    buttons: Pick<Buttons, "pressed" | "pressedByOwner">,
    timer: Timer,
    watchers: readonly Watcher[],
  ) {
    this.#timer = timer;
    this.#poll = timer.repeat(() => {
      const { pressed, pressedByOwner } = buttons;
      for (const watcher of watchers) watcher.look(pressed, pressedByOwner);
    }, WATCH_MS);
  }

  close(): void {
    this.#timer.clear(this.#poll);
  }
}
