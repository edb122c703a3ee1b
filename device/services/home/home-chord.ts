/**
 * The buttons that lead home from any app: held down together for half a second (docs/spec/home.md#chord). The app
 * in front is not asked, so a hung one cannot keep the user there. The owner's buttons are watched apart, too: a stranger on the
 * network who holds the chord down must not keep the user from using it.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import { BUTTONS } from "../../wasm/abi.js";

/** A tenth of a second apart. */
const HELD_LOOKS = 5;

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

export class HomeChord {
  readonly #chord: number;
  readonly #onHeld: () => void;
  #heldLooks = 0;
  #heldByOwnerLooks = 0;

  /**
   * @param chord bits of the buttons
   * @param onHeld called when they were held long enough, and once until they are released
   */
  constructor(chord: number, onHeld: () => void) {
    this.#chord = chord;
    this.#onHeld = onHeld;
  }

  /**
   * To be called every tenth of a second (`ButtonWatch`).
   * @param pressed bits of the buttons that are down
   * @param pressedByOwner of those, the ones that no stranger presses
   */
  look(pressed: number, pressedByOwner: number): void {
    this.#heldLooks = this.#isIn(pressed) ? this.#heldLooks + 1 : 0;
    this.#heldByOwnerLooks = this.#isIn(pressedByOwner) ? this.#heldByOwnerLooks + 1 : 0;
    if (this.#heldLooks === HELD_LOOKS || this.#heldByOwnerLooks === HELD_LOOKS) this.#onHeld();
  }

  #isIn(buttons: number): boolean {
    return (buttons & this.#chord) === this.#chord;
  }
}
