/** A logger without output, for unit tests of the hub's parts. */
import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";

export const silentLogger: FastifyBaseLogger = pino({ level: "silent" });
