/** Why tests with hosts of their own cannot run on this machine. */
import { execFileSync } from "node:child_process";

/** @returns `undefined` where network namespaces can be made and all of `programs` are there */
export function obstacleTo(...programs: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return "needs root for network namespaces";
  const missing = ["unshare", "nsenter", "ip", ...programs].find((program) => !isInstalled(program));
  if (missing !== undefined) return `needs ${missing}`;
  return succeeds("unshare", "--net", "--mount", "true") ? undefined : "may not make network namespaces";
}

function isInstalled(program: string): boolean {
  return succeeds("sh", "-c", `command -v ${program}`);
}

function succeeds(file: string, ...parameters: readonly string[]): boolean {
  try {
    execFileSync(file, parameters, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
