/** The number of a chunk and the total, from the parameters `chunk` and `total`. */
import { Fault } from "../../../protocol/fault.js";
import type { Parameter, Parameters } from "../api/parameters.js";

/** What every endpoint that takes files in chunks declares. */
export const CHUNK_PARAMETERS: readonly Parameter[] = Object.freeze([
  {
    name: "chunk",
    type: "integer",
    summary: "Number of this chunk, from 1 on. Left out, the body is the file.",
  },
  { name: "total", type: "integer", summary: "How many chunks there are." },
] satisfies Parameter[]);

/** The same for files whose signature is not in them. */
export const UPLOAD_PARAMETERS: readonly Parameter[] = Object.freeze([
  ...CHUNK_PARAMETERS,
  {
    name: "signature",
    type: "text",
    summary:
      "Ed25519 signature in 128 hexadecimal digits. With chunks, in any of them. Over HTTP the header `X-Svc-Signature` may carry it instead.",
  },
  {
    name: "publisher_signature",
    type: "text",
    summary:
      "Where a hub has signed: the publisher's own signature over the same. This one and the next three travel as `signature` does, over HTTP also in the headers `X-Svc-Publisher-Signature`, `-Key`, `-Voucher` and `-Succession`.",
  },
  {
    name: "publisher_key",
    type: "text",
    summary: "The publisher's public key, 64 lower-case hexadecimal digits.",
  },
  {
    name: "publisher_voucher",
    type: "text",
    summary: "The hub's signature over `svc publisher`, the file's SHA-256 and that key.",
  },
  {
    name: "publisher_succession",
    type: "text",
    summary:
      "Keys that the publisher has succeeded, `<old>:<new>:<signature>`, the oldest first, separated by commas, at most 4.",
  },
] satisfies Parameter[]);

export interface ChunkHead {
  /** From 1 to `total`. */
  readonly number: number;
  readonly total: number;
}

/**
 * The chunk that the parameters name (docs/spec/uploads.md#chunk-malformed).
 * @returns `undefined` where the body is the whole file
 * @throws {Fault} `missing_parameter` where one comes without the other, `bad_parameter` for a chunk that
 *   cannot be
 */
export function readChunkHead(parameters: Parameters): ChunkHead | undefined {
  const number = parameters.integer("chunk");
  const total = parameters.integer("total");
  if (number === undefined && total === undefined) return undefined;
  if (number === undefined) throw missing("chunk", "total");
  if (total === undefined) throw missing("total", "chunk");
  if (total < 1) throw new Fault("bad_parameter", 'Parameter "total" is at least 1');
  if (number < 1 || number > total)
    throw new Fault("bad_parameter", `Parameter "chunk" is 1 to ${total}, which is the total`);
  return { number, total };
}

function missing(name: string, given: string): Fault {
  return new Fault("missing_parameter", `Parameter "${name}" is missing, "${given}" being there`);
}
