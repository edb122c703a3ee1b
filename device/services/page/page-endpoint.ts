/** Serves the web console: `GET /` and the scripts of its page. */

import { Fault } from "../../../protocol/fault.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import type { Call } from "../api/call.js";
import type { Services } from "../api/endpoint.js";
import type { ByteStream, StreamedAnswer } from "../api/request.js";

// Streams the page: decodes a piece when the connection has room, so that memory use does not depend on the page.

const CHARACTERS_PER_GROUP = 4;
const BYTES_PER_GROUP = 3;

export class PageStream implements ByteStream {
  readonly #pieces: readonly string[];
  readonly #base64: Pick<Base64, "decode">;
  #next = 0;

  /** @param pieces base64, each in whole groups of four; only the last piece may have padding */
  constructor(pieces: readonly string[], base64: Pick<Base64, "decode">) {
    this.#pieces = pieces;
    this.#base64 = base64;
  }

  next(): Uint8Array | undefined {
    const piece = this.#pieces[this.#next++];
    return piece === undefined ? undefined : new Uint8Array(this.#base64.decode(piece));
  }

  close(): void {
    // Nothing to release.
  }
}

/** Length of the decoded pieces in bytes, computed without decoding them. */
export function pageByteLength(pieces: readonly string[]): number {
  let byteLength = 0;
  for (const piece of pieces) byteLength += (piece.length / CHARACTERS_PER_GROUP) * BYTES_PER_GROUP;
  const last = pieces.at(-1) ?? "";
  return byteLength - (last.endsWith("==") ? 2 : last.endsWith("=") ? 1 : 0);
}

/**
 * Always gzip, since every browser that runs the page accepts it. The page contains the rest of its policy itself, but
 * `frame-ancestors` works only in the header.
 */
const PAGE_FIELD_LINES = "content-encoding: gzip\r\ncontent-security-policy: frame-ancestors 'none'\r\n";

/** @throws {Fault} `not_found` if the firmware contains no page */
export function showPage(
  { page, base64 }: Pick<Services, "page" | "base64">,
  { request: { path } }: Pick<Call, "request">,
): StreamedAnswer {
  const file = Object.hasOwn(page, path) ? page[path] : undefined;
  if (!file)
    throw new Fault("not_found", "This firmware was built without the web console; its API is below /api");
  return {
    status: 200,
    mediaType: file.mediaType,
    fieldLines: PAGE_FIELD_LINES,
    byteLength: pageByteLength(file.pieces),
    stream: new PageStream(file.pieces, base64),
  };
}
