/** Stores this browser's hub and the token of its account there, until the user signs out. */

export interface KeptHub {
  readonly address: string;
  readonly token?: string;
}

/** As `localStorage`, which a browser may refuse or empty at any time. */
export interface Keeper {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const KEY = "svc/hub";

export function readKeptHub(keeper: Keeper): KeptHub | undefined {
  try {
    const { address, token } = Object(JSON.parse(keeper.getItem(KEY) ?? "null"));
    if (typeof address !== "string") return undefined;
    return { address, ...(typeof token === "string" && { token }) };
  } catch {
    return undefined; // nothing is kept that can be used
  }
}

/** @returns whether it will be there the next time */
export function keepHub(keeper: Keeper, hub: KeptHub | undefined): boolean {
  try {
    if (hub) keeper.setItem(KEY, JSON.stringify(hub));
    else keeper.removeItem(KEY);
    return true;
  } catch {
    return false; // private windows keep nothing: the hub is used for as long as the page is open
  }
}
