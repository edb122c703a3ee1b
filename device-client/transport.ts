/**
 * The interface of a transport to a console. USB and HTTP differ in framing and in how they detect a lost connection;
 * everything above (device.ts) sees requests, answers, files and lines.
 */

/** One request of the table of endpoints. */
export interface DeviceRequest {
  readonly method: "GET" | "POST";
  /** Such as `/api/status`, without a query. */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** How long an answer may take; left out: {@link ANSWER_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Gives up waiting. What the console has got already, it does. */
  readonly signal?: AbortSignal | undefined;
}

/** Whatever the status is: what refuses, answers too. */
export interface DeviceAnswer {
  readonly status: number;
  /** Parsed JSON. */
  readonly body: unknown;
}

/** A file on its way to an endpoint that takes one. */
export interface FileUpload {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly file: Uint8Array;
  /**
   * Called with the bytes that have arrived, or at least have left, and with all of them once the last do. From then on the
   * console may do with the file what it is for, cancelled or not.
   */
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
  /**
   * Ends the upload; the console forgets it at once. Over USB it notices only that the cable is gone, so the transport
   * closes with it.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  readonly kind: "usb" | "http";
  /** What messages call it: `http://192.168.1.20:8080`; over USB what its stream is called. */
  readonly address: string;

  /**
   * @returns whatever the console answers
   * @throws {DeviceError} `device_timeout`, `device_lost`, `device_unreachable`, `not_a_console`, `cancelled`
   */
  request(request: DeviceRequest): Promise<DeviceAnswer>;

  /** As `request`, for a file, whose answer is that to its last byte. */
  upload(upload: FileUpload): Promise<DeviceAnswer>;

  /** What `GET /api/screen` shows, a PNG. A refusal throws what it says. */
  screen(signal?: AbortSignal): Promise<Uint8Array>;

  /**
   * Lines of the log as they come, those that the console has kept first. Ends with the transport.
   * @returns ends it
   */
  followLog(onLine: (line: string) => void): () => void;

  /** States as the console tells them by itself; over HTTP it tells none. @returns ends it */
  onStatus(listener: (status: unknown) => void): () => void;

  /** Settles once there is no more to be had of it: with the error that ended it, or with nothing after `close`. */
  readonly closed: Promise<Error | undefined>;

  /** May be called twice; requests under way end in `device_lost`. Settles once others can open it. */
  close(): Promise<void>;
}

/** How long an answer may take that needs no work. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** How long one may take for which a board verifies, prepares and writes what has come. */
export const WORK_TIMEOUT_MS = 60_000;
