/** The public base address of the hub's API: the prefix of every address that the hub gives out. */
import type { HubConfig } from "../config/read-config.js";

/** What a request was sent to; a proxy's word for it where one is trusted. */
export interface RequestOrigin {
  readonly protocol: string;
  /** With the port where one was written. */
  readonly host: string;
}

/** Up to and with `/api/v1`. */
export function publicAddress(
  { publicUrl }: Pick<HubConfig, "publicUrl">,
  { protocol, host }: RequestOrigin,
): string {
  return `${publicUrl ?? `${protocol}://${host}`}/api/v1`;
}
