/** What a page can find out about its access to the local network, besides that a request has failed. */
import { type AddressSpace, addressSpaceOf, isMixed } from "./address-space.js";

const PROBE_MS = 3000;

/**
 * Chromium has split the first permission into the others; a browser that never asks for permission knows none of them.
 */
const PERMISSIONS: Readonly<Record<AddressSpace, readonly string[]>> = Object.freeze({
  loopback: ["loopback-network", "local-network-access"],
  local: ["local-network", "local-network-access"],
});

/** @returns `undefined` where this browser does not ask its user about the local network */
export async function localNetworkPermission(space: AddressSpace): Promise<PermissionState | undefined> {
  for (const name of PERMISSIONS[space]) {
    try {
      return (await navigator.permissions.query({ name: name as PermissionName })).state;
    } catch {
      // It does not know this name.
    }
  }
  return undefined;
}

/** Whether anything answers there, be it that the page may not read the answer (Fetch standard, `no-cors`). */
export async function isAnsweredAt(target: URL): Promise<boolean> {
  const init: RequestInit = { mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) };
  if (isMixed(location.protocol, target))
    Object.assign(init, { targetAddressSpace: addressSpaceOf(target.hostname) });
  try {
    await fetch(new URL("/api/status", target), init);
    return true;
  } catch {
    return false; // which is what was asked
  }
}
