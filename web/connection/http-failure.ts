/**
 * Explains why a request of the page failed. Browsers hide the reason from pages, by design. The message depends on
 * what the page can find out: the addresses of both, the user's permissions, and whether anything answers there at all.
 */
import { DeviceError } from "../../device-client/device-error.js";
import { isMixed, isNearByName } from "./address-space.js";

export interface FailureClues {
  /** Where the page came from: `location.href`. */
  readonly page: URL;
  readonly target: URL;
  /** What the user has said about the local network; `undefined`: this browser does not ask. */
  readonly permission: PermissionState | undefined;
  /** Something answers there, but the page may not read what: which is how a console refuses a foreign page. */
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
    `The server at ${origin} does not accept pages of ${page.origin}`,
    {
      advice: `If it is a console: open ${origin}/ instead, where it serves this page itself; or build its firmware with CONFIG_SVC_HTTP_ALLOWED_ORIGINS=${page.origin}`,
      cause,
    },
  );
}

function localNetworkDenied(origin: string, cause: unknown): DeviceError {
  return new DeviceError(
    "local_network_denied",
    `This browser was told to keep this page away from your network, where ${origin} is`,
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
