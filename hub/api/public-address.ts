/** The public base address of the hub's API, the prefix of every address that the hub returns. */
import type { HubConfig } from "../config/read-config.js";

/** The origin to which a request was sent, as a trusted proxy reports it. */
export interface RequestOrigin {
  readonly protocol: string;
  /** With the port, if the request names one. */
  readonly host: string;
}

/** @returns the address including `/api/v1` */
export function publicAddress(
  { publicUrl }: Pick<HubConfig, "publicUrl">,
  { protocol, host }: RequestOrigin,
): string {
  return `${publicUrl ?? `${protocol}://${host}`}/api/v1`;
}
