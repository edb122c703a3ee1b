/**
 * Finds the route to a command's console: the one that `--device` names, else the one at a USB port, else the one in
 * the network. Uses a route only if it is unambiguous.
 */
import { SvcError } from "../svc-error.js";
import { deviceError, loadClient, loadOpener, openAddress } from "./client.js";
import { isOwnAddress, searchNetwork } from "./network-search.js";
import { readSelector } from "./selector.js";
import { askPorts, consolePorts, isSimulated } from "./usb-search.js";

/** @typedef {import("./client.js").Transport} Transport */
/** @typedef {import("./usb-search.js").UsbConsole} UsbConsole */
/** @typedef {import("./usb-search.js").ClosedPort} ClosedPort */
/** @typedef {import("./network-search.js").NetworkConsole} NetworkConsole */

/**
 * @typedef {object} DeviceRoute
 * @property {string} address
 * @property {string} [name] of the console, where it was searched for
 * @property {(signal?: AbortSignal) => Promise<Transport>} open may be called again, once what it gave is closed
 */

/**
 * @typedef {(found: { address: string, name?: string | undefined }) => string | undefined} TokenOf
 *   the bearer token to go to a console with
 */

/** How long answers of the network are waited for: one that comes late may make two of one. */
const SEARCH_MS = 1500;
/** Longer for a named console: the user knows that it exists. */
const NAME_SEARCH_MS = 3000;

/**
 * @param {{ readonly selector: string | undefined, readonly tokenOf: TokenOf, readonly signal: AbortSignal }} options
 * @returns {Promise<DeviceRoute>}
 * @throws {Error} `wrong_usage`, `device_not_found`, `device_ambiguous`, `port_busy`, `port_denied`
 */
export async function findDeviceRoute({ selector: text, tokenOf, signal }) {
  const selector = readSelector(text);
  if (selector.kind === "address") {
    await requireAddress(selector.address);
    return wayTo({ address: selector.address }, tokenOf);
  }
  if (selector.kind === "host") return byHost(selector.host, tokenOf, signal);
  return selector.kind === "name" ? byName(selector.name, tokenOf, signal) : anyConsole(tokenOf, signal);
}

/** @param {string} address @throws {SvcError} `wrong_usage` for what can be none */
async function requireAddress(address) {
  const [{ consoleOrigin }, { serialPath }] = await Promise.all([loadClient(), loadOpener()]);
  if (serialPath(address) !== undefined) return;
  try {
    consoleOrigin(address);
  } catch (cause) {
    throw new SvcError("wrong_usage", /** @type {Error} */ (cause).message, {
      cause,
      advice: "`svc discover` lists the consoles around, with what --device takes.",
    });
  }
}

/** @param {{ address: string, name?: string }} console @param {TokenOf} tokenOf @returns {DeviceRoute} */
function wayTo({ address, name }, tokenOf) {
  const open = () => openAddress(address, { token: tokenOf({ address, name }) });
  return { address, ...(name !== undefined && { name }), open };
}

/** What was opened to ask it, is not opened again at first. @param {UsbConsole} console @returns {DeviceRoute} */
function wayOverUsb({ address, name, transport }) {
  /** @type {Transport | undefined} */
  let opened = transport;
  const open = async () => {
    const first = opened ?? (await openAddress(address, {}));
    opened = undefined;
    return first;
  };
  return { address, name, open };
}

/** @param {string} host @param {TokenOf} tokenOf @param {AbortSignal} signal */
async function byHost(host, tokenOf, signal) {
  const matches = (/** @type {NetworkConsole} */ found) => isSame(found.host, host);
  const isClear = (/** @type {readonly NetworkConsole[]} */ found) => found.some(matches);
  const found = await searchNetwork({ forMs: NAME_SEARCH_MS, signal, isClear });
  const match = found.find(matches);
  return match ? wayTo(match, tokenOf) : Promise.reject(await nobodyNamed(host, found));
}

/** @param {string} name @param {TokenOf} tokenOf @param {AbortSignal} signal @returns {Promise<DeviceRoute>} */
async function byName(name, tokenOf, signal) {
  const matches = (/** @type {{ name: string }} */ found) => isSame(found.name, name);
  const plugged = await askPorts(await consolePorts(), signal);
  const usb = plugged.filter((answer) => answer.kind === "found");
  const chosen = usb.find(matches);
  await Promise.all(usb.filter((other) => other !== chosen).map(({ transport }) => transport.close()));
  if (chosen) return wayOverUsb(chosen);
  const isClear = (/** @type {readonly NetworkConsole[]} */ found) => found.some(matches);
  const found = await searchNetwork({ forMs: NAME_SEARCH_MS, signal, isClear });
  const match = found.find(matches);
  return match ? wayTo(match, tokenOf) : Promise.reject(await nobodyNamed(name, [...usb, ...found]));
}

/** @param {TokenOf} tokenOf @param {AbortSignal} signal @returns {Promise<DeviceRoute>} */
async function anyConsole(tokenOf, signal) {
  const plugged = await askPorts(await consolePorts(), signal);
  const [first, ...others] = plugged;
  if (first?.kind === "found" && others.length === 0) return wayOverUsb(first);
  await Promise.all(plugged.map((answer) => answer.kind === "found" && answer.transport.close()));
  if (first === undefined) return inNetwork(tokenOf, signal);
  if (others.length > 0) throw await several(plugged);
  return besideClosedPort(/** @type {ClosedPort} */ (first), tokenOf, signal);
}

/** @param {TokenOf} tokenOf @param {AbortSignal} signal @returns {Promise<DeviceRoute>} */
async function inNetwork(tokenOf, signal) {
  const [first, ...others] = await searchNetwork({ forMs: SEARCH_MS, signal });
  if (first && others.length === 0) return wayTo(first, tokenOf);
  if (first) throw await several([first, ...others]);
  throw await deviceError(
    "device_not_found",
    "Cannot find a console: none is at a USB port, and none answers in the network",
  );
}

/**
 * The port is in use by another program, such as `svc logs --follow` in another terminal. Its console may be on the
 * network too, but only a simulated console can be matched to the port: it is on this machine.
 *
 * @param {ClosedPort} port @param {TokenOf} tokenOf @param {AbortSignal} signal @returns {Promise<DeviceRoute>}
 */
async function besideClosedPort({ address, error }, tokenOf, signal) {
  if (!isSimulated(address)) throw error;
  const found = await searchNetwork({ forMs: SEARCH_MS, signal });
  const [local, ...others] = found.filter((console) => isOwnAddress(console.address));
  if (local && others.length === 0) return wayTo(local, tokenOf);
  throw error;
}

/** @param {readonly { address: string, name?: string }[]} found */
function several(found) {
  return deviceError("device_ambiguous", `There are several consoles: ${listed(found)}`);
}

/** @param {string} name @param {readonly { address: string, name?: string }[]} found */
function nobodyNamed(name, found) {
  const others =
    found.length > 0 ? `there ${found.length > 1 ? "are" : "is"} ${listed(found)}` : "nobody answers";
  return deviceError("device_not_found", `Cannot find a console named "${name}": ${others}`);
}

/** @param {readonly { address: string, name?: string }[]} found */
function listed(found) {
  return found.map(({ address, name }) => (name === undefined ? address : `${name} (${address})`)).join(", ");
}

/** Names of DNS know no case. @param {string} one @param {string} other */
function isSame(one, other) {
  return one.toLowerCase() === other.toLowerCase();
}
