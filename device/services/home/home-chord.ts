/**
 * The buttons that lead home from any app: held down together for half a second (docs/spec/home.md#chord). The app
 * in front is not asked, so a hung one cannot keep the user there.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Buttons } from "../../ports/display.js";
import { BUTTONS } from "../../wasm/abi.js";

const POLL_MS = 100;
const HELD_POLLS = 5;

/**
 * @param names of buttons, joined by `+`, such as `select+start`
 * @returns their bits
 * @throws {Fault} `config_invalid` for an unknown button, and for fewer than two
 */
export function readChord(names: string): number {
  const bits = names.split("+", BUTTONS.length + 1).map((name) => {
    const index = (BUTTONS as readonly string[]).indexOf(name.trim());
    if (index < 0) throw invalid(`${quoted(name)} is no button`);
    return 1 << index;
  });
  if (new Set(bits).size < 2) throw invalid("it takes at least two buttons");
  return bits.reduce((all, bit) => all | bit);
}

const invalid = (problem: string) => new Fault("config_invalid", `CONFIG_SVC_HOME_CHORD: ${problem}`);

interface HomeChordOptions {
  readonly buttons: Pick<Buttons, "pressed">;
  readonly timer: Timer;
  /** Bits of the buttons. */
  readonly chord: number;
  /** They were held long enough; called once until they are released. */
  onHeld(): void;
}

export class HomeChord {
  readonly #options: HomeChordOptions;
  readonly #poll: TimerHandle;
  #heldPolls = 0;

  constructor(options: HomeChordOptions) {
    this.#options = options;
    this.#poll = options.timer.repeat(() => this.#look(), POLL_MS);
  }

  close(): void {
    this.#options.timer.clear(this.#poll);
  }

  #look(): void {
    const { buttons, chord, onHeld } = this.#options;
    const isHeld = (buttons.pressed & chord) === chord;
    this.#heldPolls = isHeld ? this.#heldPolls + 1 : 0;
    if (this.#heldPolls === HELD_POLLS) onHeld();
  }
}
