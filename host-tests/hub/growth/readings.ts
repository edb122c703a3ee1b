/** A valid request for each endpoint that reads, from the table, so that a new one is asked too. */
import type { Endpoint } from "../../../hub/api/endpoint.js";
import { ENDPOINTS } from "../../../hub/api/endpoints.js";
import { addMember, addProgram, type World } from "../api/world.js";

/** Metrics count whole tables, and limit themselves how often. */
export const READING: readonly Endpoint[] = ENDPOINTS.filter(
  ({ method, path }) => method === "GET" && path !== "/metrics",
);

/** A value for each parameter in a path. */
const VALUES: Readonly<Record<string, (world: World) => Promise<string> | string>> = {
  id: (world) => world.appWithScreenshot(),
  number: () => "1",
  version: (world) => world.firmware(),
  device_id: ({ device }) => device.deviceId,
  command_id: (world) => world.command(),
  rollout_id: (world) => world.rollout(),
  member_id: async ({ hub, account }) => (await addMember(hub, account.token, "viewer")).id,
  token_id: async ({ hub, account }) => (await addProgram(hub, account.token, ["read"])).id,
  event_id: (world) => world.crash(),
  webhook_id: (world) => world.webhook(),
};

const QUERIES: Readonly<Record<string, string>> = {
  "/firmware/latest": "?arch=native",
  "/firmware/:version/download": "?arch=native",
};

export interface Reading {
  readonly token: string;
  /** Below `/api/v1`. */
  readonly path: string;
}

/** Creates what the request asks for. @throws {Error} for a parameter without a value here */
export async function readingOf(world: World, { access, path }: Endpoint): Promise<Reading> {
  let filled = path;
  for (const [, name] of path.matchAll(/:([a-z_]+)/g)) {
    const value = await VALUES[`${name}`]?.(world);
    if (value === undefined) throw new Error(`There is no value for "${name}" of ${path}`);
    filled = filled.replace(`:${name}`, value);
  }
  const token = access === "publisher" ? world.publisher.token : world.account.token;
  return { token, path: filled + (QUERIES[path] ?? "") };
}
