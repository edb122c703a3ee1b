/** A transport that reports its current work to an observer: uploads, and slow requests. */
import {
  ANSWER_TIMEOUT_MS,
  type DeviceAnswer,
  type DeviceRequest,
  type FileUpload,
  type MediaRequest,
  type Transport,
} from "../../device-client/transport.js";

export interface Occupation {
  readonly isUploading: boolean;
  /** A slow request is pending: the console may not answer other requests meanwhile. */
  readonly isWorking: boolean;
}

export class WatchedTransport implements Transport {
  readonly #transport: Transport;
  readonly #onOccupation: (occupation: Occupation) => void;
  #uploads = 0;
  #works = 0;

  constructor(transport: Transport, onOccupation: (occupation: Occupation) => void) {
    this.#transport = transport;
    this.#onOccupation = onOccupation;
  }

  get kind(): Transport["kind"] {
    return this.#transport.kind;
  }

  get address(): string {
    return this.#transport.address;
  }

  get isOwner(): boolean {
    return this.#transport.isOwner;
  }

  get closed(): Transport["closed"] {
    return this.#transport.closed;
  }

  async request(request: DeviceRequest): Promise<DeviceAnswer> {
    if ((request.timeoutMs ?? 0) <= ANSWER_TIMEOUT_MS) return this.#transport.request(request);
    this.#count(0, 1);
    try {
      return await this.#transport.request(request);
    } finally {
      this.#count(0, -1);
    }
  }

  async upload(upload: FileUpload): Promise<DeviceAnswer> {
    this.#count(1, 0);
    try {
      return await this.#transport.upload(upload);
    } finally {
      this.#count(-1, 0);
    }
  }

  #count(uploads: number, works: number): void {
    this.#uploads += uploads;
    this.#works += works;
    this.#onOccupation({ isUploading: this.#uploads > 0, isWorking: this.#works > 0 });
  }

  media(request: MediaRequest): Promise<Uint8Array> {
    return this.#transport.media(request);
  }

  followLog(onLine: (line: string) => void): () => void {
    return this.#transport.followLog(onLine);
  }

  onStatus(listener: (status: unknown) => void): () => void {
    return this.#transport.onStatus(listener);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
