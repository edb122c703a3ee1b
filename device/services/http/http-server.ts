/**
 * HTTP/1.1 for the API (RFC 9110, RFC 9112): accepts connections up to a limit, and ends those whose
 * time is up. One timer serves all deadlines, and runs only while a client is connected.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Tcp, TcpListener, TcpSocket } from "../../../protocol/ports/network.js";
import type { Clock, Memory, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Api } from "../api/request.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log-line.js";
import { Connection, type Shared } from "./connection.js";
import { type BearerAuthenticator, RequestGuard } from "./request-guard.js";
import { RecentHead } from "./request-head.js";
import { AnswerEncoder, CONTINUE, MemoryRefusal } from "./response.js";
import { crowdOf, holdsPlace, roomFor, SILENT_AFTER_MS } from "./room.js";

/** Bytes read from a socket at a time, in one buffer that all connections share: a flash sector. */
const READ_BYTES = 4096;

/** Connections served at a time (docs/spec/http.md#connection-limit); who gets the last of them is in `room.ts`. */
const CONNECTION_LIMIT = 8;

/** Connections beyond the limit that get a refusal at a time; further ones are closed without an answer. */
const TURNED_AWAY_LIMIT = 4;

/** Retry delay for a refused client. */
const BUSY_RETRY_AFTER_S = 1;

/** Polling interval of deadlines, for all connections together; a connection may end this much late. */
const SWEEP_INTERVAL_MS = 250;

interface HttpServerOptions {
  readonly tcp: Tcp;
  readonly api: Api;
  readonly timer: Timer;
  readonly clock: Clock;
  /** For long heads; left out: the heap. */
  readonly memory?: Memory;
  /** Asked before a connection is served; left out: there is always room. */
  readonly heap?: HeapAdmission;
  readonly log: Logger;
  /** 0 takes any free port. */
  readonly port: number;
  /** Local address to listen on; every address when left out. */
  readonly address?: string;
  /** Origins of pages elsewhere that may use the API, as browsers write them. */
  readonly allowedOrigins: readonly string[];
  readonly bearer: BearerAuthenticator;
}

export class HttpServer {
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #shared: Shared;
  readonly #served = new Set<Connection>();
  readonly #turnedAway = new Set<Connection>();
  /** Let in beside the promises of the heap. */
  #guest: Connection | undefined;
  readonly #listener: TcpListener;
  readonly #heap: HeapAdmission | undefined;
  readonly #refusal: MemoryRefusal;
  #sweep: TimerHandle | undefined;
  #sweptAtMs = 0;
  #admission: TimerHandle | undefined;

  constructor(options: HttpServerOptions) {
    const { api, bearer, allowedOrigins, tcp, clock, memory, log, port, address } = options;
    this.#timer = options.timer;
    this.#clock = clock;
    const encoder = new TextEncoder();
    this.#heap = options.heap;
    this.#refusal = new MemoryRefusal(tcp.Socket, encoder);
    this.#shared = {
      tcp,
      api,
      clock,
      timer: options.timer,
      encoder,
      log,
      door: new RequestGuard({ api, bearer, rules: { allowedOrigins } }),
      answers: new AnswerEncoder(encoder),
      heads: new RecentHead(new TextDecoder()),
      heap: options.heap,
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
    this.#refusal.close();
    this.#timer.clear(this.#admission);
    for (const connection of [...this.#served, ...this.#turnedAway]) connection.close();
  }

  /**
   * Ends every connection that is only kept alive. One that was used just now stays: its client may send the next
   * request at this moment, and would not know what has become of it.
   * @returns whether there was one
   */
  closeIdle(): boolean {
    const latestMs = this.#clock.uptimeMs() - SILENT_AFTER_MS;
    const idle = [...this.#served].filter(
      ({ idleSinceMs }) => idleSinceMs !== undefined && idleSinceMs <= latestMs,
    );
    for (const connection of idle) connection.close();
    return idle.length > 0;
  }

  /** Ends the connections of addresses that hold many; where none does, every connection. Goes on listening. */
  closeConnections(): void {
    const served = [...this.#served];
    const crowd = crowdOf(served);
    for (const connection of crowd.length > 0 ? crowd : served) connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #accept(): void {
    while (this.#served.size < CONNECTION_LIMIT - 1) {
      const socket = this.#listener.read();
      if (!socket) return;
      this.#admit(socket);
    }
    // Places are short: what has come on those that are held is read first, which shows which of them are idle.
    this.#admission ??= this.#timer.set(() => this.#admitAll(), 0);
  }

  #admitAll(): void {
    this.#admission = undefined;
    let socket = this.#listener.read();
    while (socket) {
      this.#admit(socket);
      socket = this.#listener.read();
    }
  }

  #admit(socket: TcpSocket): void {
    const hasRoom = this.#heap?.hasRoomToStay(HEAP_NEEDS.httpConnection) ?? true;
    if (!hasRoom && !this.#mayBeGuest(socket.remoteAddress)) {
      this.#refusal.refuse(socket);
      return;
    }
    if (this.#served.size >= CONNECTION_LIMIT) this.#checkDeadlines(); // also notes for how long nothing was read
    const room = roomFor(this.#served, socket.remoteAddress, CONNECTION_LIMIT);
    if (room && room !== "free") room.close();
    if (room) this.#serve(socket, hasRoom);
    else if (this.#turnedAway.size < TURNED_AWAY_LIMIT) this.#turnAway(socket);
    else socket.close();
    if (this.#sweep) return;
    this.#sweptAtMs = this.#clock.uptimeMs();
    this.#sweep = this.#timer.repeat(() => this.#checkDeadlines(), SWEEP_INTERVAL_MS);
  }

  #serve(socket: TcpSocket, hasRoom: boolean): void {
    const connection = new Connection(this.#shared, socket);
    if (!hasRoom) this.#guest = connection;
    this.#served.add(connection);
  }

  /**
   * One connection at a time, from an address that holds none, may take room that was promised to an upload: or one
   * machine's upload and half heads would keep all others out. The reserve is larger than it.
   */
  #mayBeGuest(address: string | undefined): boolean {
    if (this.#guest || !this.#heap?.hasRoom(HEAP_NEEDS.httpConnection)) return false;
    return !holdsPlace(this.#served, address);
  }

  #turnAway(socket: TcpSocket): void {
    const connection = new Connection(this.#shared, socket);
    this.#turnedAway.add(connection);
    connection.turnAway(
      new Fault("busy", "Too many connections", {
        details: { retry_after_s: BUSY_RETRY_AFTER_S },
      }),
    );
  }

  #checkDeadlines(): void {
    const nowMs = this.#clock.uptimeMs();
    const pausedMs = pauseWithin(nowMs - this.#sweptAtMs);
    this.#sweptAtMs = nowMs;
    for (const connection of this.#served) connection.checkDeadline(nowMs, pausedMs);
    for (const connection of this.#turnedAway) connection.checkDeadline(nowMs, pausedMs);
  }

  #forget(connection: Connection): void {
    if (this.#guest === connection) this.#guest = undefined;
    this.#served.delete(connection);
    this.#turnedAway.delete(connection);
    if (this.#served.size + this.#turnedAway.size > 0) return;
    this.#timer.clear(this.#sweep);
    this.#sweep = undefined;
  }
}

/** For how long the console has read nothing between two looks: one that comes late was held up, for instance by an erase. */
function pauseWithin(elapsedMs: number): number {
  const lateMs = Math.max(0, elapsedMs - SWEEP_INTERVAL_MS);
  return lateMs < SWEEP_INTERVAL_MS ? lateMs : elapsedMs;
}
