/** Sends requests and reads the bytes of their answers, a piece at a time. */
import { console_read, console_request } from "./console";
import { Text } from "./text";

const PIECE_BYTES = 512;
const piece: usize = memory.data(512);
/** More than any answer has: 64 apps with all of their texts. A longer one ends here. */
const ANSWER_LIMIT_BYTES = 128 * 1024;

let pieceLength: i32 = 0;
let position: i32 = 0;
let receivedBytes: i32 = 0;
let hash: u32 = 0;

/** Returns the status as over HTTP, or an error below 0. */
export function send(request: Text): i32 {
  pieceLength = 0;
  position = 0;
  receivedBytes = 0;
  hash = 0x811c9dc5;
  return console_request(request.at, request.length);
}

/** The next byte of the answer, -1 at its end. */
export function readByte(): i32 {
  if (position >= pieceLength && !readPiece()) return -1;
  const byte = u32(load<u8>(piece + usize(position++)));
  hash = (hash ^ byte) * 0x01000193;
  return i32(byte);
}

/** FNV-1a of the bytes that were read: two answers with the same one are taken for equal. */
export function answerHash(): u32 {
  return hash;
}

function readPiece(): bool {
  position = 0;
  pieceLength = receivedBytes < ANSWER_LIMIT_BYTES ? console_read(piece, PIECE_BYTES) : 0;
  if (pieceLength > 0) receivedBytes += pieceLength;
  return pieceLength > 0;
}
