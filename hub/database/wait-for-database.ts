/** Waits, for a limited time, for a database server that starts at the same time as the hub. */
import { setTimeout } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { faultOf } from "../api/refusals.js";

const PATIENCE_MS = 30_000;
const RETRY_MS = 500;

/** @throws {Error} what `open` throws, at once where waiting does not help */
export async function waitForDatabase<Opened>(
  open: () => Promise<Opened>,
  logger: FastifyBaseLogger,
): Promise<Opened> {
  const until = performance.now() + PATIENCE_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open();
    } catch (error) {
      if (faultOf(error).code !== "busy" || performance.now() > until) throw error;
      if (isFirst) logger.warn({ err: error }, "the database is not there yet");
      await setTimeout(RETRY_MS);
    }
  }
}
