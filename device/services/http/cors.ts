/** Field lines for pages of the listed origins (Fetch standard, CORS protocol; Private Network Access). */
import type { RequestHead } from "./request-head.js";

const PREFLIGHT_LINES =
  "access-control-allow-methods: GET, HEAD, POST\r\n" +
  "access-control-allow-headers: authorization, content-type, x-svc-signature\r\n" +
  "access-control-max-age: 600\r\n";
const PRIVATE_NETWORK_LINE = "access-control-allow-private-network: true\r\n";

/** For every answer to a page of `origin`, errors included: else it could not read them (docs/spec/http.md#cors). */
export function corsFieldLines(origin: string): string {
  return `access-control-allow-origin: ${origin}\r\naccess-control-expose-headers: allow, retry-after\r\nvary: Origin\r\n`;
}

/** Whether the browser asks on its own behalf. Such a request carries no credentials. */
export function isPreflight(head: RequestHead): boolean {
  return head.method === "OPTIONS" && head.fields.single("access-control-request-method") !== undefined;
}

/** What a preflight of a listed origin is answered with, besides {@link corsFieldLines}. */
export function preflightFieldLines(head: RequestHead): string {
  const asksForPrivateNetwork = head.fields.hasToken("access-control-request-private-network", "true");
  return asksForPrivateNetwork ? PREFLIGHT_LINES + PRIVATE_NETWORK_LINE : PREFLIGHT_LINES;
}
