/** The console's buttons: their bits in the ABI's `buttons()`, and the keys that press them. */

/** In the order of their bits, from bit 0. */
export const BUTTON_NAMES = ["up", "down", "left", "right", "a", "b", "x", "y", "start", "select"] as const;
export type ButtonName = (typeof BUTTON_NAMES)[number];

export function bitOf(name: ButtonName): number {
  return 1 << BUTTON_NAMES.indexOf(name);
}

export interface ButtonKey {
  readonly name: ButtonName;
  /** Label of the button. */
  readonly face: string;
  /** Value of `KeyboardEvent.key`. */
  readonly key: string;
  /** Label of the key. */
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
 * The button of a key, by the key's character; if that is not a Latin letter, by the key's position.
 * @param event with Ctrl, Alt or Meta it is a shortcut of the browser, and presses no button
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
 * Tracks which buttons are held, and by which holder. Touches, the mouse and keys can hold several buttons at once, and
 * two holders can hold the same button.
 */
export class HeldButtons {
  readonly #byHolder = new Map<string, ButtonName>();
  readonly #onChange: (bits: number) => void;

  /** @param onChange called with the bits of the held buttons, only when they have changed */
  constructor(onChange: (bits: number) => void) {
    this.#onChange = onChange;
  }

  get bits(): number {
    let bits = 0;
    for (const name of this.#byHolder.values()) bits |= bitOf(name);
    return bits;
  }

  /** @param holder such as `key KeyZ` or `pointer 3`; holds one button at a time */
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
