/**
 * `npm run hub`: builds the pages, then runs the hub in the same process. Settings are in the environment (docs/hub.md).
 */
import { once } from "node:events";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { LAUNCHER } from "../tools/launcher.js";
import { checkArguments } from "./arguments.js";

/** The hub stops within this time after npm was killed. */
const PARENT_CHECK_MS = 500;

checkArguments();

// npm may end without signalling its child: by SIGKILL, or by a SIGHUP to npm alone.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"])
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), PARENT_CHECK_MS).unref();

// In a thread: what bundlers leave behind in V8 would slow the hub for as long as it runs.
const pages = new Worker(LAUNCHER, { argv: [path.join(import.meta.dirname, "build-pages.ts")] });
const [status] = await once(pages, "exit");
if (status !== 0) process.exit(1);
await import("./main.js");
