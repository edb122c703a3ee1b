/** An app as `GET /api/apps/list` shows it (docs/spec/management-api.md#app-entry). */
import type { AppEntry, LastExit } from "../../../protocol/device/answers.js";
import type { AppRecord } from "./app-record.js";

/** As keys are called elsewhere too: what people compare, and no proof of anything. */
const PUBLISHER_DIGITS = 16;

export function appEntry(
  { manifest, variants, sizeBytes, publisher }: AppRecord,
  isRunning: boolean,
  lastExit: LastExit | undefined,
): AppEntry {
  return {
    name: manifest.name,
    version: manifest.version,
    state: isRunning ? "running" : "stopped",
    description: manifest.description,
    author: manifest.author,
    size_bytes: sizeBytes,
    memory_quota: manifest.memory_quota,
    capabilities: manifest.capabilities,
    variants: variants.map(({ architecture }) => architecture),
    ...(publisher !== undefined && { publisher: publisher.slice(0, PUBLISHER_DIGITS) }),
    ...(isRunning && { engine: "wasm3" as const }),
    ...(lastExit && { last_exit: lastExit }),
  };
}
