/** The client address of a request: the socket's, or the one that a trusted proxy reports. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

const WITH_PORT = /^(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/;

/**
 * A proxy adds whom it has heard at the end of `X-Forwarded-For`; whatever is before that was sent by the client, who
 * may write anything there. Where the proxy's own word is no address, the proxy is limited itself.
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
