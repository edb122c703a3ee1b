/** `GET /` and the scripts of its page: the web console. */
import { Fault } from "../../../protocol/fault.js";
import type { Call, Services } from "../api/endpoint.js";
import type { StreamedAnswer } from "../api/request.js";
import { PageStream, pageByteLength } from "./page-stream.js";

/**
 * There is nothing to negotiate: every browser that the page runs in takes gzip. Who may frame the page cannot be said
 * in it, unlike the rest of its policy.
 */
const PAGE_FIELD_LINES = "content-encoding: gzip\r\ncontent-security-policy: frame-ancestors 'none'\r\n";

/** @throws {Fault} `not_found` where the firmware brings no page */
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
