/** Path of the launcher, for programs that start others as processes or threads. */
import path from "node:path";

/** `node LAUNCHER ENTRY.ts [ARGUMENT...]` */
export const LAUNCHER = path.join(import.meta.dirname, "launch.js");
