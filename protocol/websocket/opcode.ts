/** What a frame is (RFC 6455 §5.2, §11.8). */

export const CONTINUATION = 0x0;
export const TEXT = 0x1;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

/** Whether `opcode` is one of the six; all others are reserved. */
export function isKnown(opcode: number): boolean {
  return opcode <= BINARY || (opcode >= CLOSE && opcode <= PONG);
}

/** Whether frames with this opcode are control frames, which may come between the fragments of a message. */
export function isControl(opcode: number): boolean {
  return opcode >= CLOSE;
}
