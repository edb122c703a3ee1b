/** How an app's last run ended (`last_exit` in docs/spec/management-api.md#last-exit), kept over restarts. */
import type { LastExit } from "../../../protocol/device/answers.js";
import { parseJson } from "../../../protocol/json.js";
import type { Directory } from "../../ports/files.js";
import { readWhole, replaceFile } from "../storage/appended-file.js";
import { statusOf } from "../storage/tree.js";
import { lastExitPath } from "./paths.js";

const NAMES: readonly string[] = Object.freeze(["reason", "code", "message", "at_ms"]);
const LIMIT_BYTES = 4096;
const VALUES_LIMIT = 16;

/** `undefined` for an app that has never ended. */
export function readLastExit(files: Directory, name: string): LastExit | undefined {
  const path = lastExitPath(name);
  if (!statusOf(files, path)) return undefined;
  return parseJson(readWhole(files, path, LIMIT_BYTES), {
    values: VALUES_LIMIT,
    names: NAMES,
  }) as unknown as LastExit;
}

export function writeLastExit(files: Directory, name: string, lastExit: LastExit): void {
  replaceFile(files, lastExitPath(name), new TextEncoder().encode(JSON.stringify(lastExit)));
}
