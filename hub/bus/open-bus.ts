/** Opens the NATS bus if the settings name a server, else the bus within the process. */
import type { FastifyBaseLogger } from "fastify";
import { type Bus, LocalBus } from "./bus.js";
import { NatsBus } from "./nats-bus.js";

/** @param hubId hubs can share a NATS server */
export function openBus(natsUrl: string | undefined, hubId: string, logger: FastifyBaseLogger): Bus {
  return natsUrl === undefined ? new LocalBus() : new NatsBus({ natsUrl, hubId, logger });
}
