/**
 * The light behind the display: as bright as the user chose, and dark once no button was pressed for as long as they chose
 * (docs/spec/home.md#sleep). The press that wakes the display is not one of the app's.
 */
import type { Clock } from "../../../protocol/ports/runtime.js";
import type { Buttons, Display } from "../../ports/display.js";
import type { Preferences } from "../preferences/preferences.js";

const DARK = 0;

interface DisplayLightOptions {
  readonly display: Pick<Display, "setBrightness">;
  readonly buttons: Pick<Buttons, "holdBack">;
  readonly preferences: Pick<Preferences, "brightnessPercent" | "sleepAfterS">;
  readonly clock: Clock;
}

export class DisplayLight {
  readonly #options: DisplayLightOptions;
  #sleepAfterMs = 0;
  #isAsleep = false;
  #usedAtMs: number;

  constructor(options: DisplayLightOptions) {
    this.#options = options;
    this.#usedAtMs = options.clock.uptimeMs();
    this.preferencesChanged();
  }

  /** To be called when the user has changed a setting, which wakes the display. */
  preferencesChanged(): void {
    this.#sleepAfterMs = 1000 * this.#options.preferences.sleepAfterS;
    this.#wake();
  }

  /** To be called several times a second. @param pressed bits of the buttons that are down */
  look(pressed: number): void {
    if (pressed !== 0) {
      if (this.#isAsleep) this.#wake();
      this.#usedAtMs = this.#options.clock.uptimeMs();
    } else if (this.#isIdle()) {
      this.#isAsleep = true;
      // From now on, not when it is looked again: an app may look sooner.
      this.#options.buttons.holdBack(true);
      this.#options.display.setBrightness(DARK);
    }
  }

  #isIdle(): boolean {
    const idleMs = this.#options.clock.uptimeMs() - this.#usedAtMs;
    return !this.#isAsleep && this.#sleepAfterMs > 0 && idleMs >= this.#sleepAfterMs;
  }

  #wake(): void {
    const { buttons, clock, display, preferences } = this.#options;
    if (this.#isAsleep) buttons.holdBack(false);
    this.#isAsleep = false;
    this.#usedAtMs = clock.uptimeMs();
    display.setBrightness(preferences.brightnessPercent);
  }
}
