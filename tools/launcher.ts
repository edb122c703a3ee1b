/** Where the launcher is, for programs that start others: as processes, and as threads. */
import path from "node:path";

/** `node LAUNCHER ENTRY.ts [ARGUMENT...]` */
export const LAUNCHER = path.join(import.meta.dirname, "launch.js");
