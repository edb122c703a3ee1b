/** What a response head says about a file, whole (200) or from an offset (206; RFC 9110 §14.4, §8.8.3). */
import { Fault } from "../protocol/fault.js";
import type { Fields } from "../protocol/http/fields.js";
import { type PublisherTexts, publisherTexts } from "../protocol/signature/statements.js";
import type { AnswerHead } from "./answer-head.js";

export interface DownloadFacts {
  readonly sizeBytes: number;
  /** SHA-256 of the whole file, hexadecimal, where the ETag is one. Not verified yet. */
  readonly sha256: string | undefined;
  /** `X-Svc-Signature`, as it was sent. Not verified yet. */
  readonly signature: string | undefined;
  /** `X-Svc-Publisher-…`, likewise. */
  readonly publisher: PublisherTexts | undefined;
}

/** Position and size in a field that says which bytes come. */
export interface ContentRange {
  readonly firstByte: number;
  readonly lastByte: number;
  readonly sizeBytes: number;
}

const SHA256_TAG = /^"([0-9a-f]{64})"$/;
const CONTENT_RANGE = /^bytes ([0-9]{1,15})-([0-9]{1,15})\/([0-9]{1,15})$/;
const STRONG_TAG = /^"[!#-~]*"$/;

/** @throws {Fault} `download_failed` where the length is not said beforehand */
export function readFacts({ fields, framing }: AnswerHead): DownloadFacts {
  if (framing.kind === "chunked" || framing.kind === "until_close")
    throw new Fault("download_failed", "The hub does not say how long the file is");
  const sizeBytes = framing.kind === "length" ? framing.byteLength : 0;
  const sha256 = SHA256_TAG.exec(fields.single("etag") ?? "")?.[1];
  const publisher = publisherTexts(({ header }) => fields.single(header));
  return { sizeBytes, sha256, signature: fields.single("x-svc-signature"), publisher };
}

/** What tells one version of a file from the next; a weak one does not (RFC 9110 §13.1.5). */
export function strongTag(fields: Fields): string | undefined {
  const tag = fields.single("etag");
  return tag !== undefined && STRONG_TAG.test(tag) ? tag : undefined;
}

/** @throws {Fault} `download_failed` where there is none, or one that makes no sense */
export function readContentRange(fields: Fields): ContentRange {
  const match = CONTENT_RANGE.exec(fields.single("content-range") ?? "");
  const [firstByte, lastByte, sizeBytes] = match ? match.slice(1).map(Number) : [];
  if (firstByte === undefined || lastByte === undefined || sizeBytes === undefined) throw noRange();
  if (firstByte > lastByte || lastByte >= sizeBytes) throw noRange();
  return { firstByte, lastByte, sizeBytes };
}

function noRange(): Fault {
  return new Fault("download_failed", "The hub does not say which part of the file comes");
}
