/**
 * Frames that the console sends (RFC 6455 §5): whole messages, unmasked, in one buffer that all
 * connections share. A frame is valid until the next one is made.
 *
 *   |<-- SERVER_HEAD_LIMIT_BYTES -->|
 *   |             head              | payload      |
 *                 ^ right-aligned
 */

import { CLOSE, PING, PONG, TEXT } from "../../../protocol/websocket/frame-head.js";
import { LOG_LINE_LIMIT_BYTES } from "../logs/log-line.js";
import type { LogFollower } from "../logs/log-page.js";

/** Head of a frame that we send: two bytes, and two of length where the payload is over 125 bytes. */
const SERVER_HEAD_LIMIT_BYTES = 4;

/** Payload of a frame that we send: one log line and its LF. */
const SERVER_PAYLOAD_LIMIT_BYTES = LOG_LINE_LIMIT_BYTES + 1;

const FINAL_BIT = 0x80;
const LENGTH_IN_2_BYTES = 126;
const LF = 0x0a;

export class FrameWriter {
  readonly #encoder = new TextEncoder();
  readonly #bytes = new Uint8Array(SERVER_HEAD_LIMIT_BYTES + SERVER_PAYLOAD_LIMIT_BYTES);
  readonly #payload = this.#bytes.subarray(SERVER_HEAD_LIMIT_BYTES);
  /** Where a line goes: room for its LF is left. */
  readonly #line = this.#payload.subarray(0, -1);

  /** A log line, ended by LF. What is longer than a log line can be is cut after a whole character. */
  line(line: string): Uint8Array {
    const { written } = this.#encoder.encodeInto(line, this.#line);
    this.#payload[written] = LF;
    return this.#frame(TEXT, written + 1);
  }

  ping(): Uint8Array {
    return this.#control(PING);
  }

  /** @param payload of the ping that is answered (RFC 6455 §5.5.3), as a frame reader gives it */
  pong(payload: Uint8Array): Uint8Array {
    return this.#control(PONG, payload);
  }

  /** @param code `undefined` answers a Close frame that has none */
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
// queue: a client that receives nothing gets the answer to its latest ping (RFC 6455 §5.5.3 allows that) and, for the
// lines that it has missed, one that counts them.

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

  /** Whether the client owes us a pong. */
  get awaitsPong(): boolean {
    return this.#awaitsPong;
  }

  /** The next frame, to be sent before this is called again; `undefined` while there is none. */
  next(): Uint8Array | undefined {
    return this.#nextPong() ?? this.#nextPing() ?? this.#nextLine();
  }

  /** Has the client asked whether it is still there, once its turn has come. */
  ping(): void {
    this.#isPingDue = true;
    this.#awaitsPong = true;
  }

  /** @param payload is copied */
  onPing(payload: Uint8Array): void {
    this.#pingPayload = new Uint8Array(payload);
  }

  /**
   * Any pong, also an unsolicited one, shows that the peer is alive (RFC 6455 §5.5.3). But not while our ping could not
   * even be sent: a client that receives none of its data has no use for its connection.
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
