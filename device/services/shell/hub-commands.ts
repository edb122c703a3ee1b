/** `hub …`. The claim code is shown to whoever holds the cable alone, as `GET /api/hub` does it. */
import type { Transport } from "../api/request.js";
import type { ShellContext } from "./commands.js";

export function showHubStatus(
  { hub }: ShellContext,
  _words: readonly string[],
  transport: Transport,
): string {
  const status = hub.status({ withClaimCode: transport === "usb" });
  if (status.url === "") return "The console has no hub.\n";
  return Object.entries(status)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join("");
}

export function setHub({ hub }: ShellContext, [url = ""]: readonly string[]): string {
  hub.set(url);
  return url === "" ? "The console has no hub.\n" : `The hub is ${url}.\n`;
}

export async function registerWithHub(
  { hub }: ShellContext,
  _words: readonly string[],
  transport: Transport,
): Promise<string> {
  const { deviceId, claimCode } = await hub.register();
  const isShown = transport === "usb" && claimCode !== undefined;
  return `Registered as ${deviceId}.\n${isShown ? `claim_code: ${claimCode}\n` : ""}`;
}
