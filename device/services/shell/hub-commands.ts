/** `hub …`. Only a user with the cable sees the claim code, as in `GET /api/hub`. */
import { Fault } from "../../../protocol/fault.js";
import type { Caller, ShellContext } from "./commands.js";

const SAME_HUB = "--same-hub";

export function showHubStatus(
  { hub }: ShellContext,
  _words: readonly string[],
  { transport }: Caller,
): string {
  const status = hub.status({ withClaimCode: transport === "usb" });
  if (status.url === "") return "The console has no hub.\n";
  return Object.entries(status)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join("");
}

export function setHub(
  { hub }: ShellContext,
  [url = "", option]: readonly string[],
  { isOwner }: Caller,
): string {
  if (option !== undefined && option !== SAME_HUB)
    throw new Fault("bad_parameter", `"${option}" is no option of "hub set"; there is ${SAME_HUB}`);
  hub.set(url, { isOwner, isSameHub: option === SAME_HUB });
  return url === "" ? "The console has no hub.\n" : `The hub is ${url}.\n`;
}

export async function registerWithHub(
  { hub }: ShellContext,
  _words: readonly string[],
  { transport, isOwner }: Caller,
): Promise<string> {
  const { claimCode, deviceId } = await hub.register(isOwner);
  const isShown = transport === "usb" && claimCode !== undefined;
  const registered = deviceId === undefined ? "Registered." : `Registered as ${deviceId}.`;
  return `${registered}\n${isShown ? `claim_code: ${claimCode}\n` : ""}`;
}
