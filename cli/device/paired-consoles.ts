/**
 * Consoles that were paired over the cable (`svc pair`), with the bearer token that each requires in the network. A
 * token is sent to the console of its name, or to the address that the console had when it was paired.
 */
import { keptFile, readKept, writeKept } from "../kept-json.js";

interface PairedConsole {
  /** Such as `Console-1A2B`. */
  readonly name: string;
  readonly mac: string;
  /** Its address in the network when it was paired; empty where it had none. */
  readonly host: string;
  readonly token: string;
}

/** The ones that were paired last. */
const CONSOLES_LIMIT = 100;
const ADVICE = "Pair the console again with `svc pair`, or pass its token with --token.";

export const pairedFile = () => keptFile("consoles.json");

/** @throws {Error} `file_unreadable` */
export async function pairedConsoles(): Promise<readonly PairedConsole[]> {
  const kept = await readKept(pairedFile(), ADVICE);
  return Array.isArray(kept) ? kept : [];
}

/** Keeps a console in place of what was known of it. */
export async function keepPaired(console: PairedConsole): Promise<void> {
  const others = (await pairedConsoles().catch(() => [])).filter(({ mac }) => mac !== console.mac);
  await writeKept(pairedFile(), [...others, console].slice(-CONSOLES_LIMIT));
}

/** @returns the token of the console that was found, where it is one of them */
export function tokenFor(
  paired: readonly PairedConsole[],
  { address, name }: { readonly address: string; readonly name?: string | undefined },
): string | undefined {
  const host = hostOf(address);
  const isIt = (console: PairedConsole) =>
    name === undefined
      ? host !== "" && (host === console.host || host === `${console.name}.local`.toLowerCase())
      : name === console.name;
  return paired.find(isIt)?.token; // each console is there once
}

/** @returns empty for what is no URL, such as a port */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : "";
}
