/**
 * Consoles that were paired over the cable (`svc pair`), with the bearer token that each requires in the network. A
 * token is sent to the console of its name, or to the address that the console had when it was paired.
 */
import { readKept, writeKept } from "../kept-json.js";

interface PairedConsole {
  /** Such as `Console-1A2B`. */
  readonly name: string;
  readonly mac: string;
  /** Network address at the time of pairing; empty without a network. */
  readonly host: string;
  readonly token: string;
}

/** Limit; keeps the latest. */
const CONSOLES_LIMIT = 100;
const ADVICE = "Pair the console again with `svc pair`, or pass its token with --token.";

const FILE = "consoles.json";

/** @throws {Error} `file_unreadable` */
export async function pairedConsoles(): Promise<readonly PairedConsole[]> {
  const kept = await readKept(FILE, ADVICE);
  return Array.isArray(kept) ? kept : [];
}

/** Stores a console, replacing an older entry. @returns the path of the file */
export async function keepPaired(console: PairedConsole): Promise<string> {
  const others = (await pairedConsoles().catch(() => [])).filter(({ mac }) => mac !== console.mac);
  return writeKept(FILE, [...others, console].slice(-CONSOLES_LIMIT));
}

/** @returns the token of the found console, if it is paired */
export function tokenFor(
  paired: readonly PairedConsole[],
  { address, name }: { readonly address: string; readonly name?: string | undefined },
): string | undefined {
  const host = hostOf(address);
  const isIt = (console: PairedConsole) =>
    name === undefined
      ? host !== "" && (host === console.host || host === `${console.name}.local`.toLowerCase())
      : name === console.name;
  return paired.find(isIt)?.token; // the list has each console once
}

/** @returns empty for other addresses, such as a serial port */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : "";
}
