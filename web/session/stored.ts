/**
 * Stores values in this browser. Where storage is unavailable (private windows, blocked storage), values are not kept.
 */

/** @returns what {@link store} has kept; `undefined` where there is none */
export function readStored(key: string): unknown {
  try {
    const text = window.localStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined; // storage is blocked, or another page of this origin wrote it
  }
}

/** @param value what JSON can say; `undefined` removes it */
export function store(key: string, value: unknown): void {
  try {
    if (value === undefined) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It is not kept, and asked for again the next time.
  }
}
