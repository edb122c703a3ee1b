/**
 * An HTTP/1.1 server (RFC 9110, RFC 9112) for any guard: accepts connections up to a limit, and enforces the time-outs
 * of their conversations with one timer, which runs only while there are some that have not left HTTP.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Tcp, TcpListener, TcpSocket } from "../../../protocol/ports/network.js";
import type { Clock, Memory, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Api } from "../api/request.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log-line.js";
import { Connection, type ConnectionShared } from "./connection.js";
import type { Conversation, Guard } from "./conversation.js";
import type { HttpCodec } from "./http-codec.js";
import { MemoryRefusal } from "./response.js";
import { crowdOf, holdsPlace, roomFor, SILENT_AFTER_MS } from "./room.js";

/** Connections served at a time (docs/spec/http.md#connection-limit); `room.ts` decides who gets the last. */
const CONNECTION_LIMIT = 8;

/** Connections beyond the limit that get an error response at a time; further ones are closed without a response. */
const REJECTED_LIMIT = 4;

/** Retry delay for a rejected client. */
const BUSY_RETRY_AFTER_S = 1;

/** Polling interval of all deadlines; a connection may end this much late. */
const SWEEP_INTERVAL_MS = 250;

export interface HttpServerOptions {
  readonly tcp: Tcp;
  /** Converts errors to answers. */
  readonly api: Pick<Api, "answerTo">;
  readonly guard: Guard;
  readonly timer: Timer;
  readonly clock: Clock;
  /** Shared with other servers; remains open. */
  readonly codec: HttpCodec;
  /** Buffers for long heads; default: the heap. */
  readonly memory?: Memory;
  /** Admits connections; left out: memory is unlimited. */
  readonly heap?: HeapAdmission;
  /** Heap that must be free for a connection; left out: that of a request, or room promised to an upload. */
  readonly needBytes?: number;
  /** Answers where all connections are in use. */
  readonly busy?: () => Fault;
  readonly log: Logger;
  /** 0 for any free port. */
  readonly port: number;
  /** Local address to listen on; default: all addresses. */
  readonly address?: string;
  /** Whether no connection to this address of the console, from that one, is accepted; left out: none is refused. */
  readonly isClosedAt?:
    | ((localAddress: string | undefined, remoteAddress: string | undefined) => boolean)
    | undefined;
}

export class HttpServer {
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #shared: ConnectionShared;
  readonly #served = new Set<Conversation>();
  readonly #turnedAway = new Set<Conversation>();
  /** The conversation that was admitted into promised heap. */
  #unreserved: Conversation | undefined;
  readonly #listener: TcpListener;
  readonly #heap: HeapAdmission | undefined;
  readonly #needBytes: number | undefined;
  readonly #busy: () => Fault;
  readonly #isClosedAt: HttpServerOptions["isClosedAt"];
  readonly #refusal: MemoryRefusal;
  #sweep: TimerHandle | undefined;
  #sweptAtMs = 0;
  #admission: TimerHandle | undefined;

