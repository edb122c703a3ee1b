/**
 * Explains why a request of the page failed. Browsers hide the reason from pages, by design. The message depends on
 * what the page can find out: the addresses of both, the user's permission for the local network
 * (https://wicg.github.io/local-network-access/), and whether anything answers at the address.
 */
import { DeviceError } from "../../device-client/device-error.js";

export interface FailureClues {
  /** Address of the page: `location.href`. */
  readonly page: URL;
  readonly target: URL;
  /** The user's permission for the local network; `undefined` if this browser has none. */
  readonly permission: PermissionState | undefined;
  /** A server answers, but the page may not read the answer: consoles reject foreign pages in this way. */
  readonly isAnswered: boolean;
}

export function explainFailure(clues: FailureClues, cause?: unknown): DeviceError {
  const { page, target, permission, isAnswered } = clues;
  const { origin } = target;
  if (page.origin === origin) return unreachable(origin, [], cause);
  if (isAnswered) return foreignOrigin(page, origin, cause);
  if (permission === "denied") return localNetworkDenied(origin, cause);
  if (isMixed(page.protocol, target) && permission === undefined && !isNearByName(target.hostname))
    return mixedContent(origin, cause);
  const further = [];
  if (permission === "prompt")
    further.push("The browser may be asking whether this page may reach your network: allow it.");
  else if (permission === undefined && page.protocol === "https:" && target.protocol === "http:")
    further.push(`This browser may not let pages from https reach plain http: open ${origin}/ itself.`);
  return unreachable(origin, further, cause);
}

function unreachable(origin: string, further: readonly string[], cause: unknown): DeviceError {
  const first = `Check that the console is on and in the same network, and its address: open ${origin}/ in another tab.`;
  const advice = [first, ...further].join(" ");
  return new DeviceError("device_unreachable", `Nothing answers at ${origin}`, { advice, cause });
}

function foreignOrigin(page: URL, origin: string, cause: unknown): DeviceError {
  return new DeviceError(
    "foreign_origin",
    `The server at ${origin} does not accept requests from pages of ${page.origin}`,
    {
      advice: `If it is a console: open ${origin}/ instead, where it serves this page itself; or build its firmware with CONFIG_SVC_HTTP_ALLOWED_ORIGINS=${page.origin}`,
      cause,
    },
  );
}

function localNetworkDenied(origin: string, cause: unknown): DeviceError {
  return new DeviceError(
    "local_network_denied",
    `This browser blocks this page from your local network, where ${origin} is`,
    {
      advice:
        "Allow “Local network access” in the settings of this site, left of the address bar, and connect again. Or use the cable.",
      cause,
    },
  );
}

function mixedContent(origin: string, cause: unknown): DeviceError {
  return new DeviceError(
    "mixed_content",
    `This page came over https, from where this browser does not let it reach ${origin}`,
    {
      advice: `Open ${origin}/ instead, where the console serves this page itself. Chrome and Edge 142 and later ask for permission instead. Or use the cable.`,
      cause,
    },
  );
}

const PROBE_MS = 3000;

/**
 * Chromium has split the first permission into the others; a browser that never asks for permission knows none of them.
 */
const PERMISSIONS: Readonly<Record<AddressSpace, readonly string[]>> = Object.freeze({
  loopback: ["loopback-network", "local-network-access"],
  local: ["local-network", "local-network-access"],
});

/** @returns `undefined` if this browser does not ask for permission to use the local network */
export async function localNetworkPermission(space: AddressSpace): Promise<PermissionState | undefined> {
  for (const name of PERMISSIONS[space]) {
    try {
      return (await navigator.permissions.query({ name: name as PermissionName })).state;
    } catch {
      // The browser does not know this name.
    }
  }
  return undefined;
}

/** Whether a server answers, even if the page may not read the answer (Fetch standard, `no-cors`). */
export async function isAnsweredAt(target: URL): Promise<boolean> {
  const init: RequestInit = { mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) };
  if (isMixed(location.protocol, target))
    Object.assign(init, { targetAddressSpace: addressSpaceOf(target.hostname) });
  try {
    await fetch(new URL("/api/status", target), init);
    return true;
  } catch {
    return false; // no answer
  }
}

type AddressSpace = "loopback" | "local";

const LOOPBACK = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const PRIVATE_OR_LINK_LOCAL =
  /^(?:10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|169\.254\.\d+\.\d+|\[f[cd][0-9a-f:]+\]|\[fe[89ab][0-9a-f:]+\])$/;

/** @param hostname as `URL` normalizes it. A console is on this machine or in its network. */
export function addressSpaceOf(hostname: string): AddressSpace {
  return LOOPBACK.test(hostname) ? "loopback" : "local";
}

/** Whether a browser recognizes the address as local without a lookup, so that it is not mixed content. */
export function isNearByName(hostname: string): boolean {
  return LOOPBACK.test(hostname) || PRIVATE_OR_LINK_LOCAL.test(hostname) || hostname.endsWith(".local");
}

/** Whether the page is encrypted and the target is not, which browsers restrict as mixed content. */
export function isMixed(pageProtocol: string, target: URL): boolean {
  return pageProtocol === "https:" && target.protocol === "http:";
}
