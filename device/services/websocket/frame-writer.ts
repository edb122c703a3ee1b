/**
 * Frames that the console sends (RFC 6455 §5): whole messages, unmasked, in one buffer that all
 * connections share. A frame is valid until the next one is made.
 *
 *   |<-- SERVER_HEAD_LIMIT_BYTES -->|
 *   |             head              | payload      |
 *                 ^ right-aligned
 */

import { CLOSE, PING, PONG, TEXT } from "../../../protocol/websocket/opcode.js";
import { SERVER_HEAD_LIMIT_BYTES, SERVER_PAYLOAD_LIMIT_BYTES } from "./limits.js";

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
