/**
 * Follows the log of a console in the network: over its WebSocket, or by polling if none can be opened (the browser
 * blocks it, or the console has no memory for it).
 *
 *     requesting the port ──> opening ──> open ──> lost: reopened later
 *                                └──> failed: polls from then on
 */
import type { LogPage, SystemInfo } from "../protocol/device/answers.js";
import type { ClientClock } from "./clock.js";
import type { HttpPort } from "./host-ports.js";
import { LOG_RETRY_MS, POLL_INTERVAL_MS } from "./limits.js";
import { ContinuedLog } from "./log-continuation.js";

interface HttpLogOptions {
  readonly port: HttpPort;
  readonly clock: ClientClock;
  readonly onLine: (line: string) => void;
  /** `GET path`. @throws {DeviceError} */
  readonly request: <Body>(path: string, parameters?: Readonly<Record<string, string>>) => Promise<Body>;
  readonly socketUrl: (port: number) => string;
}

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
      const url = port.openSocket && socketUrl((await request<SystemInfo>("/api/system")).ws_port);
      if (this.#isClosed) return;
      if (url === undefined) this.#poll(new LogPoll());
      else this.#open(url);
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

interface LogPortion {
  readonly lines: readonly string[];
  /** Whether `lines` are the console's whole buffer, known lines included. */
  readonly isReplay: boolean;
}

type Request = <Body>(path: string, parameters?: Readonly<Record<string, string>>) => Promise<Body>;

const PATH = "/api/logs";

/**
 * Finds the new lines in answers of `GET /api/logs`. Line numbers start anew at each start of the console, so a
 * number alone does not reveal a restart: each request also fetches the previous line, which must be unchanged.
 */
class LogPoll {
  #last: { readonly line: string; readonly number: number } | undefined;

  /** @throws {DeviceError} as `request` does; may be called again afterwards */
  async next(request: Request): Promise<LogPortion> {
    const last = this.#last;
    if (!last) return this.#read(await request<LogPage>(PATH), true);
    const page = await request<LogPage>(PATH, { since: String(last.number) });
    const goesOn = page.dropped === 0 && page.lines[0] === last.line;
    return goesOn ? this.#read(page, false) : this.#read(await request<LogPage>(PATH), true);
  }

  #read({ lines, next }: LogPage, isReplay: boolean): LogPortion {
    const line = lines.at(-1);
    this.#last = line === undefined ? undefined : { line, number: next - 1 };
    return { lines: isReplay ? lines : lines.slice(1), isReplay };
  }
}
