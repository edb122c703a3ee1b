/** A file from the hub or from where it sends us, resumed where it was cut (RFC 9110 §14). */
import type { HubClientPorts } from "./ports.js";

export interface DownloadFacts {
  readonly sizeBytes: number;
  /** Of the whole file, hexadecimal, where the ETag is one. Nobody has checked it yet. */
  readonly sha256: string | undefined;
  /** `X-Svc-Signature`, as it was sent. Nobody has looked at it yet. */
  readonly signature: string | undefined;
}

export interface DownloadOptions {
  readonly ports: HubClientPorts;
  readonly url: string;
  readonly token: string;
  /** The only origin that the token is told to, as `HubAddress.origin` has it. */
  readonly tokenOrigin: string;
  /** Comes once, before any bytes. What it throws ends the download. */
  onHead?(facts: DownloadFacts): void;
  /** The next bytes in order, each once, reused once this returns. What it throws ends the download. */
  onBytes(bytes: Uint8Array): void;
}

export class Download {
  readonly #options: DownloadOptions;

  /** Begins at once; no callback runs inside. */
  constructor(options: DownloadOptions) {
    this.#options = options;
  }

  /**
   * Settles once all bytes were handed over, or with why they will not be: what a callback threw; `hub_unreachable`
   * after several tries without progress; `download_failed` where the file became another in between, or it was closed;
   * else what the server says (`app_retracted`, `hub_refused` …).
   */
  get finished(): Promise<DownloadFacts> {
    throw new Error(`not built ${this.#options}`);
  }

  /** Nothing more is read until `resume`; what was read already may still come, 4 KiB at most. */
  pause(): void {
    throw new Error("not built");
  }

  resume(): void {
    throw new Error("not built");
  }

  /** Stops it. May be called twice; no callback follows, and `finished` fails. */
  close(): void {
    throw new Error("not built");
  }
}
