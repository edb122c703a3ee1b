/** An app as `GET /api/apps/list` shows it (document 1, and section 2 of the decisions). */
import type { AppRecord } from "./app-record.js";
import type { LastExit } from "./last-exit.js";

export type AppEntry = {
  readonly name: string;
  readonly version: string;
  readonly state: "stopped" | "running";
  readonly description: string;
  readonly author: string;
  /** What the installed files take. */
  readonly size_bytes: number;
  readonly memory_quota: number;
  readonly capabilities: readonly string[];
  /** Architectures for which an AOT file is installed. */
  readonly variants: readonly string[];
  /** While running. */
  readonly engine?: "wasm3" | "aot";
  readonly last_exit?: LastExit;
};

export function appEntry(
  { manifest, variants, sizeBytes }: AppRecord,
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
    ...(isRunning && { engine: "wasm3" as const }),
    ...(lastExit && { last_exit: lastExit }),
  };
}
