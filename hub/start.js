/** `npm run hub`: builds the hub and becomes it. Settings are in the environment (docs/hub.md). */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { stop } from "esbuild";
import { buildHub } from "./build.js";

/** How long the hub outlives an npm that was killed. */
const PARENT_CHECK_MS = 500;

// npm may end without signalling its child: by SIGKILL, or by a SIGHUP of its own.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"])
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), PARENT_CHECK_MS).unref();

const directory = await buildHub();
await stop(); // esbuild's own process, which the hub has no use for
process.setSourceMapsEnabled(true);
await import(pathToFileURL(path.join(directory, "main.js")).href);
