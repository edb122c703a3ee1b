/**
 * The interface of a transport to a console. USB and HTTP differ in framing and in how they detect a lost connection;
 * everything above (device.ts) sees requests, answers, files and lines.
 */

/** A request to one endpoint. */
export interface DeviceRequest {
  readonly method: "GET" | "POST";
  /** Such as `/api/status`, without a query. */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Time-out of the answer; default {@link ANSWER_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Stops waiting. The console still carries out a request that it has received. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the request leaves, over transports where it queues behind others. */
  readonly onSent?: (() => void) | undefined;
}

/** An answer with any status, errors included. */
export interface DeviceAnswer {
  readonly status: number;
  /** Parsed JSON. */
  readonly body: unknown;
}

/** Of the formats that a console answers in, over HTTP; over USB they are names of members. */
export const MEDIA_TYPES = Object.freeze({ png: "image/png", bmp: "image/bmp", wav: "audio/wav" });

/** A GET request for a picture or sound: the body of the answer over HTTP, base64 in a member over USB. */
export interface MediaRequest {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly format: keyof typeof MEDIA_TYPES;
  readonly signal?: AbortSignal | undefined;
}

/** A file to send to an endpoint. */
export interface FileUpload {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly file: Uint8Array;
  /**
   * Called with the number of bytes that have arrived or at least were sent. Once all are sent, the console may use the
   * file even if the upload is cancelled.
   */
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
  /**
   * Cancels the upload; the console discards it immediately. Over USB the console notices only a disconnected host, so
   * the transport closes too.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  readonly kind: "usb" | "http";
  /** Name in messages: `http://192.168.1.20:8080`; over USB the name of the stream. */
  readonly address: string;
  /**
   * Whether requests have the owner's rights (docs/spec/management-api.md#cable-owner): over USB, and with a bearer
   * token, which the console may still reject.
   */
  readonly isOwner: boolean;

  /**
   * @returns the console's answer, with any status
   * @throws {DeviceError} `device_timeout`, `device_lost`, `device_unreachable`, `not_a_console`, `cancelled`
   */
  request(request: DeviceRequest): Promise<DeviceAnswer>;

  /** Like `request`, for a file. @returns the answer to its last byte */
  upload(upload: FileUpload): Promise<DeviceAnswer>;

  /** @returns the image. @throws {DeviceError} the console's error, or as `request` does */
  media(request: MediaRequest): Promise<Uint8Array>;

  /**
   * Follows the log, buffered lines first, until the transport closes.
   * @returns a function that stops following
   */
  followLog(onLine: (line: string) => void): () => void;

  /** Follows the console's status events; over HTTP there are none. @returns a function that stops following */
  onStatus(listener: (status: unknown) => void): () => void;

  /** Resolves once the transport has ended: with the error that ended it, or with `undefined` after `close`. */
  readonly closed: Promise<Error | undefined>;

  /** May be called twice; pending requests end in `device_lost`. Resolves once others can open the console. */
  close(): Promise<void>;
}

/** Time-out of an answer that needs no long work. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** Time-out of an answer for which a board verifies, prepares and writes a file. */
export const WORK_TIMEOUT_MS = 60_000;
