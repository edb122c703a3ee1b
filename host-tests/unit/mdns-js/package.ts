/**
 * The package mdns-js of npm, of which this console has the calls: a second opinion for tests. Loading it opens no
 * socket.
 */
import { createRequire } from "node:module";
import path from "node:path";
import type { PackageType, ServiceTypeCalls } from "../../contracts/service-types.js";

const require = createRequire(import.meta.url);

export interface PackageExports extends ServiceTypeCalls {
  readonly name: string;
  readonly version: string;
}

export const published = require("mdns-js") as PackageExports;

/** What the package's browser makes of one message. */
export interface DecodedMessage {
  readonly type?: readonly PackageType[];
  readonly fullname?: string;
  readonly port?: number;
  readonly host?: string;
  readonly txt?: readonly string[];
  readonly query: readonly string[];
}

interface Decoder {
  decodePackets(packets: readonly unknown[]): DecodedMessage | null;
}

const directory = path.dirname(require.resolve("mdns-js/package.json"));
const { DNSPacket } = createRequire(path.join(directory, "index.js"))("dns-js") as {
  DNSPacket: { parse(bytes: Buffer): unknown };
};
const decoder = require("mdns-js/lib/decoder.js") as Decoder;

export function decodeAsPublished(bytes: Uint8Array): DecodedMessage | null {
  return decoder.decodePackets([DNSPacket.parse(Buffer.from(bytes))].flat());
}

/** Path of a file of the package. */
export const publishedFile = (name: string) => path.join(directory, name);
