/**
 * A process of the hub. `npm run hub` first builds the web console and the player (hub/start.ts); `node tools/launch.js hub/main.ts`
 * uses the one that is built. Prints one line of JSON on standard output once it is ready, and its log on standard
 * error. Exits with status 0 after SIGTERM or SIGINT, 2 for unusable settings and arguments, 1 for every other failure to start or
 * stop.
 */
import path from "node:path";
import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";
import { FLEET_DIRECTORY } from "../tools/fleet-files.js";
import { PLAYER_DIRECTORY } from "../tools/player-files.js";
import { checkArguments } from "./arguments.js";
import { readConfig, warningsOf } from "./config/read-config.js";
import { ConfigError } from "./config/variables.js";
import { type Hub, startHub } from "./hub.js";
import { readFleet, readPage, readPlayer } from "./page/web-page.js";

function log(text: string): void {
  process.stderr.write(`hub: ${text}\n`);
}

function messageOf(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return message || code || String(error); // an AggregateError of a failed connection has no message
}

/** Resolves with the first signal. A second one ends the process at once. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, resolve);
  });
}

async function start(): Promise<{ hub: Hub; logger: FastifyBaseLogger }> {
  const config = await readConfig(process.env, log);
  warningsOf(process.env).forEach(log);
  // Log lines are buffered: one write per line would cost as much as a request. The buffer is flushed when the process
  // exits.
  const destination = pino.destination({ dest: 2, sync: false });
  const logger: FastifyBaseLogger = pino({ level: config.logLevel }, destination);
  const page = [
    ...(await readPage(path.join(import.meta.dirname, "../build/console"))),
    ...(await readPlayer(PLAYER_DIRECTORY)),
    ...(await readFleet(FLEET_DIRECTORY)),
  ];
  return { hub: await startHub(config, logger, page), logger };
}

async function main(): Promise<void> {
  const signalled = nextSignal();
  const started = start();
  const first = await Promise.race([started, signalled]);
  if (typeof first === "string") process.exit(0); // the process has not accepted any request yet
  const { hub, logger } = first;
  process.stdout.write(`${JSON.stringify({ ready: true, url: hub.url, pid: process.pid })}\n`);
  logger.info({ signal: await signalled }, "ending");
  await hub.drain();
  await hub.close();
  logger.info("ended");
}

checkArguments();
try {
  await main();
  process.exit(0);
} catch (error) {
  log(messageOf(error));
  process.exit(error instanceof ConfigError ? 2 : 1);
}
