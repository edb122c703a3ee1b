/** What a client must not send, and the close code with which its WebSocket ends (RFC 6455 §5, §7.4). */
import { MESSAGE_LIMIT_BYTES } from "../../../../protocol/websocket/frame-reader.js";
import { type ClientFrame, clientFrames, closePayload, OPCODE } from "./client-frames.js";

const { continuation, text, binary, close, ping, pong } = OPCODE;

export interface BrokenFrames {
  readonly name: string;
  readonly wire: Uint8Array;
  readonly code: 1002 | 1007 | 1009;
}

const broken = (name: string, code: BrokenFrames["code"], ...frames: readonly ClientFrame[]) => ({
  name,
  code,
  wire: clientFrames(...frames),
});

const bytes = (...values: number[]) => Uint8Array.of(...values);
const EURO = bytes(0xe2, 0x82, 0xac);

export const BROKEN_FRAMES: readonly BrokenFrames[] = [
  broken("text that is not masked", 1002, { opcode: text, payload: "hello", isMasked: false }),
  broken("an empty ping that is not masked", 1002, { opcode: ping, isMasked: false }),
  broken("a Close frame that is not masked", 1002, { opcode: close, isMasked: false }),
  ...[1, 2, 4, 7].map((reserved) =>
    broken(`reserved bits ${reserved}`, 1002, { opcode: text, payload: "a", reserved }),
  ),
  broken("a reserved bit in a ping", 1002, { opcode: ping, reserved: 4 }),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) =>
    broken(`reserved opcode ${opcode}`, 1002, { opcode, payload: "a" }),
  ),
  ...[close, ping, pong].map((opcode) =>
    broken(`control frame ${opcode} in fragments`, 1002, { opcode, isFinal: false }),
  ),
  ...[close, ping, pong].map((opcode) =>
    broken(`control frame ${opcode} with 126 bytes`, 1002, { opcode, payload: new Uint8Array(126).fill(3) }),
  ),
  broken("a ping whose length takes eight bytes", 1002, { opcode: ping, payload: "a", lengthBytes: 9 }),
  broken("a length of 125 in two bytes", 1002, { opcode: text, payload: "a".repeat(125), lengthBytes: 3 }),
  broken("a length of 0 in two bytes", 1002, { opcode: binary, lengthBytes: 3 }),
  broken("a length of 65535 in eight bytes", 1002, { opcode: text, lengthBytes: 9, byteLength: 65535n }),
  broken("a length of 5 in eight bytes", 1002, { opcode: text, payload: "hello", lengthBytes: 9 }),
  broken("a length of 64 bits", 1002, { opcode: binary, lengthBytes: 9, byteLength: 2n ** 63n }),
  broken("a continuation without a beginning", 1002, { opcode: continuation, payload: "a" }),
  broken(
    "a continuation of a message that has ended",
    1002,
    { opcode: text, payload: "a" },
    { opcode: continuation, payload: "b" },
  ),
  broken(
    "a text message within another",
    1002,
    { opcode: text, payload: "a", isFinal: false },
    { opcode: text, payload: "b" },
  ),
  broken(
    "a binary message within a text message, after a ping",
    1002,
    { opcode: text, payload: "a", isFinal: false },
    { opcode: ping },
    { opcode: binary, payload: "b", isFinal: false },
  ),
  broken("a Close frame with one byte", 1002, { opcode: close, payload: bytes(3) }),
  ...[0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535].map((code) =>
    broken(`close code ${code}`, 1002, { opcode: close, payload: closePayload(code) }),
  ),
  broken("a close reason with a stray byte", 1007, {
    opcode: close,
    payload: closePayload(1000, bytes(0xff)),
  }),
  broken("a close reason that is cut within a character", 1007, {
    opcode: close,
    payload: closePayload(1000, EURO.subarray(0, 2)),
  }),
  broken("a close reason with a surrogate", 1007, {
    opcode: close,
    payload: closePayload(1000, bytes(0xed, 0xa0, 0x80)),
  }),
  broken("text with a stray continuation byte", 1007, { opcode: text, payload: bytes(0x61, 0x80) }),
  broken("text with an overlong slash", 1007, { opcode: text, payload: bytes(0xc0, 0xaf) }),
  broken("text with a surrogate", 1007, { opcode: text, payload: bytes(0xed, 0xa0, 0x80) }),
  broken("text past U+10FFFF", 1007, { opcode: text, payload: bytes(0xf4, 0x90, 0x80, 0x80) }),
  broken("text that ends within a character", 1007, { opcode: text, payload: EURO.subarray(0, 2) }),
  broken(
    "a character that is broken across fragments, before the message ends",
    1007,
    { opcode: text, payload: EURO.subarray(0, 1), isFinal: false },
    { opcode: ping, payload: "between" },
    { opcode: continuation, payload: bytes(0x41), isFinal: false },
  ),
  broken(
    "fragments that end within a character",
    1007,
    { opcode: text, payload: EURO.subarray(0, 1), isFinal: false },
    { opcode: continuation, payload: EURO.subarray(1, 2) },
  ),
  broken("a frame over the limit, from its head alone", 1009, {
    opcode: binary,
    byteLength: BigInt(MESSAGE_LIMIT_BYTES + 1),
  }),
  broken("a frame of 4 GiB", 1009, { opcode: text, byteLength: 2n ** 32n }),
  broken("a frame of the largest length there is", 1009, { opcode: text, byteLength: 2n ** 63n - 1n }),
  broken(
    "fragments that are over the limit together",
    1009,
    { opcode: binary, payload: new Uint8Array(40_000), isFinal: false },
    { opcode: continuation, byteLength: BigInt(MESSAGE_LIMIT_BYTES - 40_000 + 1) },
  ),
];
