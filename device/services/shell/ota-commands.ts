/** `ota …`. */
import type { ShellContext } from "./commands.js";

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

/** Fetching takes its time: `ota status` shows how far it is, and then what has come of it. */
export function applyFirmware({ hub, ota, restart }: ShellContext): string {
  const { staged_version: staged } = ota.status();
  if (staged !== undefined) {
    restart.request();
    return `Restarting into firmware ${staged}.\n`;
  }
  const fetched = hub.applyFirmware();
  if (fetched === undefined) return "No firmware is waiting to be applied.\n";
  return `Fetching firmware ${fetched}. Once it is staged, "ota apply" restarts into it.\n`;
}
