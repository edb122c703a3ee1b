/**
 * Finds the route to a command's console: the one that `--device` names, else the one at a USB port, else the one in
 * the network. Uses a route only if it is unambiguous.
 */
import { isIP } from "node:net";
import type { Transport } from "../../device-client/transport.js";
import { SvcError } from "../svc-error.js";
import { deviceError, loadClient, loadOpener, openAddress } from "./client.js";
import { heldConsole, noteHeldPort } from "./held-ports.js";
import { isOwnAddress, type NetworkConsole, searchNetwork } from "./network-search.js";
import { askPorts, type ClosedPort, consolePorts, isSimulated, type UsbConsole } from "./usb-search.js";

export interface DeviceRoute {
  readonly address: string;
  /** Name of the console, if svc searched for it. */
  readonly name?: string;
  /** May be called again after the previous transport is closed. */
  readonly open: (signal?: AbortSignal) => Promise<Transport>;
}

/** Returns the bearer token for a console. */
export type TokenOf = (found: { address: string; name?: string | undefined }) => string | undefined;

/** Time to wait for answers: a later answer may make the choice ambiguous. */
const SEARCH_MS = 1500;
/** Longer for a named console: the user knows that it exists. */
const NAME_SEARCH_MS = 3000;

/** @throws {Error} `wrong_usage`, `device_not_found`, `device_ambiguous`, `port_busy`, `port_denied` */
export async function findDeviceRoute({
  selector: text,
  tokenOf,
  signal,
}: {
  readonly selector: string | undefined;
  readonly tokenOf: TokenOf;
  readonly signal: AbortSignal;
}): Promise<DeviceRoute> {
  const selector = readSelector(text);
  if (selector.kind === "address") {
    await requireAddress(selector.address);
    return wayTo({ address: selector.address }, tokenOf);
  }
  if (selector.kind === "host") return byHost(selector.host, tokenOf, signal);
  return selector.kind === "name" ? byName(selector.name, tokenOf, signal) : anyConsole(tokenOf, signal);
}

/** @throws {SvcError} `wrong_usage` for an invalid address */
async function requireAddress(address: string): Promise<void> {
  const [{ consoleOrigin }, { serialPath }] = await Promise.all([loadClient(), loadOpener()]);
  if (serialPath(address) !== undefined) return;
  try {
    consoleOrigin(address);
  } catch (cause) {
    throw new SvcError("wrong_usage", (cause as Error).message, {
      cause,
      advice: "`svc discover` lists consoles with their addresses for --device.",
    });
  }
}

function wayTo({ address, name }: { address: string; name?: string }, tokenOf: TokenOf): DeviceRoute {
  const open = () => openAddress(address, { token: tokenOf({ address, name }) });
  return { address, ...(name !== undefined && { name }), open };
}

/** The first `open` returns the transport of the search. */
function wayOverUsb({ address, name, transport }: UsbConsole): DeviceRoute {
  void noteHeldPort(address, name);
  let opened: Transport | undefined = transport;
  const open = async () => {
    const first = opened ?? (await openAddress(address, {}));
    opened = undefined;
    return first;
  };
  return { address, name, open };
}

async function byHost(host: string, tokenOf: TokenOf, signal: AbortSignal): Promise<DeviceRoute> {
  const matches = (found: NetworkConsole) => isSame(found.host, host);
  const isClear = (found: readonly NetworkConsole[]) => found.some(matches);
  const found = await searchNetwork({ forMs: NAME_SEARCH_MS, signal, isClear });
  const match = found.find(matches);
  return match ? wayTo(match, tokenOf) : Promise.reject(await noneNamed(host, found));
}

