/** The transport to a console at a serial port (docs/spec/usb.md#framing). */
import { SUGGESTED_CHUNK_BYTES } from "../protocol/limits.js";
import { decodeBase64 } from "./base64.js";
import { type ClientClock, systemClock } from "./clock.js";
import { bodyOf } from "./device.js";
import { DeviceError, deviceErrorOf } from "./device-error.js";
import { RestartDetector } from "./heartbeat.js";
import type { SerialStream } from "./host-ports.js";
import { CHUNK_ATTEMPTS, CHUNK_TIMEOUT_MS, REMEMBERED_LINES } from "./limits.js";
import { ContinuedLog } from "./log-continuation.js";
import {
  ANSWER_TIMEOUT_MS,
  type DeviceAnswer,
  type DeviceRequest,
  type FileUpload,
  type MediaRequest,
  type Transport,
  WORK_TIMEOUT_MS,
} from "./transport.js";
import type { UsbChunk, UsbRequest } from "./usb-messages.js";
import { UsbSession } from "./usb-session.js";

const STATUS_PATH = "/api/status";

export class UsbTransport implements Transport {
  readonly kind = "usb";
  readonly isOwner = true;
  readonly address: string;
  readonly closed: Promise<Error | undefined>;
  readonly #session: UsbSession;
  readonly #restarts: RestartDetector;
  readonly #log = new LogBroadcast();
  readonly #lines: ContinuedLog;
  readonly #statusListeners = new Set<(status: unknown) => void>();

  /** @param stream owned by the transport from now on: `close` closes it */
  constructor(stream: SerialStream, clock: ClientClock = systemClock) {
    this.address = stream.address;
    this.#restarts = new RestartDetector(clock);
    this.#lines = new ContinuedLog(clock, (line) => this.#log.push(line));
    this.#session = new UsbSession({
      stream,
      clock,
      onLog: (line) => this.#lines.push(line),
      onStatus: (status) => this.#handleStatus(status),
      onAnswer: (request, answer, sentAtMs) => this.#handleAnswer(request, answer, sentAtMs),
    });
    this.closed = this.#session.closed;
    this.closed.then(() => this.#lines.pause());
  }

  /** Number of lines that were no message of a console. */
  get skippedLines(): number {
    return this.#session.skippedLines;
  }

  request({ timeoutMs = ANSWER_TIMEOUT_MS, ...request }: DeviceRequest): Promise<DeviceAnswer> {
    return this.#session.perform({ timeoutMs, ...request });
  }

  async upload(upload: FileUpload): Promise<DeviceAnswer> {
    const { file, onProgress, signal } = upload;
    if (signal?.aborted) throw new DeviceError("cancelled", `The upload to ${upload.path} was cancelled`);
    for (const chunk of chunksOf(file)) {
      const isLast = chunk.number === chunk.total;
      if (isLast) onProgress?.(file.length); // the answer comes only after the console has processed the file
      const answer = await this.#sendChunk(upload, chunk).catch((error) => this.#fail(error, upload));
      if (isLast || answer.status !== 206) return answer;
      onProgress?.(chunk.number * SUGGESTED_CHUNK_BYTES);
    }
    throw new Error("A file must have at least one chunk");
  }

  async media({ format, ...request }: MediaRequest): Promise<Uint8Array> {
    const { [format]: base64 } = Object(bodyOf(await this.request({ method: "GET", ...request })));
    try {
      return decodeBase64(String(base64));
    } catch (cause) {
      throw new DeviceError("answer_invalid", "The console's answer is no picture or sound", { cause });
    }
  }

  followLog(onLine: (line: string) => void): () => void {
    return this.#log.follow(onLine);
  }

  onStatus(listener: (status: unknown) => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  close(): Promise<void> {
    return this.#end();
  }

  /** @param error that `closed` resolves with */
  #end(error?: DeviceError): Promise<void> {
    this.#lines.close();
    this.#log.close();
    this.#statusListeners.clear();
    return this.#session.close(error);
  }

  /** Sends a chunk again if its answer is lost: the console stores it only once. */
  async #sendChunk(upload: FileUpload, chunk: UsbChunk): Promise<DeviceAnswer> {
    const { path, signal } = upload;
    const isLast = chunk.number === chunk.total;
    const timeoutMs = isLast ? WORK_TIMEOUT_MS : CHUNK_TIMEOUT_MS;
    const parameters = isLast || chunk.number === 1 ? upload.parameters : undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#session.perform({ method: "POST", path, parameters, chunk, timeoutMs, signal });
      } catch (error) {
        const mayTryAgain = deviceErrorOf(error, "device_lost", "").code === "device_timeout";
        if (!mayTryAgain || attempt === CHUNK_ATTEMPTS) throw error;
      }
    }
  }

  /** Closes the transport: over USB, only a disconnected host makes the console end an upload. */
  async #fail(error: unknown, { path }: FileUpload): Promise<never> {
    const reason = deviceErrorOf(error, "device_lost", `The upload to ${path} failed`);
    if (reason.code === "cancelled") await this.#end(reason);
    throw reason;
  }

  #handleStatus(status: unknown): void {
    for (const listener of [...this.#statusListeners]) listener(status);
  }

  /** A restarted console replays its log after it has answered this. */
  #handleAnswer({ method, path }: UsbRequest, { status, body }: DeviceAnswer, sentAtMs: number): void {
    const isDiscovery = method === "GET" && path === STATUS_PATH && status === 200;
    if (isDiscovery && this.#restarts.hasRestarted(body, sentAtMs)) this.#lines.begin();
  }
}

function* chunksOf(file: Uint8Array): Generator<UsbChunk> {
  const total = Math.max(1, Math.ceil(file.length / SUGGESTED_CHUNK_BYTES));
  for (let number = 1; number <= total; number++) {
    const start = (number - 1) * SUGGESTED_CHUNK_BYTES;
    yield { number, total, bytes: file.subarray(start, start + SUGGESTED_CHUNK_BYTES) };
  }
}

/** Broadcasts one log to any number of followers. Each new follower first receives the latest lines. */
class LogBroadcast {
  #kept: string[] = [];
  readonly #followers = new Set<(line: string) => void>();

  push(line: string): void {
    this.#kept.push(line);
    if (this.#kept.length > 2 * REMEMBERED_LINES) this.#kept = this.#kept.slice(-REMEMBERED_LINES);
    for (const onLine of [...this.#followers]) onLine(line);
  }

  /** @returns a function that stops following */
  follow(onLine: (line: string) => void): () => void {
    let isFollowing = true;
    // In a later turn, so that no callback runs inside the call that caused it.
    Promise.resolve().then(() => {
      for (const line of [...this.#kept]) if (isFollowing) onLine(line);
      if (isFollowing) this.#followers.add(onLine);
    });
    return () => {
      isFollowing = false;
      this.#followers.delete(onLine);
    };
  }

  /** Stops all notifications. */
  close(): void {
    this.#followers.clear();
    this.#kept = [];
  }
}
