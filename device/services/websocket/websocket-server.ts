/**
 * Serves the log over WebSockets (RFC 6455; docs/spec/websocket.md): an HTTP server whose guard upgrades a limited number
 * of its connections to clients.
 */
import { Fault } from "../../../protocol/fault.js";
import type { DigestConstructor } from "../../../protocol/ports/crypto.js";
import type { Tcp } from "../../../protocol/ports/network.js";
import type { Base64, Clock, Memory, Timer } from "../../../protocol/ports/runtime.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { HttpCodec } from "../http/http-codec.js";
import { HttpServer } from "../http/http-server.js";
import type { BearerAuthenticator } from "../http/request-guard.js";
import { hasPlace } from "../http/room.js";
import type { Logger, LogLines } from "../logs/log-line.js";
import { LogFollower } from "../logs/log-page.js";
import { FrameWriter } from "./frame-writer.js";
import { answerTo, Handshake } from "./handshake.js";
import { LogClient, type LogClientShared } from "./log-client.js";

/**
 * Open WebSockets. Each log line wakes all of them; a console usually has one or two. The last WebSocket is reserved
 * for an address that has none (`http/room.ts`), and so is the last connection (docs/spec/websocket.md#client-limit).
 */
export const CLIENT_LIMIT = 4;

/** Retry delay for a refused client. */
const BUSY_RETRY_AFTER_S = 5;

export interface WebSocketServerOptions {
  readonly tcp: Tcp;
  readonly timer: Timer;
  readonly clock: Clock;
  /** Shared with other servers; remains open. */
  readonly codec: HttpCodec;
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
  readonly #clients = new Set<LogClient>();
  readonly #gate: BearerAuthenticator;
  readonly #http: HttpServer;

  constructor(options: WebSocketServerOptions) {
    const { clock, digest, base64, log, lines, gate, timer } = options;
    this.#gate = gate;
    const shared: LogClientShared = {
      timer,
      log,
      lines,
      frames: new FrameWriter(),
      onClosed: (client) => this.#clients.delete(client),
    };
    const guard = new Handshake({
      digest,
      base64,
      gate,
      log,
      rules: options,
      encoder: options.codec.encoder,
      checkRoom: (address) => {
        if (!hasPlace(this.#clients, address, CLIENT_LIMIT)) throw busy();
      },
      begin: (carrier) => {
        const client = new LogClient(shared, carrier, new LogFollower(lines, clock, "websocket"));
        this.#clients.add(client);
        return client;
      },
    });
    const api = { answerTo: (error: unknown) => answerTo(error, log) };
    const limits = { needBytes: HEAP_NEEDS.viewer, busy };
    this.#http = new HttpServer({ ...options, ...limits, guard, api });
  }

  /** The port in use. */
  get port(): number {
    return this.#http.port;
  }

  /** The bearer token is another one: where one is asked for, clients have to connect with it. */
  tokenReplaced(): void {
    if (this.#gate.isRequired) for (const client of [...this.#clients]) client.expel();
  }

  /** Stops listening, notifies every client (1001), and ends every connection. May be called twice. */
  close(): void {
    this.#http.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function busy(): Fault {
  return new Fault("busy", "Too many WebSocket connections", {
    details: { retry_after_s: BUSY_RETRY_AFTER_S },
  });
}
