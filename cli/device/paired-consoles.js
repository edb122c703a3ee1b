/**
 * Consoles that were paired over the cable (`svc pair`), with the bearer token that each requires in the network. A
 * token is sent to the console of its name, or to the address that the console had when it was paired.
 */
import { keptFile, readKept, writeKept } from "../kept-json.js";

/**
 * @typedef {object} PairedConsole
 * @property {string} name such as `Console-1A2B`
 * @property {string} mac
 * @property {string} host its address in the network when it was paired; empty where it had none
 * @property {string} token
 */

/** The ones that were paired last. */
const CONSOLES_LIMIT = 100;
const ADVICE = "Pair the console again with `svc pair`, or name its token with --token.";

export const pairedFile = () => keptFile("consoles.json");

/** @returns {Promise<readonly PairedConsole[]>} @throws {Error} `file_unreadable` */
export async function pairedConsoles() {
  const kept = await readKept(pairedFile(), ADVICE);
  return Array.isArray(kept) ? kept : [];
}

/** Keeps a console in place of what was known of it. @param {PairedConsole} console */
export async function keepPaired(console) {
  const others = (await pairedConsoles().catch(() => [])).filter(({ mac }) => mac !== console.mac);
  await writeKept(pairedFile(), [...others, console].slice(-CONSOLES_LIMIT));
}

/**
 * @param {readonly PairedConsole[]} paired
 * @param {{ readonly address: string, readonly name?: string | undefined }} found
 * @returns {string | undefined} the token of the console that was found, where it is one of them
 */
export function tokenFor(paired, { address, name }) {
  const host = hostOf(address);
  const isIt = (/** @type {PairedConsole} */ console) =>
    name === undefined
      ? host !== "" && (host === console.host || host === `${console.name}.local`.toLowerCase())
      : name === console.name;
  return paired.find(isIt)?.token; // each console is there once
}

/** @param {string} address @returns {string} empty for what is no URL, such as a port */
function hostOf(address) {
  return URL.canParse(address) ? new URL(address).hostname : "";
}
