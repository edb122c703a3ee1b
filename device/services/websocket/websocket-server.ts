/**
 * Serves the log over WebSockets (RFC 6455; docs/spec/websocket.md): accepts connections up to a limit, and upgrades a
 * limited number of them to clients.
 */
import { Fault } from "../../../protocol/fault.js";
import type { DigestConstructor } from "../../../protocol/ports/crypto.js";
import type { Tcp, TcpListener, TcpSocket } from "../../../protocol/ports/network.js";
import type { Base64, Clock, Memory, Timer } from "../../../protocol/ports/runtime.js";
import type { Sandbox } from "../../../protocol/ports/sandbox.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { BearerAuthenticator } from "../http/request-guard.js";
import { HeadParser } from "../http/request-head.js";
import { MemoryRefusal } from "../http/response.js";
import { hasPlace, roomFor } from "../http/room.js";
import type { Logger, LogLines } from "../logs/log-line.js";
import { Connection, type Shared } from "./connection.js";
import { FrameWriter } from "./frame-writer.js";
import { Handshake } from "./handshake.js";

/**
 * Open WebSockets. Each log line wakes all of them; a console usually has one or two. The last WebSocket is reserved
 * for an address that has none (`http/room.ts`), and so is the last connection (docs/spec/websocket.md#client-limit).
 */
export const CLIENT_LIMIT = 4;

/** Connections whose requests are read: the clients, and as many that have not sent their request yet. */
export const CONNECTION_LIMIT = 8;

/** Concurrent connections beyond that limit that receive a refusal; further ones are closed without an answer. */
const TURNED_AWAY_LIMIT = 4;

/** Retry delay for a refused client. */
const BUSY_RETRY_AFTER_S = 5;

/** Size of the read buffer that all connections share: clients send little. */
const READ_BYTES = 512;

export interface WebSocketServerOptions {
  readonly tcp: Tcp;
  readonly timer: Timer;
  readonly clock: Clock;
  /** Runs the parser of heads. */
  readonly sandbox: Sandbox;
  /** Memory for long heads; default: the heap. */
  readonly memory?: Memory;
  /** Admits each connection; default: no check. */
  readonly heap?: HeapAdmission;
  readonly digest: DigestConstructor;
  readonly base64: Base64;
  /** The server's own log: at debug level, else it would send these lines to its own clients. */
  readonly log: Logger;
  /** The log that clients receive. */
  readonly lines: LogLines;
  /** 0 takes any free port. */
  readonly port: number;
  /** Local address to listen on; default: all addresses. */
  readonly address?: string;
  /** Origins of foreign pages that may connect, as browsers send them. */
  readonly allowedOrigins: readonly string[];
  /** HTTP port of the console, whose own pages may also connect. */
  readonly pagePort?: number;
  readonly gate: BearerAuthenticator;
  /** Whether no connection to this address of the console is accepted; left out: none is refused. */
  readonly isClosedAt?: ((localAddress: string | undefined) => boolean) | undefined;
}

export class WebSocketServer {
  readonly #shared: Shared;
  readonly #connections = new Set<Connection>();
  readonly #listener: TcpListener;
  readonly #heap: HeapAdmission | undefined;
  readonly #isClosedAt: WebSocketServerOptions["isClosedAt"];
  readonly #refusal: MemoryRefusal;

  constructor(options: WebSocketServerOptions) {
    const { tcp, timer, clock, memory, digest, base64, log, lines, gate, port, address } = options;
    const encoder = new TextEncoder();
    this.#heap = options.heap;
    this.#isClosedAt = options.isClosedAt;
    this.#refusal = new MemoryRefusal(tcp.Socket, encoder);
    this.#shared = {
      ...{ tcp, timer, clock, memory, log, lines, encoder, heap: options.heap },
      handshake: new Handshake({ digest, base64, gate, rules: options, encoder }),
      frames: new FrameWriter(),
      heads: new HeadParser(options.sandbox, encoder, new TextDecoder()),
      input: new Uint8Array(READ_BYTES),
      checkRoom: (address) => this.#checkRoom(address),
      onClosed: (connection) => this.#connections.delete(connection),
    };
    const listening = address === undefined ? { port } : { port, address };
    this.#listener = new tcp.Listener({ ...listening, onReadable: () => this.#accept() });
  }

  /** The port in use. */
  get port(): number {
    return this.#listener.port;
  }

  /** Stops listening, notifies every client (1001), and ends every connection. May be called twice. */
  close(): void {
    this.#listener.close();
    this.#refusal.close();
    for (const connection of [...this.#connections]) connection.goAway();
    this.#shared.heads.close();
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
    if (this.#isClosedAt?.(socket.localAddress)) {
      socket.close();
      return;
    }
    const others = this.#connections.size;
    if (this.#heap && !this.#heap.hasRoomToStay(HEAP_NEEDS.viewer)) {
      this.#refusal.refuse(socket);
      return;
    }
    if (others >= CONNECTION_LIMIT + TURNED_AWAY_LIMIT) {
      socket.close();
      return;
    }
    const room = roomFor(this.#connections, socket.remoteAddress, CONNECTION_LIMIT);
    if (room && room !== "free") room.close();
    const connection = new Connection(this.#shared, socket);
    this.#connections.add(connection);
    if (!room) connection.reject(busy());
  }

  #checkRoom(address: string | undefined): void {
    const clients = new Set([...this.#connections].filter(({ isOpen }) => isOpen));
    if (!hasPlace(clients, address, CLIENT_LIMIT)) throw busy();
  }
}

function busy(): Fault {
  return new Fault("busy", "Too many WebSocket connections", {
    details: { retry_after_s: BUSY_RETRY_AFTER_S },
  });
}
