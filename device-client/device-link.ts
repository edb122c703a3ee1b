/**
 * A link to one console that survives restarts, unplugged cables and network loss. link-state.ts has its states and
 * transitions; this file sets timers, and opens and closes connections.
 *
 * A heartbeat detects what no event reports: that HTTP requests are no longer answered, and that the console has
 * restarted behind a port that stayed open. The link then reopens everything, since all its data may be out of date.
 * Over USB a heartbeat queues between the chunks of a file, and its time-out starts when it is sent.
 */
import type { DeviceStatus } from "../protocol/device/answers.js";
import { type ClientClock, systemClock } from "./clock.js";
import { bodyOf, Device, identifyConsole } from "./device.js";
import { DeviceError, deviceErrorOf } from "./device-error.js";
import { HeartbeatMonitor, RestartDetector } from "./heartbeat.js";
import { HEARTBEAT_INTERVAL_MS, HEARTBEAT_TIMEOUT_MS, RETRY_FIRST_MS, RETRY_LAST_MS } from "./limits.js";
import { advanceLink, type LinkEvent, type LinkState } from "./link-state.js";
import { ContinuedLog } from "./log-continuation.js";
import type { Transport } from "./transport.js";

export interface DeviceLinkOptions {
  /**
   * Opens a transport to the console, again after each loss. The link closes it.
   * @throws {DeviceError}
   */
  readonly open: (signal: AbortSignal) => Promise<Transport>;
  /** Called after each change of {@link DeviceLink.state} except by `close`, after which no callback follows. */
  readonly onState?: (state: LinkState) => void;
  /** Called every few seconds while ready, and whenever the console sends its status. */
  readonly onStatus?: (status: DeviceStatus) => void;
  /** While ready: false when a heartbeat has had no answer for 3 s, true again once it is answered or abandoned. */
  readonly onAnswering?: (isAnswering: boolean) => void;
  /** Receives each line of the log once, across reconnects, buffered lines first. Left out: the log is not followed. */
  readonly onLine?: (line: string) => void;
  readonly clock?: ClientClock;
}

/** An open transport with its followers. */
interface Connection {
  readonly transport: Transport;
  readonly restarts: RestartDetector;
  /** Stop the followers of log and status. */
  readonly endings: (() => void)[];
}

export class DeviceLink {
  /** Resolves once the link has ended for good: with the error, or with `undefined` after `close`. */
  readonly ended: Promise<DeviceError | undefined>;
  #reportEnd: (why: DeviceError | undefined) => void = () => {};
  readonly #options: DeviceLinkOptions;
  readonly #clock: ClientClock;
  /** Set if the log is followed. */
  readonly #lines: ContinuedLog | undefined;
  readonly #silence: HeartbeatMonitor;
  readonly #closed = new AbortController();
  #state: LinkState = { phase: "connecting" };
  #started: Promise<void> | undefined;
  #connection: Connection | undefined;
  #closing: Promise<void> = Promise.resolve();
  #timer: object | undefined;
  #attempt: Promise<void> | undefined;
  #failures = 0;

