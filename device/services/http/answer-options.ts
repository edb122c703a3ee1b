/** The properties of a request that its answer depends on, kept from its head until it is answered. */
import type { RequestHead } from "./request-head.js";
import { CLOSE_LINE, KEEP_ALIVE_LINE } from "./response-head.js";

export interface AnswerOptions {
  /** The answer to HEAD says how long a body would be and has none (RFC 9110 §9.3.2). */
  readonly omitsBody: boolean;
  /** The connection ends with this answer. */
  readonly isLast: boolean;
  /** The client understands chunked bodies, which HTTP/1.0 does not know (RFC 9112 §6.1). */
  readonly takesChunks: boolean;
  /** Field lines that the request brought about, those of the connection included. */
  readonly fieldLines: string;
}

/** For an answer that no request has asked for, or none that could be read. */
export const UNASKED: AnswerOptions = Object.freeze({
  omitsBody: false,
  isLast: true,
  takesChunks: false,
  fieldLines: CLOSE_LINE,
});

/** RFC 9112 §9.3: to stay is the rule in HTTP/1.1 and must be said in HTTP/1.0. */
export function answerOptions(head: RequestHead, fieldLines: string): AnswerOptions {
  const { isPersistent, method, version } = head;
  const connectionLine = isPersistent ? (version === "1.0" ? KEEP_ALIVE_LINE : "") : CLOSE_LINE;
  return {
    omitsBody: method === "HEAD",
    isLast: !isPersistent,
    takesChunks: version !== "1.0",
    fieldLines: fieldLines + connectionLine,
  };
}

/** The same for an answer with which the connection ends after all. */
export function asLast(options: AnswerOptions): AnswerOptions {
  if (options.isLast) return options;
  return {
    ...options,
    isLast: true,
    fieldLines: options.fieldLines.replace(KEEP_ALIVE_LINE, "") + CLOSE_LINE,
  };
}
