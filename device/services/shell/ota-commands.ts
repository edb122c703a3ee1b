/** `ota …`. */
import type { ShellContext } from "./commands.js";

export function showOtaStatus({ ota }: ShellContext): string {
  const { last_result: last, ...fields } = ota.status();
  const rows = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`);
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

export function applyFirmware({ ota, restart }: ShellContext): string {
  const { staged_version: version } = ota.status();
  if (version === undefined) return "No firmware is waiting to be applied.\n";
  restart.request();
  return `Restarting into firmware ${version}.\n`;
}
