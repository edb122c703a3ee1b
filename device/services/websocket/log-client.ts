/**
 * One client of the log, over an open WebSocket: reads its frames, and sends log lines and control frames. The phases
 * come first; each waits for what the connection below says: bytes, or room.
 */

import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import {
  FrameError,
  GOING_AWAY,
  INTERNAL_ERROR,
  PING,
  POLICY_VIOLATION,
  PONG,
  readCloseCode,
} from "../../../protocol/websocket/frame-head.js";
import { type ControlFrame, FrameReader } from "../../../protocol/websocket/frame-reader.js";
import type { Carrier, UpgradedProtocol } from "../http/conversation.js";
import type { Output } from "../http/response.js";
import type { Logger, LogLines } from "../logs/log-line.js";
import type { LogFollower } from "../logs/log-page.js";
import { type FrameWriter, Outgoing } from "./frame-writer.js";

/**
 * Interval between pings. A client without a pong when the next ping is due counts as gone
 * (docs/spec/websocket.md#ping).
 */
const PING_INTERVAL_MS = 30_000;

/** Time to send the remaining bytes, which end in a Close frame, before the connection is closed. */
const CLOSE_TIMEOUT_MS = 5_000;

// The life of a client:
//
//   open --Close, invalid frame--> closing --all sent--> closed
//     |                               `--5 s, broken-----^
//     `--no pong, the client has ended its side, broken--^
//
//   open      waits for bytes, room, log lines and the next ping
//   closing   waits for room: nothing more is read. The server closes the TCP connection first, as RFC 6455 §7.1.1
//             requires; a client that has closed only its own side still receives the remaining bytes

type Phase = "open" | "closing" | "closed";

/** What the clients of a server share. */
export interface LogClientShared {
  readonly timer: Timer;
  readonly log: Logger;
  readonly lines: LogLines;
  readonly frames: FrameWriter;
  onClosed(client: LogClient): void;
}

export class LogClient implements UpgradedProtocol {
  readonly #shared: LogClientShared;
  readonly #carrier: Carrier;
  readonly #output: Output;
  readonly #reader = new FrameReader("client");
  readonly #outgoing: Outgoing;
  /** Ends the subscription to the log. */
  readonly #unsubscribe: () => void;
  #phase: Phase = "open";
  #timeout: TimerHandle | undefined;

  constructor(shared: LogClientShared, carrier: Carrier, follower: LogFollower) {
    this.#shared = shared;
    this.#carrier = carrier;
    this.#output = carrier.output;
    this.#outgoing = new Outgoing(follower, shared.frames);
    this.#unsubscribe = shared.lines.subscribe(() => this.#pump());
    this.#rearm(PING_INTERVAL_MS);
  }

  get address(): string | undefined {
    return this.#carrier.address;
  }

  get takesBytes(): boolean {
    return this.#phase === "open";
  }

  receive(bytes: Uint8Array): number {
    try {
      const taken = this.#reader.push(bytes);
      if (this.#reader.control) this.#onControl(this.#reader.control);
      return taken;
    } catch (error) {
      this.#fail(error);
      return bytes.length;
    }
  }

  onRoom(): void {
    if (this.#phase === "closing") this.#closeOnceSent();
    else this.#pump();
  }

  /** Sends the last lines and "going away" (RFC 6455 §7.4.1); does not wait for the client's answer. */
  sayGoodbye(): void {
    this.#pump();
    if (this.#phase === "open") this.#send(this.#shared.frames.close(GOING_AWAY));
  }

  /** What it was opened with is no longer valid. */
  expel(): void {
    if (this.#phase === "open") this.#endWith(POLICY_VIOLATION);
  }

  onClosed(): void {
    if (this.#phase === "open") this.#unsubscribe();
    this.#phase = "closed";
    this.#shared.timer.clear(this.#timeout);
    this.#shared.onClosed(this);
  }

  #onControl({ opcode, payload }: ControlFrame): void {
    if (opcode === PONG) this.#outgoing.onPong();
    else if (opcode === PING) {
      this.#outgoing.onPing(payload);
      this.#pump();
    } else this.#endWith(readCloseCode(payload)); // RFC 6455 §5.5.1: the answer echoes the code
  }

  /** Sends frames while the socket accepts each as a whole. */
  #pump(): void {
    try {
      while (this.#phase === "open" && this.#output.isEmpty) {
        const frame = this.#outgoing.next();
        if (!frame) return;
        this.#send(frame);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const { log } = this.#shared;
    if (error instanceof FrameError) {
      log.debug(`closed ${this.address}: ${error.message}`);
      this.#endWith(error.closeCode);
    } else {
      log.error(String(error));
      this.#endWith(INTERNAL_ERROR);
    }
  }

  /** Sends a Close frame, and closes when the socket has accepted it. */
  #endWith(code: number | undefined): void {
    this.#phase = "closing";
    this.#unsubscribe();
    this.#rearm(CLOSE_TIMEOUT_MS);
    this.#send(this.#shared.frames.close(code));
    this.#closeOnceSent();
  }

  #closeOnceSent(): void {
    if (this.#output.isEmpty) this.#carrier.close();
  }

  #send(bytes: Uint8Array): void {
    try {
      this.#output.send(bytes);
    } catch {
      this.#carrier.close(); // the socket accepts nothing more
    }
  }

  #rearm(limitMs: number): void {
    const { timer } = this.#shared;
    timer.clear(this.#timeout);
    this.#timeout = timer.set(() => this.#onTimeout(), limitMs);
  }

  #onTimeout(): void {
    if (this.#phase === "open" && !this.#outgoing.awaitsPong) {
      this.#outgoing.ping();
      this.#rearm(PING_INTERVAL_MS);
      this.#pump();
      return;
    }
    if (this.#phase === "open") this.#shared.log.debug(`closed ${this.address}: no pong`);
    this.#carrier.close();
  }
}