  constructor(options: DeviceLinkOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.ended = new Promise((resolve) => {
      this.#reportEnd = resolve;
    });
    this.#silence = new HeartbeatMonitor(this.#clock, (isAnswering) => {
      if (!this.#isClosed) options.onAnswering?.(isAnswering);
    });
    this.#lines = options.onLine && new ContinuedLog(this.#clock, options.onLine);
  }

  get state(): LinkState {
    return this.#state;
  }

  /**
   * Connects, and from then on reconnects by itself. Further calls do nothing.
   * @returns resolves once the link is ready
   * @throws {DeviceError} if the first attempt fails, which ends the link; `cancelled` after `close`
   */
  start(): Promise<void> {
    this.#started ??= this.#try().then(() => {
      if (this.#state.phase === "ended") throw this.#state.error ?? closed();
    });
    return this.#started;
  }

  /** While waiting: starts the next attempt now. */
  retryNow(): void {
    if (this.#state.phase !== "waiting" || this.#attempt) return;
    this.#failures = 0;
    this.#wait(0, () => this.#try());
  }

  /** Ends the link for good. May be called twice; resolves once others can open the console. */
  close(): Promise<void> {
    this.#state = advanceLink(this.#state, { kind: "closed" });
    this.#closed.abort();
    this.#reportEnd(undefined);
    this.#clock.clear(this.#timer);
    this.#lines?.close();
    this.#disconnect();
    return this.#waitUntilClosed();
  }

  /** Waits for a running attempt, which may still open a transport. */
  async #waitUntilClosed(): Promise<void> {
    await this.#attempt;
    await this.#closing;
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Makes one attempt and applies its result. */
  #try(): Promise<void> {
    this.#attempt = this.#connect().then((event) => {
      this.#attempt = undefined;
      if (this.#isClosed) this.#disconnect();
      else this.#apply(event);
    });
    return this.#attempt;
  }

  async #connect(): Promise<LinkEvent> {
    try {
      await this.#closing; // the lost connection may still hold the port
      const { signal } = this.#closed;
      const transport = await this.#options.open(signal);
      const restarts = new RestartDetector(this.#clock);
      this.#connection = { transport, restarts, endings: [] };
      const sentAtMs = this.#clock.uptimeMs();
      restarts.hasRestarted(await identifyConsole(transport, signal), sentAtMs);
      const device = new Device(transport);
      const system = await device.system(signal);
      return { kind: "opened", device, system };
    } catch (error) {
      return {
        kind: "failed",
        error: deviceErrorOf(error, "device_unreachable", "Cannot reach the console"),
      };
    }
  }

  /** Changes the state and starts its actions. */
  #apply(event: LinkEvent): void {
    this.#state = advanceLink(this.#state, event);
    if (this.#state.phase === "ready") this.#begin(this.#connection as Connection);
    else this.#disconnect();
    if (this.#state.phase === "waiting") this.#retryLater();
    this.#options.onState?.(this.#state);
    if (this.#state.phase === "ended") this.#reportEnd(this.#state.error);
  }

  #begin(connection: Connection): void {
    this.#failures = 0;
    const { transport, endings } = connection;
    transport.closed.then((error) => {
      if (connection === this.#connection) this.#lose(error ?? new Error("The connection was closed"));
    });
    endings.push(transport.onStatus((status) => this.#options.onStatus?.(status as DeviceStatus)));
    if (this.#lines) endings.push(this.#followLog(transport, this.#lines));
    this.#wait(0, () => this.#beat(connection));
  }

  #followLog(transport: Transport, lines: ContinuedLog): () => void {
    lines.begin();
    const end = transport.followLog((line) => lines.push(line));
    return () => {
      lines.pause();
      end();
    };
  }

  async #beat(connection: Connection): Promise<void> {
    // Over USB it may queue behind a request whose answer a restart has dropped. That time must not count as time that
    // the console has run: as long as its uptime before the restart, it would hide the restart.
    let sentAtMs = this.#clock.uptimeMs();
    const onSent = () => {
      sentAtMs = this.#clock.uptimeMs();
    };
    this.#silence.begin();
    try {
      const status = await heartbeatOf(connection.transport, onSent);
      if (connection !== this.#connection) return;
      if (connection.restarts.hasRestarted(status, sentAtMs))
        return this.#lose(new DeviceError("device_lost", "The console has restarted"));
      this.#options.onStatus?.(status);
    } catch (error) {
      if (connection !== this.#connection) return;
      const reason = deviceErrorOf(error, "device_lost", "The console does not answer");
      // An error response is an answer: the console is reachable.
      if (reason.status === undefined || reason.code === "unauthorized") return this.#lose(reason);
    }
    this.#silence.end();
    if (connection === this.#connection) this.#wait(HEARTBEAT_INTERVAL_MS, () => this.#beat(connection));
  }

  #lose(error: Error): void {
    this.#apply({
      kind: "lost",
      error: deviceErrorOf(error, "device_lost", "The connection to the console is lost"),
    });
  }

  #retryLater(): void {
    const delayMs = Math.min(RETRY_FIRST_MS * 2 ** this.#failures++, RETRY_LAST_MS);
    this.#wait(delayMs, () => this.#try());
  }

  #wait(milliseconds: number, then: () => Promise<void>): void {
    this.#clock.clear(this.#timer);
    this.#timer = this.#clock.set(() => void then(), milliseconds);
  }

  #disconnect(): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    this.#silence.end();
    for (const end of connection.endings) end();
    // A transport that fails to close is closed already.
    const closing = connection.transport.close().catch(() => {});
    this.#closing = Promise.all([this.#closing, closing]).then(() => {});
  }
}

async function heartbeatOf(transport: Transport, onSent: () => void): Promise<DeviceStatus> {
  const request = { method: "GET", path: "/api/status", timeoutMs: HEARTBEAT_TIMEOUT_MS, onSent } as const;
  return bodyOf(await transport.request(request));
}

function closed(): DeviceError {
  return new DeviceError("cancelled", "The connection was closed before it was ready");
}
