/**
 * Follows the log of a console in the network: over its WebSocket, or by polling if none can be opened (the browser
 * blocks it, or the console has no memory for it).
 *
 *     requesting the port ──> opening ──> open ──> lost: reopened later
 *                                └──> failed: polls from then on
 */
import type { SystemInfo } from "../protocol/device/answers.js";
import type { ClientClock } from "./clock.js";
import { ContinuedLog } from "./continued-log.js";
import type { HttpPort } from "./http-port.js";
import { LOG_RETRY_MS, POLL_INTERVAL_MS } from "./limits.js";
import { LogPoll } from "./log-poll.js";

export interface HttpLogOptions {
  readonly port: HttpPort;
  readonly clock: ClientClock;
  readonly onLine: (line: string) => void;
  /** `GET path`. @throws {DeviceError} */
  readonly request: <Body>(path: string, parameters?: Readonly<Record<string, string>>) => Promise<Body>;
  readonly socketUrl: (port: number) => string;
}

/** Port of consoles that do not report one (docs/spec/management-api.md#ws-port). */
const SOCKET_PORT = 8081;

export class HttpLog {
  readonly #options: HttpLogOptions;
  readonly #lines: ContinuedLog;
  #socket: { close(): void } | undefined;
  #timer: object | undefined;
  #isClosed = false;

  /** Starts immediately; the first callback comes after the constructor has returned. */
  constructor(options: HttpLogOptions) {
    this.#options = options;
    this.#lines = new ContinuedLog(options.clock, options.onLine);
    this.#later(0, () => this.#begin());
  }

  /** No callback follows. */
  close(): void {
    this.#isClosed = true;
    this.#options.clock.clear(this.#timer);
    this.#socket?.close();
    this.#lines.close();
  }

  async #begin(): Promise<void> {
    const { port, request, socketUrl } = this.#options;
    try {
      const { ws_port = SOCKET_PORT } = port.openSocket ? await request<SystemInfo>("/api/system") : {};
      if (this.#isClosed) return;
      if (port.openSocket) this.#open(socketUrl(ws_port));
      else this.#poll(new LogPoll());
    } catch (error) {
      this.#retry(error, () => this.#begin());
    }
  }

  #open(url: string): void {
    let hasOpened = false;
    this.#socket = this.#options.port.openSocket?.(url, {
      onOpen: () => {
        hasOpened = true;
        this.#lines.begin();
      },
      onText: (text) => this.#show(text.split("\n").filter((line) => line !== "")),
      onClosed: () => {
        this.#socket = undefined;
        this.#lines.pause();
        if (hasOpened) this.#later(LOG_RETRY_MS, () => this.#begin());
        else this.#later(0, () => this.#poll(new LogPoll()));
      },
    });
  }

  async #poll(poll: LogPoll): Promise<void> {
    try {
      const { lines, isReplay } = await poll.next(this.#options.request);
      if (this.#isClosed) return;
      if (isReplay) this.#lines.begin();
      this.#show(lines);
      this.#later(POLL_INTERVAL_MS, () => this.#poll(poll));
    } catch (error) {
      this.#retry(error, () => this.#poll(poll));
    }
  }

  /** Errors are left to the owner of the transport. Retrying a wrong token would lock out the right one. */
  #retry(error: unknown, then: () => Promise<void>): void {
    if (Object(error).code !== "unauthorized") this.#later(LOG_RETRY_MS, then);
  }

  #show(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
  }

  #later(milliseconds: number, then: () => Promise<void>): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.set(() => void then(), milliseconds);
  }
}
