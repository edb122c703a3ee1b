/**
 * Converts every error of a request to one of our faults and its one body (docs/spec/conventions.md#error-body).
 */
import { STATUS_CODES } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault, type FaultCode } from "../../protocol/fault.js";
import { DatabaseUnavailable } from "../database/database-unavailable.js";
import { sendJson } from "./answers.js";

/** Longest path parameter: longer than any of our ids in percent-encoded form. */
export const PATH_PARAMETER_LIMIT = 512;

/** `Retry-After` while the database is unavailable. */
const BUSY_RETRY_S = 2;

/** Answers with a fault. Logs internal errors, and hides their details from the client. */
export function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // The error of its own connection: the client has gone before it has sent the whole body, and reads no answer.
  const fault =
    error !== undefined && error === request.raw.errored
      ? new Fault("bad_request", "The client has disconnected within the body", { cause: error })
      : faultOf(error);
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
  if (error instanceof DatabaseUnavailable) return databaseFault(error);
  const code = error instanceof Error ? frameworkCode(error) : undefined;
  if (code) return new Fault(code, MESSAGES[code] ?? (error as Error).message, { cause: error });
  return new Fault("internal_error", "The hub failed; see its log", { cause: error });
}

function databaseFault(cause: DatabaseUnavailable): Fault {
  if (cause.state === "full") return new Fault("storage_full", "The hub's storage is full", { cause });
  const what = cause.state === "away" ? "reach" : "write to";
  return new Fault("busy", `The hub cannot ${what} its database: try again in a moment`, {
    cause,
    details: { retry_after_s: BUSY_RETRY_S },
  });
}

function frameworkCode(error: Error): FaultCode | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && Object.hasOwn(FRAMEWORK, code) ? FRAMEWORK[code] : undefined;
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
