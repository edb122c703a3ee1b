/** The client address of a request: the socket's, or the one that a trusted proxy reports. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

const WITH_PORT = /^(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/;

/**
 * A proxy appends its client's address to `X-Forwarded-For`; all entries before that come from the client, which may
 * forge them. If the proxy's own entry is not an address, the limit applies to the proxy.
 * @param trustsProxy whether the nearest hop is a proxy of the operator's
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
  trustsProxy: boolean,
): string {
  const own = socket.remoteAddress ?? "";
  return (trustsProxy && forwardedAddress(headers["x-forwarded-for"])) || own;
}

/** Some proxies write the port, too. */
function forwardedAddress(field: string | string[] | undefined): string | undefined {
  const nearest = [field].flat().join(",").split(",").at(-1)?.trim() ?? "";
  const [, bracketed, plain] = WITH_PORT.exec(nearest) ?? [];
  const address = bracketed ?? plain ?? nearest;
  return isIP(address) ? address : undefined;
}
