/** Where clients reach the hub: addresses that they are given are whole ones. */
import type { HubConfig } from "./config/hub-config.js";

const API_PATH = "/api/v1";

/** How a client has reached it: what Fastify says of a request, proxies that are believed included. */
export interface AskedAt {
  /** `http` or `https`. */
  readonly protocol: string;
  /** With its port, where there is one. */
  readonly host: string;
}

/**
 * What every address of the API begins with: `https://hub.example/api/v1`. The address that the operator has set, be it
 * with or without `/api/v1` at its end, or else the one that the client itself has asked.
 */
export function apiAddress({ publicUrl }: Pick<HubConfig, "publicUrl">, { protocol, host }: AskedAt): string {
  const address = publicUrl ?? `${protocol}://${host}`;
  return address.endsWith(API_PATH) ? address : address + API_PATH;
}
