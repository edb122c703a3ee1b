/**
 * The responses among the test blocks of llhttp, the parser of Node: what it accepts strictly we accept, what it refuses
 * in the first answer we refuse. We read one answer a connection. Exceptions carry their reason.
 */
import { describe, expect, test } from "vitest";
import { HttpExchange } from "../../../hub-client/http-client.js";
import { parseWebAddress } from "../../../hub-client/web-address.js";
import { areBlocksThere, type Block, readBlocks } from "../services/http/llhttp-blocks.js";
import { octets, ScriptedNetwork } from "./client-ports.js";
import { Exchanged } from "./exchanged.js";

/** What we take although llhttp refuses it, or in a lenient mode only. */
const TAKEN: Readonly<Record<string, string>> = {
  "response/connection.md: HTTP/1.1 with keep-alive disabled, content-length (lenient)":
    "we close, and never read what follows",
  "response/connection.md: HTTP/1.1 with keep-alive disabled and 204 status (lenient)":
    "we close, and never read what follows",
  "response/invalid.md: Invalid space after start line":
    "we check a head once it is complete, which this one is not",
};

/** What we refuse although llhttp accepts it. */
const REFUSED: Readonly<Record<string, string>> = {
  "response/connection.md: HTTP 101 response with Upgrade and Content-Length header":
    "no upgrade was requested",
  "response/connection.md: HTTP 101 response with Upgrade and Transfer-Encoding header":
    "no upgrade was requested",
  "response/sample.md: RTSP response": "another protocol",
  "response/sample.md: ICE response": "another protocol",
  "response/sample.md: HTTP version 0.9": "HTTP/0.9",
  "response/transfer-encoding.md: `chunked` before other transfer-encoding": "only chunked is supported",
  "response/transfer-encoding.md: multiple transfer-encoding where chunked is not the last one":
    "only chunked is supported",
  "response/transfer-encoding.md: `chunkedchunked` transfer-encoding does not enable chunked enconding":
    "only chunked is supported",
};

const isResponse = ({ type }: Block) => type === "response" || type.startsWith("response-lenient-");
const blocks = areBlocksThere ? readBlocks().filter(isResponse) : [];

function isRefused({ type, log }: Block): boolean {
  const firstEnd = log.findIndex((line) => line.includes("message complete"));
  const first = firstEnd < 0 ? log : log.slice(0, firstEnd);
  return type.includes("-lenient-") || first.some((line) => line.includes("error code="));
}

async function isTaken({ wire }: Block): Promise<boolean> {
  const network = new ScriptedNetwork();
  const exchanged = new Exchanged();
  const to = parseWebAddress("http://hub.example/");
  new HttpExchange(network.ports, { to, method: "GET", target: "/", fields: {} }, exchanged);
  const socket = await network.connect();
  socket.arrive(octets(wire));
  if (!socket.isClosed) socket.end();
  return exchanged.end?.code !== "hub_refused";
}

describe.skipIf(!areBlocksThere)("llhttp (skipped where ../shared/testdata/llhttp is absent)", () => {
  for (const block of blocks)
    test(block.name, async () => {
      const { name } = block;
      const isExpected = isRefused(block) ? name in TAKEN : !(name in REFUSED);
      expect(await isTaken(block)).toBe(isExpected);
    });
});
