/** For parts of the hub that are tested on their own. */
import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";

export const silentLogger: FastifyBaseLogger = pino({ level: "silent" });
