/** The shell commands `hub …` and `ota …`. Only a user with the cable sees the claim code, as in `GET /api/hub`. */

import { Fault } from "../../../protocol/fault.js";
import { requireRight } from "../auth/rights.js";
import type { Caller, ShellContext } from "./command.js";

// `ota …`.

export function showOtaStatus({ ota }: ShellContext): string {
  const { available, last_result: last, ...fields } = ota.status();
  const rows = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`);
  if (available) rows.push(`available: ${available.version}, ${available.download_url}\n`);
  if (last) {
    const { result, error, message, version } = last;
    const why = [version, error, message].filter((part) => part !== undefined);
    rows.push(`last_result: ${[result, ...why].join(", ")}\n`);
  }
  return rows.join("");
}

export function confirmFirmware({ ota }: ShellContext): string {
  ota.confirm();
  return `Firmware ${ota.status().running_version} is confirmed.\n`;
}

/**
 * Restart into staged firmware, or start a download, which answers the hub's question; `ota status` shows its progress
 * and its result.
 */
export function applyFirmware(
  { hub, ota, restart }: ShellContext,
  _words: readonly string[],
  caller: Caller,
): string {
  const { staged_version: staged } = ota.status();
  if (staged !== undefined) {
    restart.request();
    return `Restarting into firmware ${staged}.\n`;
  }
  if (!ota.status().available) return "No firmware is waiting to be applied.\n";
  requireRight(caller, "answer");
  const fetched = hub.applyFirmware();
  if (fetched === undefined) return "No firmware is waiting to be applied.\n";
  return `Fetching firmware ${fetched}. Once it is staged, "ota apply" restarts into it.\n`;
}

const SAME_HUB = "--same-hub";

export function showHubStatus(
  { hub }: ShellContext,
  _words: readonly string[],
  { transport }: Caller,
): string {
  const status = hub.status({ withClaimCode: transport !== "http" });
  if (status.url === "") return "The console has no hub.\n";
  return Object.entries(status)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join("");
}

export function setHub({ hub }: ShellContext, [url = "", option]: readonly string[], asker: Caller): string {
  if (option !== undefined && option !== SAME_HUB)
    throw new Fault("bad_parameter", `"${option}" is not an option of "hub set": use ${SAME_HUB}`);
  hub.set(url, { asker, isSameHub: option === SAME_HUB });
  return url === "" ? "The console has no hub.\n" : `The hub is ${url}.\n`;
}

export async function registerWithHub(
  { hub }: ShellContext,
  _words: readonly string[],
  caller: Caller,
): Promise<string> {
  const { claimCode, deviceId } = await hub.register(caller);
  const isShown = caller.transport !== "http" && claimCode !== undefined;
  const registered = deviceId === undefined ? "Registered." : `Registered as ${deviceId}.`;
  return `${registered}\n${isShown ? `claim_code: ${claimCode}\n` : ""}`;
}
