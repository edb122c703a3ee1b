/**
 * How long a body is (RFC 9112 §6). Two programs that disagree here can be told different
 * requests with the same bytes, so nothing is guessed: one length in digits, or chunked alone, or none.
 */
import { Fault } from "../fault.js";
import { quoted } from "../quoted.js";
import { type Fields, findMember } from "./fields.js";

export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly byteLength: number }
  | { readonly kind: "chunked" };

/** Framing of a body that is there. */
export type BodyFraming = Exclude<Framing, { readonly kind: "none" }>;

const NONE: Framing = Object.freeze({ kind: "none" });
const CHUNKED: Framing = Object.freeze({ kind: "chunked" });

/** Digits of 2^53 - 1. */
const LENGTH_LIMIT_DIGITS = 16;
const DIGITS = /^[0-9]+$/;

/**
 * @param isHttp10 whether the message is of HTTP/1.0, which knows no transfer codings
 * @throws {Fault} `bad_request`, or `not_implemented` for a transfer coding other than chunked, or
 *   `head_too_large`; each leaves the end of the message unknown, so the connection is of no further use
 */
export function readFraming(fields: Fields, isHttp10: boolean): Framing {
  const coding = fields.list("transfer-encoding")?.toLowerCase();
  const length = fields.single("content-length");
  if (coding === undefined) return length === undefined ? NONE : byLength(length);
  // RFC 9112 §6.1, §6.3: either is an attempt at smuggling or an error.
  if (length !== undefined)
    throw new Fault("bad_request", "Content-Length and Transfer-Encoding exclude each other");
  if (isHttp10) throw new Fault("bad_request", "HTTP/1.0 knows no Transfer-Encoding");
  if (coding !== "chunked") throw badCoding(coding);
  return CHUNKED;
}

function byLength(text: string): Framing {
  if (text === "0") return NONE;
  const byteLength = text.length <= LENGTH_LIMIT_DIGITS && DIGITS.test(text) ? Number(text) : Number.NaN;
  if (!(byteLength <= Number.MAX_SAFE_INTEGER))
    throw new Fault("bad_request", `Content-Length takes digits up to 2^53 - 1, not ${quoted(text)}`);
  return byteLength === 0 ? NONE : { kind: "length", byteLength };
}

/** `list` is in lower case. What is wrong whatever the codings mean is bad syntax. */
function badCoding(list: string): Fault {
  const chunked = findMember(list, "chunked");
  const isFollowed = chunked >= 0 && list.indexOf(",", chunked) >= 0;
  if (isFollowed || findMember(list, "") >= 0)
    return new Fault("bad_request", `Transfer-Encoding takes "chunked" once and last, not ${quoted(list)}`);
  return new Fault("not_implemented", `Transfer-Encoding takes "chunked" alone, not ${quoted(list)}`);
}
