/**
 * Multipart uploads (RFC 7578), held in memory while they are received and checked. The bytes that a process holds are
 * bounded, with a share per publisher: further uploads wait, with their bodies unread.
 */
import { createHash } from "node:crypto";
import type { Multipart, MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { Fault, type FaultCode } from "../../protocol/fault.js";
import { FairSemaphore } from "./fair-semaphore.js";

/** The fields of a form. Other fields and files are ignored. */
export interface UploadForm {
  /** Name of the file, which is required. */
  readonly file: string;
  /** Files that may have this name; one by default. */
  readonly count?: number;
  /** Names of optional texts. */
  readonly texts: readonly string[];
  readonly limitBytes: number;
  /** The fault for a larger file. */
  readonly tooLarge: FaultCode;
}

export interface Upload {
  /** Of the first file. */
  readonly bytes: Uint8Array;
  /** 32 bytes. */
  readonly sha256: Uint8Array;
  /** All files of the form's name, in their order. */
  readonly files: readonly Uint8Array[];
  readonly texts: Readonly<Record<string, string | undefined>>;
}

const MIB = 1024 * 1024;

/** Memory for files that are received or checked: four firmware bundles (docs/spec/hub-api.md#upload-room). */
const CAPACITY_BYTES = 64 * MIB;

/** Share of one publisher: one firmware bundle, two packages of the largest size, or many small ones. */
const SHARE_BYTES = 16 * MIB;

/** Minimum for a connection and its form, however small the file: 128 at a time, 32 per publisher. */
const MIN_BYTES = MIB / 2;

/** Waiting uploads, whose bodies stay in their sockets. */
const QUEUE_LIMIT = 128;
const QUEUE_SHARE = 32;

/** Concurrent checks: even a small package may unpack to 8 MiB, and a check keeps the process busy. */
const CHECKS_LIMIT = 4;

/** A client that sends nothing for this long during an upload loses its place to others. */
const SILENCE_LIMIT_MS = 30_000;

/**
 * While others wait, an upload below this rate over the last {@link PACE_WINDOW_MS} loses its place to them: half a
 * megabit, with which the largest file takes as long as a whole request may (docs/spec/hub-api.md#upload-room).
 */
const PACE_BYTES_PER_S = 64 * 1024;
const PACE_WINDOW_MS = 10_000;

/** Shorter than the clients' timeout, and than the timeout of a whole request. */
const QUEUE_TIMEOUT_MS = 60_000;

/** About the time to receive some megabytes. */
const RETRY_AFTER_S = 2;

/** Files of a form, including ignored ones. */
const FILES_LIMIT = 4;

/** Other limits in tests. */
export interface UploadLimits {
  readonly capacityBytes: number;
  readonly shareBytes: number;
  readonly silenceMs: number;
  readonly timeoutMs: number;
  readonly paceWindowMs: number;
}

export class Uploads {
  readonly #silenceMs: number;
  readonly #paceWindowMs: number;
  readonly #receiving: FairSemaphore;
  readonly #checking: FairSemaphore;

  constructor({
    capacityBytes = CAPACITY_BYTES,
    shareBytes = SHARE_BYTES,
    silenceMs = SILENCE_LIMIT_MS,
    timeoutMs = QUEUE_TIMEOUT_MS,
    paceWindowMs = PACE_WINDOW_MS,
  }: Partial<UploadLimits> = {}) {
    const common = { timeoutMs, createError: busy };
    this.#silenceMs = silenceMs;
    this.#paceWindowMs = paceWindowMs;
    this.#receiving = new FairSemaphore({
      ...common,
      capacity: capacityBytes,
      share: shareBytes,
      queueLimit: QUEUE_LIMIT,
      queueShare: QUEUE_SHARE,
    });
    this.#checking = new FairSemaphore({
      ...common,
      capacity: CHECKS_LIMIT,
      share: CHECKS_LIMIT,
      queueLimit: Infinity,
      queueShare: Infinity,
    });
  }

  /**
   * Receives the form of a request and calls `use` with its file, once there is capacity for it.
   * @param owner the publisher, whose uploads share a part of the capacity
   * @throws {Fault} `busy`, `media_type_unsupported`, `multipart_invalid`, `form.tooLarge`
   */
  async receive<Result>(
    request: FastifyRequest,
    owner: string,
    form: UploadForm,
    use: (upload: Upload) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#holding(
        this.#receiving,
        request,
        { owner, size: sizeOf(request, form) },
        async () => {
          const upload = await this.#receive(request, form);
          return this.#holding(this.#checking, request, { owner, size: 1 }, () => use(upload));
        },
      );
    } finally {
      drain(request);
    }
  }

  async #receive(request: FastifyRequest, form: UploadForm): Promise<Upload> {
    const timer = this.#watchPace(request);
    try {
      return await receive(request, form, this.#silenceMs);
    } finally {
      clearInterval(timer);
    }
  }

  /** Disconnects a client that is slow while others wait for its place. */
  #watchPace({ raw, log }: FastifyRequest): NodeJS.Timeout {
    const windowMs = this.#paceWindowMs;
    let readBefore = raw.socket.bytesRead;
    return setInterval(() => {
      const received = raw.socket.bytesRead - readBefore;
      readBefore += received;
      if (!this.#receiving.isContended || received * 1000 >= PACE_BYTES_PER_S * windowMs) return;
      log.info({ bytes: received, window_ms: windowMs }, "an upload was too slow while others waited");
      raw.destroy();
    }, windowMs);
  }

  async #holding<Result>(
    semaphore: FairSemaphore,
    { raw: { socket } }: FastifyRequest,
    asked: { readonly owner: string; readonly size: number },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const gone = new AbortController();
    const onClose = () => gone.abort(new Fault("multipart_invalid", "The client has disconnected"));
    socket.once("close", onClose);
    const release = await semaphore.take(asked, gone.signal).finally(() => socket.off("close", onClose));
    try {
      return await work();
    } finally {
      release();
    }
  }
}

