/** Serves the web console: `GET /` and the scripts of its page. */

import { Fault } from "../../../protocol/fault.js";
import type { Call } from "../api/call.js";
import type { Services } from "../api/endpoint.js";
import type { ByteStream, StreamedAnswer } from "../api/request.js";

/** Fits a TCP segment of common networks (MSS 1460). */
const PIECE_BYTES = 1458;

/** Streams a file that is in flash: the connection takes a piece when it has room. */
class PageStream implements ByteStream {
  readonly #content: Uint8Array;
  #next = 0;

  constructor(content: Uint8Array) {
    this.#content = content;
  }

  next(): Uint8Array | undefined {
    const from = this.#next;
    if (from === this.#content.length) return undefined;
    this.#next = Math.min(from + PIECE_BYTES, this.#content.length);
    return this.#content.subarray(from, this.#next);
  }

  close(): void {
    // Nothing to release.
  }
}

/**
 * Always gzip, since every browser that runs the page accepts it. The page contains the rest of its policy itself, but
 * `frame-ancestors` works only in the header.
 */
const PAGE_FIELD_LINES = "content-encoding: gzip\r\ncontent-security-policy: frame-ancestors 'none'\r\n";

/** @throws {Fault} `not_found` if the firmware contains no page */
export function showPage(
  { page }: Pick<Services, "page">,
  { request: { path } }: Pick<Call, "request">,
): StreamedAnswer {
  const file = Object.hasOwn(page, path) ? page[path] : undefined;
  if (!file)
    throw new Fault("not_found", "This firmware was built without the web console; its API is below /api");
  return {
    status: 200,
    mediaType: file.mediaType,
    fieldLines: PAGE_FIELD_LINES,
    byteLength: file.content.length,
    stream: new PageStream(file.content),
  };
}
