/** Parses `--device`: an address, or a name to search for. */
import { isIP } from "node:net";

/** `host` is a name that ends in `.local`, which mDNS resolves where the system may not */
type Selector =
  | { readonly kind: "any" }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "host"; readonly host: string };

const PATH = /^(?:usb:|\.{0,2}\/|\\\\|COM\d+$)/i;
const HOST_AND_PORT = /^[^\s]+:\d+$/;
const HOST_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\.?$/i;

export function readSelector(text: string | undefined): Selector {
  if (text === undefined || text === "") return { kind: "any" };
  if (PATH.test(text) || text.includes("://") || isIP(text) || text === "localhost")
    return { kind: "address", address: text };
  if (text.includes("/")) return { kind: "address", address: `usb:${text}` };
  if (/\.local\.?$/i.test(text)) return { kind: "host", host: text.replace(/\.$/, "") };
  if (HOST_AND_PORT.test(text) || HOST_NAME.test(text)) return { kind: "address", address: text };
  return { kind: "name", name: text };
}
