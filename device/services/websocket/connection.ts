/**
 * One client connection: reads its request, then its frames, and sends ours. The phases and their time limits come
 * first.
 */

import { Fault } from "../../../protocol/fault.js";
import { Inbox, Outbox } from "../../../protocol/http/buffers.js";
import { type Decoder, type Encoder, HEAD_START_BYTES } from "../../../protocol/http/fields.js";
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
import { parseRequestHead, type RequestHead } from "../http/request-head.js";
import { type Held, SILENT_AFTER_MS } from "../http/room.js";
import type { Logger, LogLines } from "../logs/log-line.js";
import { LogFollower } from "../logs/log-page.js";
import { type FrameWriter, Outgoing } from "./frame-writer.js";
import { asFault, type Handshake, refusal } from "./handshake.js";

/** Between pings; a client that has not answered one when the next is due is gone (docs/spec/websocket.md#ping). */
const PING_INTERVAL_MS = 30_000;

/** For what was still to be sent, the Close frame or a refusal last, before the connection is cut. */
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

/** How long until a phase has lasted too long; in the open one, until the next ping. */
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

// What the connections of a server share.

export interface Shared {
  readonly tcp: Tcp;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lines: LogLines;
  readonly handshake: Handshake;
  readonly frames: FrameWriter;
  readonly encoder: Pick<Encoder, "encode">;
  readonly decoder: Decoder;
  /** Asked before a long head is read; left out: there is always room. */
  readonly heap: HeapAdmission | undefined;
  /** For long heads. */
  readonly memory: Memory | undefined;
  /** What sockets are read into. */
  readonly input: Uint8Array;
  /** @throws {Fault} `busy` where one more client is too many, or one more from there */
  checkRoom(address: string | undefined): void;
  onClosed(connection: Connection): void;
}

export class Connection implements Held {
  /** Asked for once: the host asks its network each time. */
  readonly address: string | undefined;
  readonly #shared: Shared;
  readonly #socket: TcpSocket;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  #phase: Phase = SILENT;
  #timeout: TimerHandle | undefined;
  readonly #sinceMs: number;

  /** @param from an accepted connection, which it takes over */
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

  /** A WebSocket is in use, however little it carries; a connection without a request is idle. */
  get idleSinceMs(): number | undefined {
    if (this.#phase !== SILENT) return undefined;
    const isFresh = this.#shared.clock.uptimeMs() - this.#sinceMs < SILENT_AFTER_MS;
    return isFresh ? undefined : this.#sinceMs;
  }

  /** Whether it is a WebSocket. */
  get isOpen(): boolean {
    return this.#phase.phase === "open";
  }

  /** Says `fault` to a client that has not asked for anything yet, and closes. */
  turnAway(fault: Fault): void {
    this.#refuse(fault);
  }

  /**
   * Tells a client that the console goes (RFC 6455 §7.4.1), after the last lines, and closes without waiting
   * for its answer.
   */
  goAway(): void {
    this.#pump();
    if (this.#phase.phase === "open") this.#send(this.#shared.frames.close(GOING_AWAY));
    this.close();
  }

  /** Ends the connection; what was written is still sent. May be called twice. */
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
    // Who has closed only their own side still gets what is on its way to them.
    if (this.#phase !== CLOSING) this.close();
  }

  #onTimeout(): void {
    const { phase } = this.#phase;
    // RFC 9110 §15.5.9: a client that has begun a request gets an answer; one that has not expects none.
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
    const head = parseRequestHead(bytes, this.#shared.decoder);
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

  /** Sends one frame after the other while the socket takes them whole. */
  #pump(): void {
    while (this.#phase.phase === "open" && this.#outbox.isEmpty) {
      const frame = this.#phase.outgoing.next();
      if (!frame) return;
      this.#send(frame);
    }
  }

  /** The request or the frame at hand is broken. */
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

  /** Sends the last there is, and closes once it is on its way. */
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