/** Memory that the request may need: its Content-Length, or the limit for a chunked one. */
function sizeOf({ headers }: FastifyRequest, { limitBytes, count = 1 }: UploadForm): number {
  const bytes = Number(headers["content-length"] ?? limitBytes * count);
  return Math.max(MIN_BYTES, Math.min(bytes, limitBytes * count));
}

async function receive(request: FastifyRequest, form: UploadForm, silenceMs: number): Promise<Upload> {
  const reader = new FormReader(form);
  request.raw.setTimeout(silenceMs, () => request.raw.destroy());
  try {
    const limits = { fileSize: form.limitBytes, files: Math.max(FILES_LIMIT, form.count ?? 1) };
    for await (const part of request.parts({ limits })) await reader.take(part);
    return reader.end();
  } catch (error) {
    throw asFault(error, form);
  } finally {
    request.raw.setTimeout(0);
  }
}

class FormReader {
  readonly #form: UploadForm;
  readonly #texts: Record<string, string | undefined> = {};
  readonly #files: Pick<Upload, "bytes" | "sha256">[] = [];

  constructor(form: UploadForm) {
    this.#form = form;
  }

  async take(part: Multipart): Promise<void> {
    if (part.type === "file") await this.#takeFile(part);
    else if (part.fieldname === this.#form.file)
      throw new Fault("multipart_invalid", `"${part.fieldname}" is text, but must be a file`);
    else if (this.#form.texts.includes(part.fieldname)) this.#takeText(part.fieldname, part);
  }

  end(): Upload {
    const [first] = this.#files;
    if (!first) throw new Fault("multipart_invalid", `The form has no file "${this.#form.file}"`);
    return { ...first, files: this.#files.map(({ bytes }) => bytes), texts: this.#texts };
  }

  #takeText(name: string, part: Exclude<Multipart, MultipartFile>): void {
    if (this.#texts[name] !== undefined) throw twice(name);
    if (typeof part.value !== "string") throw new Fault("multipart_invalid", `"${name}" is not text`);
    if (part.valueTruncated) throw new Fault("multipart_invalid", `"${name}" is too long`);
    this.#texts[name] = part.value;
  }

  async #takeFile({ fieldname, file }: MultipartFile): Promise<void> {
    const isWanted = fieldname === this.#form.file;
    if (isWanted && this.#files.length >= (this.#form.count ?? 1)) throw tooOften(fieldname, this.#form);
    if (this.#form.texts.includes(fieldname))
      throw new Fault("multipart_invalid", `"${fieldname}" is a file, but must be text`);
    const chunks: Buffer[] = [];
    const hash = createHash("sha256");
    for await (const chunk of file) {
      if (file.truncated) throw tooLarge(this.#form);
      if (!isWanted) continue;
      hash.update(chunk);
      chunks.push(chunk);
    }
    if (file.truncated) throw tooLarge(this.#form);
    if (isWanted) this.#files.push({ bytes: Buffer.concat(chunks), sha256: hash.digest() });
  }
}

/** Reads the rest of a rejected upload, so that the client gets to read the answer. */
function drain({ raw }: FastifyRequest): void {
  if (raw.readableEnded) return;
  raw.unpipe();
  raw.resume();
}

/** Converts the parser's errors. Only those about its limits have a code. */
function asFault(error: unknown, form: UploadForm): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  const { code } = error as { readonly code?: unknown };
  if (code === "FST_REQ_FILE_TOO_LARGE") return tooLarge(form);
  if (code !== undefined) return error;
  return new Fault("multipart_invalid", `Cannot read the form: ${error.message}`, { cause: error });
}

function tooLarge({ file, limitBytes, tooLarge: code }: UploadForm): Fault {
  return new Fault(code, `Cannot accept a "${file}" of more than ${limitBytes} bytes`);
}

function tooOften(name: string, { count = 1 }: UploadForm): Fault {
  if (count === 1) return twice(name);
  return new Fault("multipart_invalid", `"${name}" occurs more than ${count} times`);
}

function twice(name: string): Fault {
  return new Fault("multipart_invalid", `"${name}" occurs twice`);
}

function busy(): Fault {
  return new Fault("busy", "The hub is receiving too many files", {
    details: { retry_after_s: RETRY_AFTER_S },
  });
}
