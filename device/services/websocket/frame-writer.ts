/**
 * Encodes the frames that the console sends (RFC 6455 §5): complete messages, unmasked, in one buffer that all
 * connections share. A frame is valid until the next one is encoded.
 *
 *   |<-- SERVER_HEAD_LIMIT_BYTES -->|
 *   |             head              | payload      |
 *                 ^ right-aligned
 */

import {
  CLOSE,
  FINAL_BIT,
  LENGTH_IN_2_BYTES,
  PING,
  PONG,
  TEXT,
} from "../../../protocol/websocket/frame-head.js";
import { LOG_LINE_LIMIT_BYTES } from "../logs/log-line.js";
import type { LogFollower } from "../logs/log-page.js";

/** Head of a sent frame: two bytes, plus two bytes of length if the payload is over 125 bytes. */
const SERVER_HEAD_LIMIT_BYTES = 4;

/** Payload of a sent frame: one log line and its LF. */
const SERVER_PAYLOAD_LIMIT_BYTES = LOG_LINE_LIMIT_BYTES + 1;

const LF = 0x0a;

export class FrameWriter {
  readonly #encoder = new TextEncoder();
  readonly #bytes = new Uint8Array(SERVER_HEAD_LIMIT_BYTES + SERVER_PAYLOAD_LIMIT_BYTES);
  readonly #payload = this.#bytes.subarray(SERVER_HEAD_LIMIT_BYTES);
  /** Payload without the last byte, which is reserved for the LF. */
  readonly #line = this.#payload.subarray(0, -1);

  /** Encodes a log line and an LF. Text over the limit of a log line is cut after a whole character. */
  line(line: string): Uint8Array {
    const { written } = this.#encoder.encodeInto(line, this.#line);
    this.#payload[written] = LF;
    return this.#frame(TEXT, written + 1);
  }

  ping(): Uint8Array {
    return this.#control(PING);
  }

  /** @param payload of the ping to answer (RFC 6455 §5.5.3), from the frame reader */
  pong(payload: Uint8Array): Uint8Array {
    return this.#control(PONG, payload);
  }

  /** @param code `undefined` to answer a Close frame without a code */
  close(code: number | undefined): Uint8Array {
    if (code === undefined) return this.#control(CLOSE);
    this.#payload[0] = code >> 8;
    this.#payload[1] = code & 0xff;
    return this.#frame(CLOSE, 2);
  }

  #control(opcode: number, payload?: Uint8Array): Uint8Array {
    if (payload) this.#payload.set(payload);
    return this.#frame(opcode, payload?.length ?? 0);
  }

  #frame(opcode: number, payloadBytes: number): Uint8Array {
    const isShort = payloadBytes < LENGTH_IN_2_BYTES;
    const start = isShort ? 2 : 0;
    this.#bytes[start] = FINAL_BIT | opcode;
    this.#bytes[start + 1] = isShort ? payloadBytes : LENGTH_IN_2_BYTES;
    if (!isShort) {
      this.#bytes[2] = payloadBytes >> 8;
      this.#bytes[3] = payloadBytes & 0xff;
    }
    return this.#bytes.subarray(start, SERVER_HEAD_LIMIT_BYTES + payloadBytes);
  }
}

// Chooses the next message to one client: the answer to its ping, else our ping, else the next log line. There is no
// queue: a client that falls behind gets the answer to its latest ping only (RFC 6455 §5.5.3 allows that), and one line
// with the number of lines that it missed.

export class Outgoing {
  readonly #follower: LogFollower;
  readonly #frames: FrameWriter;
  #pingPayload: Uint8Array | undefined;
  #isPingDue = false;
  #awaitsPong = false;

  constructor(follower: LogFollower, frames: FrameWriter) {
    this.#follower = follower;
    this.#frames = frames;
  }

  /** Whether a pong from the client is outstanding. */
  get awaitsPong(): boolean {
    return this.#awaitsPong;
  }

  /** The next frame, or `undefined` if there is none. The caller must send it before the next call. */
  next(): Uint8Array | undefined {
    return this.#nextPong() ?? this.#nextPing() ?? this.#nextLine();
  }

  /** Schedules a ping. */
  ping(): void {
    this.#isPingDue = true;
    this.#awaitsPong = true;
  }

  /** @param payload is copied */
  onPing(payload: Uint8Array): void {
    this.#pingPayload = new Uint8Array(payload);
  }

  /**
   * Any pong, even an unsolicited one, shows that the peer is alive (RFC 6455 §5.5.3), unless our ping is still unsent:
   * then the client does not receive its data, and the connection is of no use.
   */
  onPong(): void {
    if (!this.#isPingDue) this.#awaitsPong = false;
  }

  #nextPong(): Uint8Array | undefined {
    const payload = this.#pingPayload;
    this.#pingPayload = undefined;
    return payload && this.#frames.pong(payload);
  }

  #nextPing(): Uint8Array | undefined {
    if (!this.#isPingDue) return undefined;
    this.#isPingDue = false;
    return this.#frames.ping();
  }

  #nextLine(): Uint8Array | undefined {
    const line = this.#follower.next();
    return line === undefined ? undefined : this.#frames.line(line);
  }
}
