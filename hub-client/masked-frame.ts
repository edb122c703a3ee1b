/** Frames that a client sends (RFC 6455 §5.2, §5.3), each with its own mask. */
import type { Random } from "../protocol/ports/bytes.js";

const FINAL_BIT = 0x80;
const MASK_BIT = 0x80;
const MASK_BYTES = 4;
/** Values of the seven bits of length which say that the length is in the bytes that follow. */
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;
/** The smallest length that two bytes do not hold. */
const LENGTH_OVER_2_BYTES = 0x10000;

/**
 * @param payload less than 4 GiB
 * @param isFinal left out: a whole message, or its last fragment
 */
export function maskedFrame(opcode: number, payload: Uint8Array, random: Random, isFinal = true): Uint8Array {
  const head = headBytes(payload.length);
  const frame = new Uint8Array(head + MASK_BYTES + payload.length);
  frame[0] = (isFinal ? FINAL_BIT : 0) | opcode;
  writeLength(frame, payload.length);
  const mask = frame.subarray(head, head + MASK_BYTES);
  random.getRandomValues(mask);
  const start = head + MASK_BYTES;
  for (let at = 0; at < payload.length; at++)
    frame[start + at] = (payload[at] as number) ^ (mask[at & 3] as number);
  return frame;
}

function headBytes(payloadBytes: number): number {
  if (payloadBytes < LENGTH_IN_2_BYTES) return 2;
  return payloadBytes < LENGTH_OVER_2_BYTES ? 4 : 10;
}

function writeLength(frame: Uint8Array, payloadBytes: number): void {
  const view = new DataView(frame.buffer);
  if (payloadBytes < LENGTH_IN_2_BYTES) view.setUint8(1, MASK_BIT | payloadBytes);
  else if (payloadBytes < LENGTH_OVER_2_BYTES) {
    view.setUint8(1, MASK_BIT | LENGTH_IN_2_BYTES);
    view.setUint16(2, payloadBytes);
  } else {
    view.setUint8(1, MASK_BIT | LENGTH_IN_8_BYTES);
    view.setUint32(6, payloadBytes);
  }
}
