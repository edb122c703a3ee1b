/**
 * Converts every error of a request to one of our faults and its one body (docs/spec/conventions.md#error-body).
 */
import { STATUS_CODES } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault, type FaultCode } from "../../protocol/fault.js";
import { sendJson } from "./answers.js";

/** Longest path parameter: longer than any of our ids in percent-encoded form. */
export const PATH_PARAMETER_LIMIT = 512;

/** `Retry-After` while a database or a disk is unavailable. */
const BUSY_RETRY_S = 2;

/** Answers with a fault. Logs internal errors, and hides their details from the client. */
export function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = faultOf(error);
  if (fault.status >= 500) request.log.error({ err: error, method: request.method }, fault.message);
  const retryAfter = fault.details?.["retry_after_s"];
  if (retryAfter !== undefined) reply.header("retry-after", String(retryAfter));
  if (fault.code === "unauthorized") reply.header("www-authenticate", challenge(request));
  return sendJson(reply.code(fault.status), JSON.stringify(fault.toBody()));
}

/** The same as the bytes of an HTTP response, for a socket that Fastify does not answer. It ends the connection. */
export function refusalBytes(fault: Fault): string {
  const body = JSON.stringify(fault.toBody());
  const retryAfter = fault.details?.["retry_after_s"];
  return [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    ...(fault.code === "unauthorized" ? ["www-authenticate: Bearer"] : []),
    ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
    "connection: close",
    "",
    body,
  ].join("\r\n");
}

/** RFC 6750 §3: a challenge without an error code for a client that sent no token. */
function challenge(request: FastifyRequest): string {
  return request.headers.authorization === undefined ? "Bearer" : 'Bearer error="invalid_token"';
}

export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const known = error instanceof Error ? knownCode(error) : undefined;
  if (known === "busy")
    return new Fault("busy", "The hub cannot reach its database: try again in a moment", {
      cause: error,
      details: { retry_after_s: BUSY_RETRY_S },
    });
  if (known === "storage_full")
    return new Fault("storage_full", "The hub's storage is full", { cause: error });
  if (known) return new Fault(known, MESSAGES[known] ?? (error as Error).message, { cause: error });
  return new Fault("internal_error", "The hub failed; see its log", { cause: error });
}

function knownCode(error: Error): FaultCode | undefined {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== "string") return CONNECTION_LOST.test(error.message) ? "busy" : undefined;
  if (Object.hasOwn(FRAMEWORK, code)) return FRAMEWORK[code];
  if (STORAGE_FULL.has(code)) return "storage_full";
  return DATABASE_AWAY.test(code) ? "busy" : undefined;
}

/** Errors of the framework, raised before one of our handlers is called. */
const FRAMEWORK: Readonly<Record<string, FaultCode>> = Object.freeze({
  FST_ERR_BAD_URL: "bad_encoding",
  FST_ERR_MAX_PARAM_LENGTH: "uri_too_long",
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "media_type_unsupported",
  FST_INVALID_MULTIPART_CONTENT_TYPE: "media_type_unsupported",
  FST_REQ_FILE_TOO_LARGE: "file_too_large",
  FST_FILES_LIMIT: "multipart_invalid",
  FST_PARTS_LIMIT: "multipart_invalid",
  FST_FIELDS_LIMIT: "multipart_invalid",
  FST_PROTO_VIOLATION: "multipart_invalid",
  FST_INVALID_JSON_FIELD_ERROR: "multipart_invalid",
  FST_MP_PREMATURE_CLOSE: "multipart_invalid",
});

/** Messages for faults whose text from the framework is unclear. */
const MESSAGES: Readonly<Partial<Record<FaultCode, string>>> = Object.freeze({
  bad_encoding: "The path is not percent-encoded UTF-8",
  uri_too_long: `A name in a path has at most ${PATH_PARAMETER_LIMIT} characters`,
  body_too_large: "The body is larger than this endpoint accepts",
  bad_request: "The length of the body differs from Content-Length",
  media_type_unsupported: "This endpoint does not accept a body of this type",
  file_too_large: "The file is larger than this endpoint accepts",
});

/** Codes of the file system, SQLite, and PostgreSQL (Appendix A of its manual). */
const STORAGE_FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL", "53100"]);

/**
 * No connection, a broken one, a server that starts, stops or has no connection left, a statement or transaction that
 * timed out, or a locked file.
 */
const DATABASE_AWAY =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08...|25P03|57014|57P0[1-3]|53[034]00|SQLITE_BUSY.*)$/;

/** Errors of pg without a code, recognized by their message (pg 8, client.ts and pg-pool). */
const CONNECTION_LOST =
  /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout$|not queryable$/;