  constructor(options: HttpServerOptions) {
    const { api, guard, tcp, clock, memory, log, port, address, codec } = options;
    this.#timer = options.timer;
    this.#clock = clock;
    this.#heap = options.heap;
    this.#needBytes = options.needBytes;
    this.#busy = options.busy ?? tooManyConnections;
    this.#isClosedAt = options.isClosedAt;
    this.#refusal = new MemoryRefusal(tcp.Socket, codec.encoder);
    this.#shared = {
      tcp,
      api,
      clock,
      timer: options.timer,
      codec,
      log,
      guard,
      heap: options.heap,
      memory,
      onClosed: (conversation) => this.#forget(conversation),
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
    for (const conversation of [...this.#served, ...this.#turnedAway]) conversation.endByConsole();
  }

  /**
   * Closes every idle connection. One that was used just now stays: its client may be sending the next request, whose
   * fate would be unknown.
   * @returns whether any was closed
   */
  closeIdle(): boolean {
    const latestMs = this.#clock.uptimeMs() - SILENT_AFTER_MS;
    const idle = [...this.#served].filter(
      ({ idleSinceMs }) => idleSinceMs !== undefined && idleSinceMs <= latestMs,
    );
    for (const connection of idle) connection.close();
    return idle.length > 0;
  }

  /** Closes the connections of addresses with many; if there are none, every connection. Continues to listen. */
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
    // Connections are short: read pending data of the open ones first, which shows which of them are idle.
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
    if (this.#isClosedAt?.(socket.localAddress, socket.remoteAddress)) {
      socket.close();
      return;
    }
    const hasRoom = this.#heap?.hasRoomToStay(this.#needBytes ?? HEAP_NEEDS.httpConnection) ?? true;
    if (!hasRoom && !this.#mayUsePromisedRoom(socket.remoteAddress)) {
      this.#refusal.refuse(socket);
      return;
    }
    if (this.#served.size >= CONNECTION_LIMIT) this.#checkDeadlines(); // also accounts for the time in which nothing was read
    const room = roomFor(this.#served, socket.remoteAddress, CONNECTION_LIMIT);
    if (room && room !== "free") room.close();
    if (room) this.#serve(socket, hasRoom);
    else if (this.#turnedAway.size < REJECTED_LIMIT) this.#reject(socket);
    else socket.close();
    if (this.#sweep) return;
    this.#sweptAtMs = this.#clock.uptimeMs();
    this.#sweep = this.#timer.repeat(() => this.#checkDeadlines(), SWEEP_INTERVAL_MS);
  }

  #serve(socket: TcpSocket, hasRoom: boolean): void {
    const { conversation } = new Connection(this.#shared, socket);
    if (!hasRoom) this.#unreserved = conversation;
    this.#served.add(conversation);
  }

  /**
   * One connection at a time, from an address without others, may use room promised to an upload. Otherwise one
   * machine's upload and incomplete heads would lock out all others. The reserve is larger than such a connection.
   */
  #mayUsePromisedRoom(address: string | undefined): boolean {
    if (this.#needBytes !== undefined || this.#unreserved) return false;
    if (!this.#heap?.hasRoom(HEAP_NEEDS.httpConnection)) return false;
    return !holdsPlace(this.#served, address);
  }

  #reject(socket: TcpSocket): void {
    const { conversation } = new Connection(this.#shared, socket);
    this.#turnedAway.add(conversation);
    conversation.refuse(this.#busy());
  }

  #checkDeadlines(): void {
    const nowMs = this.#clock.uptimeMs();
    const pausedMs = pauseWithin(nowMs - this.#sweptAtMs);
    this.#sweptAtMs = nowMs;
    let isNeeded = false;
    for (const conversations of [this.#served, this.#turnedAway])
      for (const conversation of conversations) {
        conversation.checkDeadline(nowMs, pausedMs);
        isNeeded ||= !conversation.isUpgraded;
      }
    if (!isNeeded) this.#stopSweep();
  }

  #forget(conversation: Conversation): void {
    if (this.#unreserved === conversation) this.#unreserved = undefined;
    this.#served.delete(conversation);
    this.#turnedAway.delete(conversation);
    if (this.#served.size + this.#turnedAway.size === 0) this.#stopSweep();
  }

  #stopSweep(): void {
    this.#timer.clear(this.#sweep);
    this.#sweep = undefined;
  }
}

function tooManyConnections(): Fault {
  return new Fault("busy", "Too many connections", { details: { retry_after_s: BUSY_RETRY_AFTER_S } });
}

/** Time in which the console has read nothing: a late check was delayed, for instance by a flash erase. */
function pauseWithin(elapsedMs: number): number {
  const lateMs = Math.max(0, elapsedMs - SWEEP_INTERVAL_MS);
  return lateMs < SWEEP_INTERVAL_MS ? lateMs : elapsedMs;
}
