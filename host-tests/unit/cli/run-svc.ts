/** Runs `svc` as a shell would. */
import { spawnSync } from "node:child_process";
import path from "node:path";

/** For tests that start `svc`, on a machine that does other things. */
export const SVC_TIMEOUT_MS = 60_000;

const root = path.join(import.meta.dirname, "../../..");

export interface SvcRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runSvc(...args: readonly string[]): SvcRun {
  return runSvcIn({}, args);
}

/**
 * @param environment added to this one, out of which nothing about hubs is handed on
 * @param input what is on its standard input
 */
export function runSvcIn(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  input = "",
): SvcRun {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SVC_"));
  const env = { ...Object.fromEntries(inherited), ...environment };
  const program = path.join(root, "cli/svc.js");
  return spawnSync(program, args, { encoding: "utf8", env, input, timeout: SVC_TIMEOUT_MS });
}
