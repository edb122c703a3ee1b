/**
 * Whether a process can work: it needs its database and its file store. It works without the bus too, but then commands
 * wait for the next poll of the database.
 */
import type { HubContext } from "../context.js";
import { PROBE_LIMIT_MS } from "./limits.js";
import { within } from "./within.js";

export interface Readiness {
  readonly status: "ready" | "degraded" | "unready";
  readonly database: Part;
  readonly store: Part;
  readonly bus: Part;
}

export type Part = "up" | "down";

export async function readiness(context: Pick<HubContext, "database" | "files" | "bus">): Promise<Readiness> {
  const [database, store] = await Promise.all([
    part(context.database.selectFrom("hub").select("id").executeTakeFirstOrThrow()),
    part(context.files.check()),
  ]);
  const bus = context.bus.isConnected ? "up" : "down";
  return { status: statusOf(database, store, bus), database, store, bus };
}

function statusOf(database: Part, store: Part, bus: Part): Readiness["status"] {
  if (database === "down" || store === "down") return "unready";
  return bus === "up" ? "ready" : "degraded";
}

async function part(probe: Promise<unknown>): Promise<Part> {
  try {
    await within(PROBE_LIMIT_MS, probe);
    return "up";
  } catch {
    return "down"; // the caller that needed it logs the cause
  }
}
