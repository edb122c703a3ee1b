/** A WebSocket server of a test's own, over the emulated network or over real sockets. */

import { HttpCodec } from "../../../../device/services/http/http-codec.js";
import { BearerAuthenticator } from "../../../../device/services/http/request-guard.js";
import { LOG_BUFFER_BYTES, type Logger } from "../../../../device/services/logs/log-line.js";
import { LogService } from "../../../../device/services/logs/log-service.js";
import {
  WebSocketServer,
  type WebSocketServerOptions,
} from "../../../../device/services/websocket/websocket-server.js";
import type { Tcp } from "../../../../protocol/ports/network.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { NodeDigest, nodeBase64 } from "../../../hosts/node-bytes.js";
import type { ConnectOptions, EmulatedTcp, Peer } from "../http/emulated-tcp.js";
import { sandbox } from "../http/head.js";
import { type ClientFrame, clientFrames, OPCODE, readServerFrames } from "./client-frames.js";

const RETAINED = { byteLength: 64, read: () => undefined, write: () => undefined };

/** Key and proof of RFC 6455 §1.3. */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
export const PROOF = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

export const TOKEN = "a".repeat(43);

export interface Served {
  readonly clock: EmulatedClock;
  readonly log: LogService;
  readonly server: WebSocketServer;
}

/** @param changes of the options, for instance a gate that is closed */
export function serve(
  tcp: Tcp,
  changes: Partial<WebSocketServerOptions> & { readonly isTokenRequired?: boolean } = {},
): Served {
  const clock = new EmulatedClock();
  const buffer = new Uint8Array(LOG_BUFFER_BYTES);
  const log = new LogService({ clock, buffer, retained: RETAINED, level: "info" });
  const { isTokenRequired: isRequired = false, ...options } = changes;
  const server = new WebSocketServer({
    tcp,
    clock,
    codec: new HttpCodec(sandbox),
    timer: clock,
    digest: NodeDigest,
    base64: nodeBase64,
    port: 0,
    address: "127.0.0.1",
    allowedOrigins: [],
    pagePort: 8080,
    log: log.loggerFor("websocket"),
    lines: log,
    gate: new BearerAuthenticator({ isRequired, token: { value: TOKEN }, clock }),
    ...options,
  });
  return { clock, log, server };
}

/** A logger whose lines can be read: level and message. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const logger = { debug: at("debug"), info: at("info"), warning: at("warning"), error: at("error") };
  return { logger, lines };
}

/** A request for a WebSocket; `undefined` leaves a field out. */
export function upgradeRequest(
  fields: Readonly<Record<string, string | undefined>> = {},
  requestLine = "GET /ws HTTP/1.1",
): string {
  const all = {
    host: "192.168.4.1:8081",
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-key": KEY,
    "sec-websocket-version": "13",
    ...fields,
  };
  const lines = Object.entries(all).map(([name, value]) =>
    value === undefined ? "" : `${name}: ${value}\r\n`,
  );
  return `${requestLine}\r\n${lines.join("")}\r\n`;
}

/** The far end of a WebSocket over the emulated network. */
export class EmulatedClient {
  readonly peer: Peer;
  #received = Buffer.alloc(0);

  /** @param peer has asked for a WebSocket, and maybe not been answered yet */
  constructor(peer: Peer) {
    this.peer = peer;
  }

  static open(tcp: EmulatedTcp, options: ConnectOptions = {}): EmulatedClient {
    const peer = tcp.connect(options);
    peer.send(upgradeRequest());
    return new EmulatedClient(peer);
  }

  send(...frames: readonly ClientFrame[]): void {
    this.peer.send(Uint8Array.from(clientFrames(...frames)));
  }

  /** Frames since the last call: text as `lines`, others as `opcode payload`. */
  take(): string[] {
    this.#received = Buffer.concat([this.#received, this.peer.takeBytes()]);
    const head = this.#received.indexOf("\r\n\r\n");
    const isAnswer = this.#received.subarray(0, 5).toString("latin1") === "HTTP/";
    const frames = readServerFrames(isAnswer ? this.#received.subarray(head + 4) : this.#received);
    this.#received = Buffer.alloc(0);
    return frames.map(({ opcode, payload }) =>
      opcode === OPCODE.text
        ? Buffer.from(payload).toString()
        : `${opcode} ${Buffer.from(payload).toString("latin1")}`,
    );
  }
}

/** How {@link EmulatedClient.take} shows a Close frame from the console. */
export function closed(code: number): string {
  return `${OPCODE.close} ${String.fromCharCode(code >> 8, code & 0xff)}`;
}

export const PING = `${OPCODE.ping} `;

/** Lets the log notify its subscribers. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
