/**
 * Parses the head of a frame (RFC 6455 §5.2) byte by byte, and makes all checks that do not depend on earlier frames.
 * Owns 14 bytes, no socket. A client masks its frames, a server does not (§5.1).
 *
 *   FIN RSV1-3 opcode | MASK length | 0, 2 or 8 bytes of length | 0 or 4 bytes of mask
 */

/** Head of a frame: two bytes, up to eight of length, four of mask (RFC 6455 §5.2). */
const FRAME_HEAD_LIMIT_BYTES = 14;

/** Payload of a control frame (RFC 6455 §5.5). */
export const CONTROL_LIMIT_BYTES = 125;

/** Range of a continuation byte. */
const CONTINUATION_LOW = 0x80;
const CONTINUATION_HIGH = 0xbf;

/**
 * Checks that bytes arriving in pieces are UTF-8 (RFC 3629 §4), without decoding or storing them. Its state between two
 * bytes is the number of continuation bytes that must follow and the allowed range of the next one. The range is narrower
 * after four of the lead bytes, which excludes overlong forms (E0, F0), surrogates (ED), and code points past U+10FFFF (F4).
 */
export class Utf8Checker {
  /** Number of continuation bytes that must follow. */
  #missing = 0;
  #low = CONTINUATION_LOW;
  #high = CONTINUATION_HIGH;

  /** Whether the text could end here. */
  get isComplete(): boolean {
    return this.#missing === 0;
  }

  /** @returns false if the bytes so far are not the start of any UTF-8 text; the checker is unusable afterwards */
  push(bytes: Uint8Array): boolean {
    const end = bytes.length;
    for (let at = 0; at < end; at++) {
      const byte = bytes[at] as number;
      if (this.#missing > 0 ? !this.#continue(byte) : byte >= 0x80 && !this.#begin(byte)) return false;
    }
    return true;
  }

  #begin(lead: number): boolean {
    if (lead < 0xc2 || lead > 0xf4) return false;
    this.#missing = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (lead === 0xe0) this.#low = 0xa0;
    else if (lead === 0xf0) this.#low = 0x90;
    else if (lead === 0xed) this.#high = 0x9f;
    else if (lead === 0xf4) this.#high = 0x8f;
    return true;
  }

  #continue(byte: number): boolean {
    if (byte < this.#low || byte > this.#high) return false;
    this.#missing--;
    this.#low = CONTINUATION_LOW;
    this.#high = CONTINUATION_HIGH;
    return true;
  }
}

// Opcodes (RFC 6455 §5.2, §11.8).

export const CONTINUATION = 0x0;
export const TEXT = 0x1;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

/** Whether `opcode` is one of the six; all others are reserved. */
function isKnown(opcode: number): boolean {
  return opcode <= BINARY || (opcode >= CLOSE && opcode <= PONG);
}

/** Whether this is the opcode of a control frame. These can arrive between the fragments of a message. */
export function isControl(opcode: number): boolean {
  return opcode >= CLOSE;
}

// Close codes (RFC 6455 §7.4), and the payload of a Close frame.

export const GOING_AWAY = 1001;
export const PROTOCOL_ERROR = 1002;
export const INVALID_TEXT = 1007;
export const MESSAGE_TOO_BIG = 1009;
/** The client may no longer do what it does. */
export const POLICY_VIOLATION = 1008;
export const INTERNAL_ERROR = 1011;

const CODE_BYTES = 2;

/**
 * The code in the payload of a Close frame; `undefined` if the payload is empty (RFC 6455 §5.5.1).
 * @throws {FrameError} 1002 for half a code or a code that must not be sent, 1007 for a reason that is not UTF-8
 */
export function readCloseCode(payload: Uint8Array): number | undefined {
  if (payload.length === 0) return undefined;
  if (payload.length < CODE_BYTES)
    throw new FrameError(PROTOCOL_ERROR, "A close code takes two bytes, not one");
  const code = ((payload[0] as number) << 8) | (payload[1] as number);
  if (!isSendable(code)) throw new FrameError(PROTOCOL_ERROR, `Close code ${code} may not be sent`);
  const reason = new Utf8Checker();
  if (!reason.push(payload.subarray(CODE_BYTES)) || !reason.isComplete)
    throw new FrameError(INVALID_TEXT, "The reason of a Close frame is not UTF-8");
  return code;
}

/**
 * Whether an endpoint may send this code (RFC 6455 §7.4). 1004 has no meaning; 1005, 1006 and 1015 are for reports
 * within a program (§7.4.1); 1012 to 1014 are in IANA's registry; codes from 3000 on are for libraries and applications
 * (§7.4.2).
 */
function isSendable(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}

/** A protocol violation by the peer. The WebSocket closes with `closeCode` (RFC 6455 §7.1.7). */
export class FrameError extends Error {
  override readonly name = "FrameError"; // a field: `this.name =` throws once XS freezes Error.prototype
  /** For the Close frame: 1002, 1007 or 1009 (RFC 6455 §7.4.1). */
  readonly closeCode: number;

  constructor(closeCode: number, message: string) {
    super(message);
    this.closeCode = closeCode;
  }
}

// The layout of a head, also for those who write one.

const FIXED_BYTES = 2;
export const MASK_BYTES = 4;

export const FINAL_BIT = 0x80;
const RESERVED_BITS = 0x70;
const OPCODE_BITS = 0x0f;
export const MASK_BIT = 0x80;
const LENGTH_BITS = 0x7f;

/** Values of the 7-bit length that mean that an extended length follows. */
export const LENGTH_IN_2_BYTES = 126;
export const LENGTH_IN_8_BYTES = 127;

/** The smallest length that does not fit in two bytes. */
export const LENGTH_OVER_2_BYTES = 0x10000;

/** Topmost bit of a 64-bit length, in its upper half. */
const TOPMOST_BIT = 0x80000000;

/** Which side sends the frames. */
export type Sender = "client" | "server";

export class FrameHead {
  /** Length of the mask: 0 in a server's frame. */
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
   * Consume the part of `chunk` that belongs to the head.
   * @returns how many bytes of `chunk` were consumed
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

  /** Prepare for the next head. */
  reset(): void {
    this.#length = 0;
    this.#needed = FIXED_BYTES;
  }

  /**
   * Remove the mask, if there is one, in place (RFC 6455 §5.3).
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

  /** Check the first two bytes. @returns the length of the whole head */
  #checkFixed(): number {
    const first = this.#bytes[0] as number;
    const second = this.#bytes[1] as number;
    const length = second & LENGTH_BITS;
    // RFC 6455 §5.2: they must be 0, because no extension is negotiated.
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

  /** RFC 6455 §5.2: the length must have the shortest form and at most 63 bits. */
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