async function byName(name: string, tokenOf: TokenOf, signal: AbortSignal): Promise<DeviceRoute> {
  const matches = (found: { name: string }) => isSame(found.name, name);
  const plugged = await askPorts(await consolePorts(), signal);
  const usb = plugged.filter((answer) => answer.kind === "found");
  const chosen = usb.find(matches);
  await Promise.all(usb.filter((other) => other !== chosen).map(({ transport }) => transport.close()));
  if (chosen) return wayOverUsb(chosen);
  const isClear = (found: readonly NetworkConsole[]) => found.some(matches);
  const found = await searchNetwork({ forMs: NAME_SEARCH_MS, signal, isClear });
  const match = found.find(matches);
  return match ? wayTo(match, tokenOf) : Promise.reject(await noneNamed(name, [...usb, ...found]));
}

async function anyConsole(tokenOf: TokenOf, signal: AbortSignal): Promise<DeviceRoute> {
  const plugged = await askPorts(await consolePorts(), signal);
  const [first, ...others] = plugged;
  if (first?.kind === "found" && others.length === 0) return wayOverUsb(first);
  await Promise.all(plugged.map((answer) => answer.kind === "found" && answer.transport.close()));
  if (first === undefined) return inNetwork(tokenOf, signal);
  if (others.length > 0) throw await several(plugged);
  return besideClosedPort(first as ClosedPort, tokenOf, signal);
}

async function inNetwork(tokenOf: TokenOf, signal: AbortSignal): Promise<DeviceRoute> {
  const [first, ...others] = await searchNetwork({ forMs: SEARCH_MS, signal });
  if (first && others.length === 0) return wayTo(first, tokenOf);
  if (first) throw await several([first, ...others]);
  throw await deviceError(
    "device_not_found",
    "Cannot find a console: none is at a USB port, and none answers in the local network",
  );
}

/**
 * The port is in use by another program, such as `svc app dev` in another terminal. Its console may be on the network too:
 * another `svc` has noted which one it is, and a simulated console is on this machine.
 */
async function besideClosedPort(
  { address, error }: ClosedPort,
  tokenOf: TokenOf,
  signal: AbortSignal,
): Promise<DeviceRoute> {
  const name = heldConsole(address);
  if (name === undefined && !isSimulated(address)) throw error;
  const isAtPort = (found: NetworkConsole) =>
    name === undefined ? isOwnAddress(found.address) : isSame(found.name, name);
  const isClear = (found: readonly NetworkConsole[]) => name !== undefined && found.some(isAtPort);
  const found = await searchNetwork({ forMs: SEARCH_MS, signal, isClear });
  const [match, ...others] = found.filter(isAtPort);
  if (match && others.length === 0) return wayTo(match, tokenOf);
  throw error;
}

function several(found: readonly { address: string; name?: string }[]) {
  return deviceError("device_ambiguous", `Found several consoles: ${listed(found)}`);
}

function noneNamed(name: string, found: readonly { address: string; name?: string }[]) {
  const others = found.length > 0 ? `found only ${listed(found)}` : "no console answers";
  return deviceError("device_not_found", `Cannot find a console named "${name}": ${others}`);
}

function listed(found: readonly { address: string; name?: string }[]): string {
  return found.map(({ address, name }) => (name === undefined ? address : `${name} (${address})`)).join(", ");
}

/** DNS names are case-insensitive. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** `host` is a name that ends in `.local`: svc resolves it by mDNS, since the system may not. */
type Selector =
  | { readonly kind: "any" }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "host"; readonly host: string };

const PATH = /^(?:usb:|\.{0,2}\/|\\\\|COM\d+$)/i;
const HOST_AND_PORT = /^[^\s]+:\d+$/;
const HOST_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\.?$/i;

export function readSelector(text: string | undefined): Selector {
  if (text === undefined || text === "") return { kind: "any" };
  if (PATH.test(text) || text.includes("://") || isIP(text) || text === "localhost")
    return { kind: "address", address: text };
  if (text.includes("/")) return { kind: "address", address: `usb:${text}` };
  if (/\.local\.?$/i.test(text)) return { kind: "host", host: text.replace(/\.$/, "") };
  if (HOST_AND_PORT.test(text) || HOST_NAME.test(text)) return { kind: "address", address: text };
  return { kind: "name", name: text };
}
