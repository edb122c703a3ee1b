/**
 * What `Uploads` ought to answer, from everything that was ever accepted: it keeps every chunk, and knows
 * nothing of phases, timers or checksums.
 */
import type { FaultCode } from "../../../../protocol/fault.js";
import { LIMIT_BYTES } from "./uploading.js";

const SILENCE_MS = 30_000;

/** Averaged over as long as silence may last. */
const LEAST_BYTES = 30 * 256;

/** What is slower, averaged over two seconds or more, loses its place over the network. */
const USUAL_BYTES_PER_MS = 2.048;
const SETTLED_MS = 2000;

/** A file with this in it is refused by its target, 507 `storage_full`. */
export const REFUSED_BYTE = "!";

export interface Client {
  readonly kind: "apps" | "firmware";
  readonly transport: "http" | "usb";
}

export interface Expected {
  readonly status: number;
  readonly body?: unknown;
  readonly code?: FaultCode;
  readonly expected?: number;
}

export interface SentChunk {
  readonly number: number;
  readonly total: number;
  readonly body: string;
}

/** An upload with the chunks that it has accepted, the last one included where that ended it. */
interface Accepted {
  readonly client: Client;
  readonly total: number;
  readonly chunks: string[];
  /** What it ended with, `undefined` while it is open. */
  answer: Expected | undefined;
  atMs: number;
  /** How far it has come, also before it has begun again. */
  reachedBytes: number;
  /** What of that is new, and since when. */
  windowBytes: number;
  windowMs: number;
}

export class UploadModel {
  #nowMs = 0;
  #upload: Accepted | undefined;

  pass(milliseconds: number): void {
    this.#nowMs += milliseconds;
    const upload = this.#upload;
    if (!upload) return;
    const silentMs = upload.atMs + SILENCE_MS;
    while (this.#isOpen && upload.windowMs + SILENCE_MS <= Math.min(this.#nowMs, silentMs)) {
      if (upload.windowBytes < LEAST_BYTES) this.#upload = undefined;
      upload.windowMs += SILENCE_MS;
      upload.windowBytes = 0;
    }
    if (this.#nowMs >= silentMs) this.#upload = undefined;
  }

  pullCable(): void {
    if (this.#isOpen && this.#upload?.client.transport === "usb") this.#upload = undefined;
  }

  /** A whole file whose connection is lost: the fault that rejects it before that, if any. */
  breakFile(): Expected | undefined {
    if (this.#isOpen && !this.#isSlow) return { status: 409, code: "upload_busy" };
    this.#upload = undefined;
    return undefined;
  }

  file(body: string): Expected {
    return this.breakFile() ?? verdict(body) ?? { status: 200, body: { content: body } };
  }

  chunk(client: Client, { number, total, body }: SentChunk): Expected {
    const refusal = this.breakChunk(client, { number, total }, body.length);
    if (refusal) return refusal;
    if (number === 1) return this.#begin(client, total, body);
    const upload = this.#upload;
    if (!upload) throw new Error("A chunk follows nothing");
    if (number > upload.chunks.length) return this.#accept(upload, body);
    if (body !== upload.chunks.at(-1)) return this.#outOfOrder();
    upload.atMs = this.#nowMs;
    return upload.answer ?? progress(upload.chunks);
  }

  /** A chunk whose connection is lost: the fault that rejects it before that, if any; else it counts as received. */
  breakChunk(client: Client, chunk: Omit<SentChunk, "body">, byteLength: number): Expected | undefined {
    const refusal = this.#refusal(client, chunk);
    const upload = this.#upload;
    if (refusal || !upload || !this.#isOpen || !isSame(upload.client, client)) return refusal;
    upload.atMs = this.#nowMs;
    const isNext = chunk.number === upload.chunks.length + 1;
    const reachedBytes = (isNext ? upload.chunks.join("").length : 0) + byteLength;
    const newBytes = Math.max(0, reachedBytes - upload.reachedBytes);
    upload.reachedBytes += newBytes;
    upload.windowBytes += newBytes;
    return undefined;
  }

  /** The next step of a client that continues. */
  next(client: Client): Omit<SentChunk, "body"> {
    const upload = this.#upload;
    if (!upload || !this.#isOpen || !isSame(upload.client, client)) return { number: 1, total: 3 };
    return { number: upload.chunks.length + 1, total: upload.total };
  }

  /** What a client that has lost its last answer sends. */
  again(client: Client): SentChunk {
    const upload = this.#upload;
    if (!upload || !isSame(upload.client, client)) return { number: 2, total: 2, body: "b" };
    return { number: upload.chunks.length, total: upload.total, body: upload.chunks.at(-1) ?? "" };
  }

  #refusal(client: Client, { number, total }: Omit<SentChunk, "body">): Expected | undefined {
    if (number > total) return { status: 400, code: "bad_parameter" };
    const isOurs = this.#upload && isSame(this.#upload.client, client);
    const isFirst = client.transport === "usb" && this.#upload?.client.transport === "http"; // the cable comes first
    const isEnded = isFirst || (this.#isOpen && !isOurs && this.#isSlow);
    if (this.#isOpen && !isOurs && !isEnded) return { status: 409, code: "upload_busy" };
    if (number === 1) return undefined;
    if (isEnded) return { status: 409, code: "chunk_out_of_order", expected: 1 };
    if (isOurs && total === this.#upload?.total) {
      const { length } = this.#upload.chunks;
      if (number === length || (this.#isOpen && number === length + 1)) return undefined;
    }
    return this.#outOfOrder();
  }

  get #isOpen(): boolean {
    return this.#upload !== undefined && this.#upload.answer === undefined;
  }

  get #isSlow(): boolean {
    if (!this.#upload || this.#upload.client.transport === "usb") return false;
    const elapsedMs = this.#nowMs - this.#upload.windowMs;
    return elapsedMs >= SETTLED_MS && this.#upload.windowBytes < USUAL_BYTES_PER_MS * elapsedMs;
  }

  #begin(client: Client, total: number, body: string): Expected {
    const before = this.#upload;
    const isAgain = before && this.#isOpen && isSame(before.client, client);
    const upload: Accepted = {
      client,
      total,
      chunks: [],
      answer: undefined,
      atMs: 0,
      reachedBytes: isAgain ? before.reachedBytes : body.length,
      windowBytes: isAgain ? before.windowBytes : body.length,
      windowMs: isAgain ? before.windowMs : this.#nowMs,
    };
    this.#upload = upload;
    return this.#accept(upload, body);
  }

  #accept(upload: Accepted, body: string): Expected {
    upload.chunks.push(body);
    upload.atMs = this.#nowMs;
    const content = upload.chunks.join("");
    const isTooLong = content.length + upload.total - upload.chunks.length > LIMIT_BYTES;
    upload.answer = isTooLong ? { status: 413, code: "file_too_large" } : verdict(body);
    if (!upload.answer && upload.chunks.length === upload.total)
      upload.answer = { status: 200, body: { content } };
    return upload.answer ?? progress(upload.chunks);
  }

  #outOfOrder(): Expected {
    const expected = this.#isOpen ? (this.#upload?.chunks.length ?? 0) + 1 : 1;
    return { status: 409, code: "chunk_out_of_order", expected };
  }
}

function verdict(body: string): Expected | undefined {
  return body.includes(REFUSED_BYTE) ? { status: 507, code: "storage_full" } : undefined;
}

function isSame(one: Client, other: Client): boolean {
  return one.kind === other.kind && one.transport === other.transport;
}

function progress(chunks: readonly string[]): Expected {
  return { status: 206, body: { received_bytes: chunks.join("").length, next: chunks.length + 1 } };
}
