/**
 * HTTP/1.1 for the API (RFC 9110, RFC 9112): accepts connections up to a limit, and ends those whose
 * time is up. One timer serves all deadlines, and runs only while somebody is connected.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Memory } from "../../ports/memory.js";
import type { Tcp, TcpListener, TcpSocket } from "../../ports/tcp.js";
import type { Clock, Timer, TimerHandle } from "../../ports/timer.js";
import type { Api } from "../api/request.js";
import type { Logger } from "../logs/log.js";
import { AnswerEncoder } from "./answer-encoder.js";
import type { BearerGate } from "./bearer-gate.js";
import { Connection } from "./connection.js";
import { FrontDoor } from "./front-door.js";
import {
  BUSY_RETRY_AFTER_S,
  CONNECTION_LIMIT,
  READ_BYTES,
  SWEEP_INTERVAL_MS,
  TURNED_AWAY_LIMIT,
} from "./limits.js";
import { RecentHead } from "./recent-head.js";
import { CONTINUE } from "./response-head.js";
import type { Shared } from "./shared.js";

export interface HttpServerOptions {
  readonly tcp: Tcp;
  readonly api: Api;
  readonly timer: Timer;
  readonly clock: Clock;
  /** For long heads; left out: the heap. */
  readonly memory?: Memory;
  readonly log: Logger;
  /** 0 takes any free port. */
  readonly port: number;
  /** Local address to listen on; every address when left out. */
  readonly address?: string;
  /** Origins of pages elsewhere that may use the API, as browsers write them. */
  readonly allowedOrigins: readonly string[];
  readonly bearer: BearerGate;
}

export class HttpServer {
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #shared: Shared;
  readonly #served = new Set<Connection>();
  readonly #turnedAway = new Set<Connection>();
  readonly #listener: TcpListener;
  #sweep: TimerHandle | undefined;

  constructor(options: HttpServerOptions) {
    const { api, bearer, allowedOrigins, tcp, clock, memory, log, port, address } = options;
    this.#timer = options.timer;
    this.#clock = clock;
    const encoder = new TextEncoder();
    this.#shared = {
      tcp,
      api,
      clock,
      timer: options.timer,
      encoder,
      log,
      door: new FrontDoor({ api, bearer, rules: { allowedOrigins } }),
      answers: new AnswerEncoder(encoder),
      heads: new RecentHead(new TextDecoder()),
      memory,
      input: memory?.allocate(READ_BYTES).bytes ?? new Uint8Array(READ_BYTES),
      continueBytes: encoder.encode(CONTINUE),
      onClosed: (connection) => this.#forget(connection),
    };
    const listening = address === undefined ? { port } : { port, address };
    this.#listener = new tcp.Listener({ ...listening, onReadable: () => this.#accept() });
  }

  /** The port in use. */
  get port(): number {
    return this.#listener.port;
  }

  /** Stops listening and ends every connection. May be called twice. */
  close(): void {
    this.#listener.close();
    for (const connection of [...this.#served, ...this.#turnedAway]) connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #accept(): void {
    let socket = this.#listener.read();
    while (socket) {
      this.#admit(socket);
      socket = this.#listener.read();
    }
  }

  #admit(socket: TcpSocket): void {
    if (this.#served.size < CONNECTION_LIMIT) this.#served.add(new Connection(this.#shared, socket));
    else if (this.#turnedAway.size < TURNED_AWAY_LIMIT) this.#turnAway(socket);
    else socket.close();
    this.#sweep ??= this.#timer.repeat(() => this.#checkDeadlines(), SWEEP_INTERVAL_MS);
  }

  #turnAway(socket: TcpSocket): void {
    const connection = new Connection(this.#shared, socket);
    this.#turnedAway.add(connection);
    connection.turnAway(
      new Fault("busy", `All ${CONNECTION_LIMIT} connections are in use`, {
        details: { retry_after_s: BUSY_RETRY_AFTER_S },
      }),
    );
  }

  #checkDeadlines(): void {
    const nowMs = this.#clock.uptimeMs();
    for (const connection of this.#served) connection.checkDeadline(nowMs);
    for (const connection of this.#turnedAway) connection.checkDeadline(nowMs);
  }

  #forget(connection: Connection): void {
    this.#served.delete(connection);
    this.#turnedAway.delete(connection);
    if (this.#served.size + this.#turnedAway.size > 0) return;
    this.#timer.clear(this.#sweep);
    this.#sweep = undefined;
  }
}
