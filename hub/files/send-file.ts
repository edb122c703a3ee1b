/**
 * Sends a file, whole or in part (RFC 9110 §14), so that a console can resume an interrupted download. A file is a
 * sequence of parts, since a served firmware bundle may contain another signature than the stored file.
 */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import path from "node:path";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../protocol/fault.js";
import { ClientLeft, type FilePart, type LocalPart, openParts } from "./write-parts.js";

// Selects the content for a conditional or range request (RFC 9110 §13 and §14). Pure. ETags are strong, and their
// bytes never change. There are no dates: a condition with a date is false.

export interface Conditions {
  readonly "if-none-match"?: string | undefined;
  readonly "if-range"?: string | undefined;
  readonly range?: string | undefined;
}

export type Selection =
  | { readonly kind: "whole" }
  /** From `start` up to but not including `end`. */
  | { readonly kind: "part"; readonly start: number; readonly end: number }
  | { readonly kind: "unchanged" }
  | { readonly kind: "unsatisfiable" };

const WHOLE: Selection = Object.freeze({ kind: "whole" });
const UNCHANGED: Selection = Object.freeze({ kind: "unchanged" });
const UNSATISFIABLE: Selection = Object.freeze({ kind: "unsatisfiable" });

/** One range of bytes. Several ranges, or an invalid one, get the whole file (RFC 9110 §14.2). */
const RANGE = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i;
/** Longer positions are not exact numbers; no file is that large. */
const DIGITS_LIMIT = 15;

/**
 * @param etag with its quotes
 * @param sizeBytes at least 1
 */
export function selectContent(conditions: Conditions, etag: string, sizeBytes: number): Selection {
  if (isHeld(conditions, etag)) return UNCHANGED;
  const ifRange = conditions["if-range"];
  if (conditions.range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return WHOLE;
  const match = RANGE.exec(conditions.range);
  const [, first = "", last = ""] = match ?? [];
  if (!match || (first === "" && last === "")) return WHOLE;
  return first === "" ? lastBytes(positionOf(last), sizeBytes) : bytesFrom(first, last, sizeBytes);
}

/** Whether the client has the content already: `If-None-Match` lists its tag, weak or strong (RFC 9110 §13.1.2). */
export function isHeld(conditions: Pick<Conditions, "if-none-match">, etag: string): boolean {
  const list = conditions["if-none-match"];
  if (list === undefined) return false;
  if (list === etag) return true;
  return list.split(",").some((candidate) => {
    const tag = candidate.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}

function lastBytes(count: number, sizeBytes: number): Selection {
  if (count === 0) return UNSATISFIABLE;
  return { kind: "part", start: Math.max(0, sizeBytes - count), end: sizeBytes };
}

function bytesFrom(first: string, last: string, sizeBytes: number): Selection {
  const start = positionOf(first);
  const final = last === "" ? sizeBytes - 1 : positionOf(last);
  if (final < start && last !== "") return WHOLE; // an invalid range
  if (start >= sizeBytes) return UNSATISFIABLE;
  return { kind: "part", start, end: Math.min(final + 1, sizeBytes) };
}

function positionOf(digits: string): number {
  return digits.length > DIGITS_LIMIT ? Number.MAX_SAFE_INTEGER : Number(digits);
}

export type ContentPart = LocalPart | RemotePart;

/** Bytes of a stored file from `start` up to but not including `end`. */
export type StoredPart = FilePart | RemotePart;

interface RemotePart {
  /** Reads the file from `start` up to but not including `end`. */
  readonly stream: (start: number, end: number) => Readable;
  readonly start: number;
  readonly end: number;
}

export interface SentFile {
  readonly parts: readonly ContentPart[];
  /** Of all parts together, in hexadecimal; also the ETag. */
  readonly sha256: string;
  readonly mediaType: string;
  /** Further fields of the answer. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Called if the body begins at byte 0. */
  readonly onDownload?: () => void;
  /** See `HubConfig`: a file that is sent as it is stored is left to the proxy. */
  readonly accelRedirect?: string | undefined;
}

/** Disconnects a client that reads nothing for this long, which frees the file; consoles resume from there. */
const SILENCE_LIMIT_MS = 60_000;

/**
 * Answers with the requested part of the file: 200, 206, or 304 without a body. HEAD gets the head of the answer to a
 * GET of the whole file.
 * @param silenceMs another limit in tests
 * @returns the reply, or a promise; awaited, either resolves with `undefined` once everything is sent
 * @throws {Fault} `range_not_satisfiable`
 */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: SentFile,
  silenceMs = SILENCE_LIMIT_MS,
): FastifyReply | Promise<void> {
  const isHead = request.method === "HEAD";
  const etag = `"${file.sha256}"`;
  const sizeBytes = file.parts.reduce((sum, part) => sum + lengthOf(part), 0);
  const { range, ...conditions } = request.headers;
  const selection = selectContent(isHead ? conditions : { ...conditions, range }, etag, sizeBytes);
  reply.header("accept-ranges", "bytes").headers({ etag, ...file.fields });
  if (selection.kind === "unchanged") return sendUnchanged(request, reply);
  if (selection.kind === "unsatisfiable") throw unsatisfiable(reply, sizeBytes);
  const stored = file.accelRedirect === undefined ? undefined : storedFile(file.parts, sizeBytes);
  if (stored !== undefined) {
    if (!isHead && (selection.kind === "whole" || selection.start === 0)) file.onDownload?.();
    reply.type(file.mediaType).header("x-accel-redirect", `${file.accelRedirect}${path.basename(stored)}`);
    reply.removeHeader("accept-ranges"); // nginx adds its own to it
    return reply.send(Buffer.alloc(0)); // the proxy selects the range by the request's own fields
  }
  const { start, end } = selection.kind === "part" ? selection : { start: 0, end: sizeBytes };
  if (selection.kind === "part")
    reply.code(206).header("content-range", `bytes ${start}-${end - 1}/${sizeBytes}`);
  reply.type(file.mediaType).header("content-length", end - start);
  if (isHead) return reply.send(Readable.from([])); // no body, with the Content-Length of a GET
  if (start === 0) file.onDownload?.();
  reply.raw.setTimeout(silenceMs, () => reply.raw.destroy());
  return send(reply, partsWithin(file.parts, start, end));
}

/** Answers 304 without a body. The caller has set the fields that a 200 would have. */
export function sendUnchanged({ method }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(304).send(method === "HEAD" ? Readable.from([]) : undefined);
}

function unsatisfiable(reply: FastifyReply, sizeBytes: number): Fault {
  reply.header("content-range", `bytes */${sizeBytes}`);
  return new Fault("range_not_satisfiable", `Cannot send bytes beyond the file, which has ${sizeBytes}`);
}

/** The path of the stored file, if the parts are exactly that. */
function storedFile(parts: readonly ContentPart[], sizeBytes: number): string | undefined {
  const [part, another] = parts.filter((candidate) => lengthOf(candidate) > 0);
  return part && !another && "path" in part && part.start === 0 && part.end === sizeBytes
    ? part.path
    : undefined;
}

/** The sections of the parts from `start` up to but not including `end`. */
function partsWithin(parts: readonly ContentPart[], start: number, end: number): ContentPart[] {
  const within: ContentPart[] = [];
  let at = 0;
  for (const part of parts) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, lengthOf(part));
    if (from < to) within.push(cut(part, from, to));
    at += lengthOf(part);
  }
  return within;
}

