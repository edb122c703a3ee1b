/** The buttons of a console: their bits, as `buttons()` of the ABI has them, and the keys that stand for them. */

/** From bit 0 on. */
export const BUTTON_NAMES = ["up", "down", "left", "right", "a", "b", "x", "y", "start", "select"] as const;
export type ButtonName = (typeof BUTTON_NAMES)[number];

export function bitOf(name: ButtonName): number {
  return 1 << BUTTON_NAMES.indexOf(name);
}

export interface ButtonKey {
  readonly name: ButtonName;
  /** What it says, where that is not its name. */
  readonly face: string;
  /** As `KeyboardEvent.key` has it. */
  readonly key: string;
  /** As keyboards have it. */
  readonly keyFace: string;
}

export const BUTTON_KEYS: readonly ButtonKey[] = [
  { name: "up", face: "▲", key: "ArrowUp", keyFace: "↑" },
  { name: "down", face: "▼", key: "ArrowDown", keyFace: "↓" },
  { name: "left", face: "◀", key: "ArrowLeft", keyFace: "←" },
  { name: "right", face: "▶", key: "ArrowRight", keyFace: "→" },
  { name: "a", face: "A", key: "z", keyFace: "Z" },
  { name: "b", face: "B", key: "x", keyFace: "X" },
  { name: "x", face: "X", key: "a", keyFace: "A" },
  { name: "y", face: "Y", key: "s", keyFace: "S" },
  { name: "start", face: "Start", key: "Enter", keyFace: "Enter" },
  { name: "select", face: "Select", key: "Shift", keyFace: "Shift" },
];

export function keyOf(name: ButtonName): ButtonKey {
  return BUTTON_KEYS[BUTTON_NAMES.indexOf(name)] as ButtonKey;
}

/**
 * The button of a key, by what the key says; where it says a letter of another script, by its place.
 * @param event with Ctrl, Alt or Meta, keys belong to the browser
 */
export function buttonOfKey(
  event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "altKey" | "metaKey">,
): ButtonName | undefined {
  if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
  const said = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isLatin = said.length > 1 || /[a-z]/.test(said);
  const place = event.code.replace(/^Key/, "").toLowerCase();
  return BUTTON_KEYS.find(({ key }) => key === (isLatin ? said : place))?.name;
}

/**
 * Tracks which buttons are held, and by which source: touches, the mouse and keys may hold several, and two of them the
 * same one.
 */
export class HeldButtons {
  readonly #byHolder = new Map<string, ButtonName>();
  readonly #onChange: (bits: number) => void;

  /** @param onChange called with what is held then, only when that has changed */
  constructor(onChange: (bits: number) => void) {
    this.#onChange = onChange;
  }

  get bits(): number {
    let bits = 0;
    for (const name of this.#byHolder.values()) bits |= bitOf(name);
    return bits;
  }

  /** @param holder such as `key KeyZ` or `pointer 3`, which holds one button at a time */
  press(holder: string, name: ButtonName): void {
    this.#change(() => this.#byHolder.set(holder, name));
  }

  release(holder: string): void {
    this.#change(() => this.#byHolder.delete(holder));
  }

  releaseAll(): void {
    this.#change(() => this.#byHolder.clear());
  }

  #change(how: () => void): void {
    const before = this.bits;
    how();
    if (this.bits !== before) this.#onChange(this.bits);
  }
}
