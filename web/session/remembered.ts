/** Consoles in the network that this browser has been connected to, the latest first. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { readStored, store } from "./stored.js";

const KEY = "svc/consoles";
const LIMIT = 8;

export interface RememberedConsole {
  /** `http://192.168.1.20:8080` */
  readonly address: string;
  readonly name: string;
  readonly token?: string;
}

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