function cut(part: ContentPart, from: number, to: number): ContentPart {
  if ("bytes" in part) return { bytes: part.bytes.subarray(from, to) };
  return { ...part, start: part.start + from, end: part.start + to };
}

function lengthOf(part: ContentPart): number {
  return "bytes" in part ? part.bytes.length : part.end - part.start;
}

async function send(reply: FastifyReply, parts: readonly ContentPart[]): Promise<void> {
  if (areRemote(parts)) {
    await reply.send(Readable.from(readParts(parts)));
    return;
  }
  await hasTurn(reply.raw);
  const open = await openParts(parts as readonly LocalPart[]);
  reply.hijack();
  const out = reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  try {
    await open.writeTo(out);
  } catch (error) {
    out.destroy();
    if (!(error instanceof ClientLeft)) reply.log.error({ err: error }, "cannot send the rest of a file");
  }
}

/**
 * Resolves when the answer is the first one on its connection. Those of pipelined requests have no connection before, and
 * so would not hear that it has ended: files that they had open would stay open.
 */
async function hasTurn(out: ServerResponse): Promise<void> {
  if (!out.socket && !out.destroyed) await new Promise((resolve) => out.once("socket", resolve));
}

/** A store keeps all its files in the same way. */
function areRemote(parts: readonly ContentPart[]): parts is readonly Exclude<ContentPart, FilePart>[] {
  return parts.some((part) => "stream" in part);
}

async function* readParts(parts: readonly Exclude<ContentPart, FilePart>[]): AsyncGenerator<Uint8Array> {
  for (const part of parts)
    if ("bytes" in part) yield part.bytes;
    else yield* part.stream(part.start, part.end);
}
