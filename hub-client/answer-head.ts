/** Parses the bytes of a response head (RFC 9112 §4, §6.3). */
import { Fault } from "../protocol/fault.js";
import { CR, fieldValueEnd, LF } from "../protocol/http/characters.js";
import { checkFieldLines, Fields } from "../protocol/http/fields.js";
import { type Framing, readFraming } from "../protocol/http/framing.js";
import type { Decoder } from "../protocol/http/text.js";

/** An answer that says nothing of its length ends with its connection. */
export type AnswerFraming = Framing | { readonly kind: "until_close" };

export interface AnswerHead {
  readonly status: number;
  readonly fields: Fields;
  readonly framing: AnswerFraming;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5][0-9][0-9])(?: |$)/;
const NO_BODY: AnswerFraming = Object.freeze({ kind: "none" });
const UNTIL_CLOSE: AnswerFraming = Object.freeze({ kind: "until_close" });

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/**
 * @param bytes a whole head with its empty line, as a head reader gives it; opaque bytes become `?`
 * @param method of the request: an answer to HEAD has no body, whatever it says
 * @throws {Fault} `hub_refused` for what is no answer of HTTP
 */
export function parseAnswerHead(bytes: Uint8Array, decoder: Decoder, method: string): AnswerHead {
  try {
    return parse(bytes, decoder, method);
  } catch (cause) {
    throw notHttp(cause);
  }
}

/** What the other side says is no HTTP. */
export function notHttp(cause: unknown): Fault {
  const reason = cause instanceof Error ? cause.message : "";
  return new Fault("hub_refused", `The answer is not HTTP as it should be: ${reason}`, { cause });
}

function parse(bytes: Uint8Array, decoder: Decoder, method: string): AnswerHead {
  const lineEnd = fieldValueEnd(bytes, 0);
  if (bytes[lineEnd] !== CR || bytes[lineEnd + 1] !== LF) throw badStatusLine();
  checkFieldLines(bytes, lineEnd + 2);
  const text = decoder.decode(bytes);
  const match = STATUS_LINE.exec(text.slice(0, lineEnd));
  if (!match) throw badStatusLine();
  const status = Number(match[2]);
  const fields = new Fields(text);
  return { status, fields, framing: framingOf(status, fields, match[1] === "0", method) };
}

function framingOf(status: number, fields: Fields, isHttp10: boolean, method: string): AnswerFraming {
  if (method === "HEAD" || status < 200 || status === NO_CONTENT || status === NOT_MODIFIED) return NO_BODY;
  const framing = readFraming(fields, isHttp10);
  if (framing.kind === "none" && fields.single("content-length") === undefined) return UNTIL_CLOSE;
  return framing;
}

function badStatusLine(): Fault {
  return new Fault("bad_request", "A status line takes a version of HTTP and a status");
}
