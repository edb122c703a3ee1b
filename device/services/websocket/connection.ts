/**
 * One client connection: reads the client's request and frames, and sends log lines and control frames. The phases and
 * their time limits come first.
 */

import { Fault } from "../../../protocol/fault.js";
import { Inbox, Outbox } from "../../../protocol/http/buffers.js";
import { type Encoder, HEAD_START_BYTES } from "../../../protocol/http/fields.js";
import { HeadReader } from "../../../protocol/http/head-reader.js";
import type { Tcp, TcpSocket } from "../../../protocol/ports/network.js";
import type { Clock, Memory, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import {
  FrameError,
  GOING_AWAY,
  INTERNAL_ERROR,
  PING,
  PONG,
  readCloseCode,
} from "../../../protocol/websocket/frame-head.js";
import { type ControlFrame, FrameReader } from "../../../protocol/websocket/frame-reader.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import { HEAD_TIMEOUT_MS } from "../http/connection.js";
import type { HeadParser, RequestHead } from "../http/request-head.js";
import { type AdmittedConnection, SILENT_AFTER_MS } from "../http/room.js";
import type { Logger, LogLines } from "../logs/log-line.js";
import { LogFollower } from "../logs/log-page.js";
import { type FrameWriter, Outgoing } from "./frame-writer.js";
import { asFault, type Handshake, refusal } from "./handshake.js";

/**
 * Interval between pings. A client without a pong when the next ping is due counts as gone
 * (docs/spec/websocket.md#ping).
 */
const PING_INTERVAL_MS = 30_000;

/** Time to send the remaining bytes, which end in a Close frame or a refusal, before the connection is closed. */
const CLOSE_TIMEOUT_MS = 5_000;

// The life of a connection:
//
//   accept --> silent --first byte--> head --complete, granted--> open --> closing --sent--> closed
//                 |                    |  (refused: straight to closing)     ^        or 5 s
//                 |                    +-----------------------------------> |
//                 +-- turned away -----------------------------------------> |
//
// In closing, the last message, a refusal or a Close frame, is being sent; nothing more is read. The server closes the
// TCP connection first, as RFC 6455 §7.1.1 requires.

type Phase =
  | { readonly phase: "silent" }
  | { readonly phase: "head"; readonly reader: HeadReader }
  | OpenPhase
  | { readonly phase: "closing" }
  | { readonly phase: "closed" };

interface OpenPhase {
  readonly phase: "open";
  readonly reader: FrameReader;
  readonly outgoing: Outgoing;
  /** Ends the subscription to the log. */
  readonly unsubscribe: () => void;
}

const SILENT: Phase = Object.freeze({ phase: "silent" });
const CLOSING: Phase = Object.freeze({ phase: "closing" });
const CLOSED: Phase = Object.freeze({ phase: "closed" });

/** Time limit of a phase; in the open phase, the time until the next ping. */
function timeoutMs({ phase }: Exclude<Phase, { readonly phase: "closed" }>): number {
  switch (phase) {
    case "silent":
    case "head":
      return HEAD_TIMEOUT_MS;
    case "open":
      return PING_INTERVAL_MS;
    case "closing":
      return CLOSE_TIMEOUT_MS;
    default:
      return phase satisfies never;
  }
}

// Objects that all connections of a server share.

export interface Shared {
  readonly tcp: Tcp;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lines: LogLines;
  readonly handshake: Handshake;
  readonly frames: FrameWriter;
  readonly encoder: Pick<Encoder, "encode">;
  readonly heads: HeadParser;
  /** Admits long heads; `undefined`: no check. */
  readonly heap: HeapAdmission | undefined;
  /** Memory for long heads. */
  readonly memory: Memory | undefined;
  /** Read buffer. */
  readonly input: Uint8Array;
  /** @throws {Fault} `busy` if there is no room for another client, or for another from `address` */
  checkRoom(address: string | undefined): void;
  onClosed(connection: Connection): void;
}

export class Connection implements AdmittedConnection {
  /** Remote address, cached: the host queries its network stack for each access. */
  readonly address: string | undefined;
  readonly #shared: Shared;
  readonly #socket: TcpSocket;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  #phase: Phase = SILENT;
  #timeout: TimerHandle | undefined;
  readonly #sinceMs: number;

  /** @param from an accepted connection, whose ownership moves here */
  constructor(shared: Shared, from: TcpSocket) {
    this.#shared = shared;
    this.#socket = new shared.tcp.Socket({
      from,
      nodelay: true,
      onReadable: (byteLength) => this.#onReadable(byteLength),
      onWritable: (byteLength) => this.#onWritable(byteLength),
      onError: () => this.#onPeerClosed(),
    });
    this.address = this.#socket.remoteAddress;
    this.#inbox = new Inbox(this.#socket, shared.input);
    this.#outbox = new Outbox(this.#socket);
    this.#sinceMs = shared.clock.uptimeMs();
    this.#rearm();
  }

  /** Since when the connection is idle: only one that has sent no request is, and not while it is fresh. */
  get idleSinceMs(): number | undefined {
    if (this.#phase !== SILENT) return undefined;
    const isFresh = this.#shared.clock.uptimeMs() - this.#sinceMs < SILENT_AFTER_MS;
    return isFresh ? undefined : this.#sinceMs;
  }

  /** Whether the connection is an open WebSocket. */
  get isOpen(): boolean {
    return this.#phase.phase === "open";
  }

  /** Send `fault` to a client that has not sent a request yet, and close. */
  reject(fault: Fault): void {
    this.#refuse(fault);
  }

  /**
   * Send the last lines and a Close frame with "going away" (RFC 6455 §7.4.1), and close without waiting for the
   * client's answer.
   */
  goAway(): void {
    this.#pump();
    if (this.#phase.phase === "open") this.#send(this.#shared.frames.close(GOING_AWAY));
    this.close();
  }

  /** Close the connection; bytes already written are still sent. May be called twice. */
  close(): void {
    if (this.#phase === CLOSED) return;
    if (this.#phase.phase === "head") this.#phase.reader.reset();
    this.#leave(CLOSED);
    this.#shared.timer.clear(this.#timeout);
    this.#socket.close();
    this.#shared.onClosed(this);
  }

  #onReadable(byteLength: number): void {
    this.#inbox.onReadable(byteLength);
    try {
      while (this.#takesBytes) {
        const bytes = this.#inbox.next();
        if (!bytes) break;
        this.#take(bytes);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #onWritable(byteLength: number): void {
    try {
      this.#outbox.onWritable(byteLength);
    } catch {
      this.close(); // the socket accepts nothing more
    }
    if (this.#phase === CLOSING) this.#closeOnceSent();
    else this.#pump();
  }

  #onPeerClosed(): void {
    // In closing, a client that has closed only its own side still receives the remaining bytes.
    if (this.#phase !== CLOSING) this.close();
  }

  #onTimeout(): void {
    const { phase } = this.#phase;
    // RFC 9110 §15.5.9: answer a client that has begun a request; close others without an answer.
    if (phase === "head") this.#refuse(new Fault("request_timeout", "The request did not arrive in time"));
    else if (this.#phase.phase === "open") this.#checkAlive(this.#phase.outgoing);
    else this.close();
  }

  #checkAlive(outgoing: Outgoing): void {
    if (outgoing.awaitsPong) {
      this.#shared.log.debug(`closed ${this.address}: no pong`);
      this.close();
    } else {
      outgoing.ping();
      this.#rearm();
      this.#pump();
    }
  }

  get #takesBytes(): boolean {
    return this.#phase !== CLOSING && this.#phase !== CLOSED;
  }

  #take(bytes: Uint8Array): void {
    let taken = 0;
    while (taken < bytes.length && this.#takesBytes) {
      const rest = bytes.subarray(taken);
      taken += this.#phase.phase === "open" ? this.#takeFrames(this.#phase, rest) : this.#takeHead(rest);
    }
  }

  #takeHead(chunk: Uint8Array): number {
    if (this.#phase.phase !== "head")
      this.#phase = { phase: "head", reader: new HeadReader(this.#shared.memory) };
    const { reader } = this.#phase;
    const taken = reader.push(chunk);
    const bytes = reader.head;
    if (!bytes) return taken;
    if (bytes.length > HEAD_START_BYTES) this.#shared.heap?.require(bytes.length * HEAP_NEEDS.longHeadByte);
    const head = this.#shared.heads.parseWhole(bytes);
    reader.reset();
    this.#shakeHands(head);
    return taken;
  }

  #shakeHands(head: RequestHead): void {
    const answer = this.#grant(head);
    if (answer) this.#open(answer);
  }

  #grant(head: RequestHead): Uint8Array | undefined {
    try {
      const answer = this.#shared.handshake.accept(head, this.address);
      this.#shared.checkRoom(this.address);
      return answer;
    } catch (error) {
      this.#refuse(error, head.method === "HEAD");
      return undefined;
    }
  }

  #open(answer: Uint8Array): void {
    const { lines, clock, frames } = this.#shared;
    this.#phase = {
      phase: "open",
      reader: new FrameReader("client"),
      outgoing: new Outgoing(new LogFollower(lines, clock, "websocket"), frames),
      unsubscribe: lines.subscribe(() => this.#pump()),
    };
    this.#rearm();
    this.#send(answer);
    this.#pump();
  }

  #takeFrames({ reader, outgoing }: OpenPhase, bytes: Uint8Array): number {
    const taken = reader.push(bytes);
    if (reader.control) this.#onControl(reader.control, outgoing);
    return taken;
  }

  #onControl({ opcode, payload }: ControlFrame, outgoing: Outgoing): void {
    if (opcode === PONG) outgoing.onPong();
    else if (opcode === PING) {
      outgoing.onPing(payload);
      this.#pump();
    } else this.#endWith(readCloseCode(payload)); // RFC 6455 §5.5.1: the answer echoes the code
  }

  /** Sends frames while the socket accepts each as a whole. */
  #pump(): void {
    while (this.#phase.phase === "open" && this.#outbox.isEmpty) {
      const frame = this.#phase.outgoing.next();
      if (!frame) return;
      this.#send(frame);
    }
  }

  /** Ends the connection after an error in a request or a frame. */
  #fail(error: unknown): void {
    if (this.#phase.phase !== "open") this.#refuse(error);
    else if (error instanceof FrameError) {
      this.#shared.log.debug(`closed ${this.address}: ${error.message}`);
      this.#endWith(error.closeCode);
    } else {
      this.#shared.log.error(String(error));
      this.#endWith(INTERNAL_ERROR);
    }
  }

  #endWith(code: number | undefined): void {
    this.#finish(this.#shared.frames.close(code));
  }

  #refuse(error: unknown, omitsBody = false): void {
    const { log, encoder } = this.#shared;
    const fault = asFault(error, log);
    log.debug(`refused ${this.address}: ${fault.message}`);
    this.#finish(refusal(fault, encoder, omitsBody));
  }

  /** Sends the last message, and closes when the socket has accepted it. */
  #finish(last: Uint8Array): void {
    this.#leave(CLOSING);
    this.#rearm();
    this.#send(last);
    this.#closeOnceSent();
  }

  #closeOnceSent(): void {
    if (this.#outbox.isEmpty) this.close();
  }

  #send(bytes: Uint8Array): void {
    try {
      this.#outbox.send(bytes);
    } catch {
      this.close(); // the socket accepts nothing more
    }
  }

  #leave(next: Phase): void {
    if (this.#phase.phase === "open") this.#phase.unsubscribe();
    this.#phase = next;
  }

  #rearm(): void {
    if (this.#phase.phase === "closed") return;
    this.#shared.timer.clear(this.#timeout);
    this.#timeout = this.#shared.timer.set(() => this.#onTimeout(), timeoutMs(this.#phase));
  }
}
