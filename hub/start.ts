/**
 * `npm run hub`: builds the web console and the player, then runs the hub in the same process. Settings are in the environment
 * (docs/hub.md).
 */
import { buildFleet } from "../tools/fleet-page.js";
import { buildPlayer } from "../tools/player-page.js";
import { consoleOrLast } from "../tools/web-page.js";

/** The hub stops within this time after npm was killed. */
const PARENT_CHECK_MS = 500;

// npm may end without signalling its child: by SIGKILL, or by a SIGHUP to npm alone.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"])
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), PARENT_CHECK_MS).unref();

await consoleOrLast();
await buildPlayer();
await buildFleet();
await import("./main.js");
