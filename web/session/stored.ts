/**
 * Values stored in this browser, such as the consoles that it has been connected to. Where storage is unavailable
 * (private windows, blocked storage), values are not kept.
 */
import { type ReadonlySignal, signal } from "@preact/signals";

/** @returns the value stored by {@link store}; `undefined` if there is none */
export function readStored(key: string): unknown {
  try {
    const text = window.localStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined; // storage is blocked, or another page of this origin wrote it
  }
}

/** @param value JSON value; `undefined` removes the entry */
export function store(key: string, value: unknown): void {
  try {
    if (value === undefined) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Not stored; the user enters it again next time.
  }
}

const KEY = "svc/consoles";
const LIMIT = 8;

export interface RememberedConsole {
  /** `http://192.168.1.20:8080` */
  readonly address: string;
  readonly name: string;
  readonly token?: string;
}

/** Consoles in the network that this browser has been connected to, the latest first. */
export class RememberedConsoles {
  readonly #list = signal<readonly RememberedConsole[]>(storedConsoles());

  get list(): ReadonlySignal<readonly RememberedConsole[]> {
    return this.#list;
  }

  tokenOf(address: string): string | undefined {
    return this.#list.value.find((known) => known.address === address)?.token;
  }

  remember(console: RememberedConsole): void {
    this.#set([console, ...this.#without(console.address)].slice(0, LIMIT));
  }

  forget(address: string): void {
    this.#set(this.#without(address));
  }

  #without(address: string): readonly RememberedConsole[] {
    return this.#list.value.filter((known) => known.address !== address);
  }

  #set(list: readonly RememberedConsole[]): void {
    this.#list.value = list;
    store(KEY, list.length === 0 ? undefined : list);
  }
}

/** The stored value may come from another version of this page, or from another page of this origin. */
function storedConsoles(): readonly RememberedConsole[] {
  const stored = readStored(KEY);
  return Array.isArray(stored) ? stored.filter(isRemembered).slice(0, LIMIT) : [];
}

function isRemembered(value: unknown): value is RememberedConsole {
  const { address, name, token } = Object(value);
  return (
    typeof address === "string" &&
    typeof name === "string" &&
    (token === undefined || typeof token === "string")
  );
}
