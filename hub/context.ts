/** The dependencies that every part of the hub shares: made once per process, in hub.ts. */
import type { FastifyBaseLogger } from "fastify";
import type { TokenHasher } from "./auth/tokens.js";
import type { Bus } from "./bus/bus.js";
import type { HubConfig } from "./config/read-config.js";
import type { OtherWriters } from "./database/other-writers.js";
import type { Database, Dialect } from "./database/schema.js";
import type { FileStore } from "./files/file-store.js";
import type { WebFile } from "./page/web-page.js";

export interface HubContext {
  readonly config: HubConfig;
  readonly database: Database;
  readonly dialect: Dialect;
  readonly otherWriters: OtherWriters;
  readonly files: FileStore;
  readonly bus: Bus;
  readonly hasher: TokenHasher;
  readonly logger: FastifyBaseLogger;
  /** The web console; left out in tests that do not need it. */
  readonly page?: readonly WebFile[];
  /** Aborted once the process is about to end: it then serves for a while, but is not ready. */
  readonly ending: AbortSignal;
  /** Unique among the hub's processes. */
  readonly processId: string;
  /** Milliseconds since 1970, by the database's clock. */
  readonly now: () => number;
}
