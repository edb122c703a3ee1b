/**
 * A link to one console that survives restarts, unplugged cables and network loss; see link-state.ts for its states.
 * link-transition.ts makes the decisions; this file has the timers, and opens and closes connections.
 *
 * A heartbeat detects what no event reports: that HTTP no longer gets answers, and that the console has restarted
 * behind a port that stayed open. Then the link reopens everything, since all that it knew may have changed. Over USB a
 * heartbeat queues between the chunks of a file, and its time-out starts with its turn.
 */
import type { DeviceStatus } from "../protocol/device/answers.js";
import { type ClientClock, systemClock } from "./clock.js";
import { ContinuedLog } from "./continued-log.js";
import { bodyOf, Device, greet } from "./device.js";
import { DeviceError, deviceErrorOf } from "./device-error.js";
import { HeartbeatMonitor } from "./heartbeat-monitor.js";
import { HEARTBEAT_INTERVAL_MS, HEARTBEAT_TIMEOUT_MS, RETRY_FIRST_MS, RETRY_LAST_MS } from "./limits.js";
import type { LinkState } from "./link-state.js";
import { advanceLink, type LinkEvent } from "./link-transition.js";
import { RestartDetector } from "./restart-detector.js";
import type { Transport } from "./transport.js";

export interface DeviceLinkOptions {
  /**
   * Opens the way to the console, again after each loss. The link closes what it has opened.
   * @throws {DeviceError}
   */
  readonly open: (signal: AbortSignal) => Promise<Transport>;
  /** After each change of {@link DeviceLink.state}, but for `close`, after which nothing is called any more. */
  readonly onState?: (state: LinkState) => void;
  /** Every few seconds while ready, and whenever the console tells. */
  readonly onStatus?: (status: DeviceStatus) => void;
  /** While ready: false once a heartbeat has waited for its answer for 3 s, and true again once there is one, or it is given up. */
  readonly onAnswering?: (isAnswering: boolean) => void;
  /** Each line of the log once, over all losses; those first that the console has kept. Left out: not followed. */
  readonly onLine?: (line: string) => void;
  readonly clock?: ClientClock;
}

/** What is open, from the first byte to `close`. */
interface Connection {
  readonly transport: Transport;
  readonly restarts: RestartDetector;
  /** Ends what was begun on it. */
  readonly endings: (() => void)[];
}

export class DeviceLink {
  /** Settles once the link has ended for good: with why, or with nothing after `close`. */
  readonly ended: Promise<DeviceError | undefined>;
  #reportEnd: (why: DeviceError | undefined) => void = () => {};
  readonly #options: DeviceLinkOptions;
  readonly #clock: ClientClock;
  /** Where lines are wanted. */
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
   * Tries once, and goes on by itself from there. Only the first call does anything.
   * @returns settles once it is ready
   * @throws {DeviceError} of the first attempt, with which the link has ended; `cancelled` after `close`
   */
  start(): Promise<void> {
    this.#started ??= this.#try().then(() => {
      if (this.#state.phase === "ended") throw this.#state.error ?? closed();
    });
    return this.#started;
  }

  /** While waiting: tries at once, rather than when the next attempt is due. */
  retryNow(): void {
    if (this.#state.phase !== "waiting" || this.#attempt) return;
    this.#failures = 0;
    this.#wait(0, () => this.#try());
  }

  /** Ends it for good. May be called twice; settles once others can open the console. */
  close(): Promise<void> {
    this.#state = advanceLink(this.#state, { kind: "closed" });
    this.#closed.abort();
    this.#reportEnd(undefined);
    this.#clock.clear(this.#timer);
    this.#lines?.close();
    this.#disconnect();
    return this.#settle();
  }

  /** An attempt under way may still open something. */
  async #settle(): Promise<void> {
    await this.#attempt;
    await this.#closing;
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** One attempt, whatever comes of it. */
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
      await this.#closing; // what was lost may still hold the port
      const { signal } = this.#closed;
      const transport = await this.#options.open(signal);
      const restarts = new RestartDetector(this.#clock);
      this.#connection = { transport, restarts, endings: [] };
      const sentAtMs = this.#clock.uptimeMs();
      restarts.hasRestarted(await greet(transport, signal), sentAtMs);
      const device = new Device(transport);
      const system = await device.system(signal);
      return { kind: "opened", device, system };
    } catch (error) {
      return {
        kind: "failed",
        error: deviceErrorOf(error, "device_unreachable", "The console was not reached"),
      };
    }
  }

  /** Takes the state on, and does what belongs to it. */
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
      if (connection === this.#connection) this.#lose(error ?? new Error("It was closed"));
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
    const sentAtMs = this.#clock.uptimeMs();
    this.#silence.begin();
    try {
      const status = await heartbeatOf(connection.transport);
      if (connection !== this.#connection) return;
      if (connection.restarts.hasRestarted(status, sentAtMs))
        return this.#lose(new DeviceError("device_lost", "The console has restarted"));
      this.#options.onStatus?.(status);
    } catch (error) {
      if (connection !== this.#connection) return;
      const reason = deviceErrorOf(error, "device_lost", "The console does not answer");
      // A refusal is an answer: the console is there.
      if (reason.status === undefined || reason.code === "unauthorized") return this.#lose(reason);
    }
    this.#silence.end();
    if (connection === this.#connection) this.#wait(HEARTBEAT_INTERVAL_MS, () => this.#beat(connection));
  }

  #lose(error: Error): void {
    this.#apply({ kind: "lost", error: deviceErrorOf(error, "device_lost", "The console is lost") });
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
    // What cannot be closed is closed already.
    const closing = connection.transport.close().catch(() => {});
    this.#closing = Promise.all([this.#closing, closing]).then(() => {});
  }
}

async function heartbeatOf(transport: Transport): Promise<DeviceStatus> {
  const request = { method: "GET", path: "/api/status", timeoutMs: HEARTBEAT_TIMEOUT_MS } as const;
  return bodyOf(await transport.request(request));
}

function closed(): DeviceError {
  return new DeviceError("cancelled", "The connection was closed before it was ready");
}
