/**
 * The head of a frame (RFC 6455 §5.2), byte by byte, and everything that is wrong with a frame whatever came
 * before it. Owns 14 bytes, no socket. A client masks its frames, a server does not (§5.1).
 *
 *   FIN RSV1-3 opcode | MASK length | 0, 2 or 8 bytes of length | 0 or 4 bytes of mask
 */
import { MESSAGE_TOO_BIG, PROTOCOL_ERROR } from "./close-code.js";
import { FrameError } from "./frame-error.js";
import { CONTROL_LIMIT_BYTES, FRAME_HEAD_LIMIT_BYTES } from "./limits.js";
import { isControl, isKnown } from "./opcode.js";

const FIXED_BYTES = 2;
const MASK_BYTES = 4;

const FINAL_BIT = 0x80;
const RESERVED_BITS = 0x70;
const OPCODE_BITS = 0x0f;
const MASK_BIT = 0x80;
const LENGTH_BITS = 0x7f;

/** Values of the seven bits of length which say that the length is in the bytes that follow. */
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

/** The smallest length that two bytes do not hold. */
const LENGTH_OVER_2_BYTES = 0x10000;

/** Topmost bit of a length of 64 bits, in its upper half. */
const TOPMOST_BIT = 0x80000000;

/** Who sends the frames that are read. */
export type Sender = "client" | "server";

export class FrameHead {
  /** Of the mask: none in a server's frame. */
  readonly #maskBytes: number;
  readonly #bytes = new Uint8Array(FRAME_HEAD_LIMIT_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  #length = 0;
  /** Length of the whole head, as far as it is known. */
  #needed = FIXED_BYTES;
  #payloadBytes = 0;

  constructor(from: Sender) {
    this.#maskBytes = from === "client" ? MASK_BYTES : 0;
  }

  get isComplete(): boolean {
    return this.#length === this.#needed;
  }

  /** Whether the frame is the last of its message. */
  get isFinal(): boolean {
    return (this.#bytes[0] as number) >= FINAL_BIT;
  }

  get opcode(): number {
    return (this.#bytes[0] as number) & OPCODE_BITS;
  }

  /** Length of the payload in bytes, once the head is complete. */
  get payloadBytes(): number {
    return this.#payloadBytes;
  }

  /**
   * Takes from `chunk` what belongs to the head.
   * @returns how many bytes of `chunk` were taken
   * @throws {FrameError} 1002, or 1009 for a payload of 2^32 bytes and more
   */
  push(chunk: Uint8Array): number {
    let taken = 0;
    while (taken < chunk.length && this.#length < this.#needed) {
      this.#bytes[this.#length++] = chunk[taken++] as number;
      if (this.#length === FIXED_BYTES) this.#needed = this.#checkFixed();
    }
    if (this.isComplete) this.#payloadBytes = this.#readPayloadBytes();
    return taken;
  }

  /** Makes ready for the next head. */
  reset(): void {
    this.#length = 0;
    this.#needed = FIXED_BYTES;
  }

  /**
   * Takes the mask off, in place (RFC 6455 §5.3), where there is one.
   * @param offset of `payload` in the payload of the frame
   */
  unmask(payload: Uint8Array, offset: number): void {
    if (this.#maskBytes === 0) return;
    const head = this.#bytes;
    const mask = this.#needed - MASK_BYTES;
    const end = payload.length;
    for (let at = 0; at < end; at++)
      payload[at] = (payload[at] as number) ^ (head[mask + ((offset + at) & 3)] as number);
  }

  /** Checks what the first two bytes tell. @returns the length of the head */
  #checkFixed(): number {
    const first = this.#bytes[0] as number;
    const second = this.#bytes[1] as number;
    const length = second & LENGTH_BITS;
    // RFC 6455 §5.2: no negotiated extension uses them.
    if ((first & RESERVED_BITS) !== 0) throw broken("Reserved bits are set");
    if (!isKnown(this.opcode)) throw broken(`Opcode ${this.opcode} is reserved`);
    if (((second & MASK_BIT) === 0) !== (this.#maskBytes === 0)) throw brokenMask(this.#maskBytes);
    if (isControl(this.opcode)) this.#checkControl(length);
    const extendedBytes = length === LENGTH_IN_8_BYTES ? 8 : length === LENGTH_IN_2_BYTES ? 2 : 0;
    return FIXED_BYTES + extendedBytes + this.#maskBytes;
  }

  /** RFC 6455 §5.5. */
  #checkControl(length: number): void {
    if (!this.isFinal) throw broken("A control frame is not fragmented");
    if (length > CONTROL_LIMIT_BYTES)
      throw broken(`A control frame has at most ${CONTROL_LIMIT_BYTES} bytes of payload`);
  }

  /** RFC 6455 §5.2: the shortest form, and a number of 63 bits. */
  #readPayloadBytes(): number {
    const length = (this.#bytes[1] as number) & LENGTH_BITS;
    if (length < LENGTH_IN_2_BYTES) return length;
    if (length === LENGTH_IN_2_BYTES) return shortest(this.#view.getUint16(FIXED_BYTES), LENGTH_IN_2_BYTES);
    const upper = this.#view.getUint32(FIXED_BYTES);
    if (upper >= TOPMOST_BIT) throw broken("The topmost bit of a length is set");
    if (upper > 0) throw new FrameError(MESSAGE_TOO_BIG, "A frame has 4 GiB or more");
    return shortest(this.#view.getUint32(FIXED_BYTES + 4), LENGTH_OVER_2_BYTES);
  }
}

function shortest(length: number, minimum: number): number {
  if (length < minimum) throw broken(`A length of ${length} bytes is not in its shortest form`);
  return length;
}

/** RFC 6455 §5.1. */
function brokenMask(maskBytes: number): FrameError {
  return broken(maskBytes > 0 ? "A client masks its frames" : "A server does not mask its frames");
}

function broken(message: string): FrameError {
  return new FrameError(PROTOCOL_ERROR, message);
}
