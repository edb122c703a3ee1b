/**
 * How an app's last run ended (`last_exit` in docs/spec/management-api.md#last-exit): stored across restarts, and told in the
 * log.
 */
import type { LastExit } from "../../../protocol/device/answers.js";
import { type Json, parseJson } from "../../../protocol/json.js";
import type { Directory } from "../../ports/files.js";
import type { GuestExit } from "../../ports/guest.js";
import { readWhole, replaceFile, statusOf } from "../storage/stored-files.js";
import { lastExitPath } from "./app-store.js";

const NAMES: readonly string[] = Object.freeze(["reason", "code", "message", "at_ms"]);
const REASONS: readonly LastExit["reason"][] = Object.freeze([
  ...(["exit", "trap", "stopped", "quota", "host_error"] as const),
]);
const LIMIT_BYTES = 4096;
const VALUES_LIMIT = 16;

/** `undefined` for an app that has never ended, and where the file is damaged or of other firmware. */
export function readLastExit(files: Directory, name: string): LastExit | undefined {
  const path = lastExitPath(name);
  if (!statusOf(files, path)) return undefined;
  try {
    const json = parseJson(readWhole(files, path, LIMIT_BYTES), { values: VALUES_LIMIT, names: NAMES });
    return isLastExit(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isLastExit(json: Json | LastExit): json is LastExit {
  const { reason, code, message, at_ms } = Object(json) as Record<string, unknown>;
  return (
    (REASONS as readonly unknown[]).includes(reason) &&
    (code === undefined || typeof code === "number") &&
    (message === undefined || typeof message === "string") &&
    typeof at_ms === "number"
  );
}

export function writeLastExit(files: Directory, name: string, lastExit: LastExit): void {
  replaceFile(files, lastExitPath(name), new TextEncoder().encode(JSON.stringify(lastExit)));
}

/** `"tetris" ended: trap: integer divide by zero in drop < step < main` */
export function describeExit(name: string, { reason, code, message, stack }: GuestExit): string {
  const what = message === undefined ? "" : `: ${message}`;
  const where = stack?.length ? ` in ${stack.join(" < ")}` : "";
  const result = code === undefined ? "" : ` ${code}`;
  return `"${name}" ended: ${reason}${result}${what}${where}`;
}

export function lastExitOf({ reason, code, message }: GuestExit, atMs: number): LastExit {
  return {
    reason,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    at_ms: atMs,
  };
}
