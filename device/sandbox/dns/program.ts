/**
 * The program `dns`: checks and reads datagrams of multicast DNS, tells those with our names from the others, and
 * writes messages (RFC 1035, RFC 6762). Its calls are in `operations.ts`.
 *
 * The work per datagram is bounded: at most 256 entries, each with two names of at most 255 bytes and ten pointers, and
 * each compared with at most 1024 bytes of our names.
 */
import { MEMORY_BYTES } from "./layout.js";
import {
  ADD_FLAGS,
  ADD_NAME,
  COPY_DATA,
  COPY_NAME,
  DATA_LENGTH,
  DATAGRAM,
  FORGET_NAMES,
  MATCH_DATA,
  MATCH_NAME,
  MESSAGE_LENGTH,
  READ_CLASS,
  READ_TTL,
  REWIND,
  START,
  START_MESSAGE,
  WRITE_QUESTION,
  WRITE_RECORD,
} from "./operations.js";
import { addName, forgetNames } from "./our-names.js";
import {
  classOfEntry,
  copyData,
  copyEntryName,
  dataLength,
  dataMatches,
  entryNameMatches,
  forgetMessage,
  next,
  readMessage,
  rewind,
  ttlOfEntry,
} from "./reader.js";
import { addFlags, messageLength, startMessage, writeQuestion, writeRecord } from "./writer.js";

/** The record that the next `feed` writes: the first argument of its operation, or 0 for none. */
let recordForm: i32 = 0;
let recordTtlSeconds: i32 = 0;

export function memoryBytes(): i32 {
  return MEMORY_BYTES;
}

/** Performs an operation of `operations.ts`. @returns its result, 0 where it has none */
export function begin(first: i32, second: i32): i32 {
  switch (first & 15) {
    case START:
      start();
      return 0;
    case REWIND:
      rewind(second);
      return 0;
    case READ_CLASS:
      return classOfEntry();
    case READ_TTL:
      return ttlOfEntry();
    case MATCH_NAME:
      return entryNameMatches() ? 1 : 0;
    case COPY_NAME:
      return copyEntryName();
    case DATA_LENGTH:
      return dataLength();
    case MATCH_DATA:
      return dataMatches(second, first >> 4) ? 1 : 0;
    case COPY_DATA:
      return copyData(second);
    case FORGET_NAMES:
      forgetNames();
      return 0;
    case ADD_NAME:
      addName();
      return 0;
    case START_MESSAGE:
      startMessage(second, first >> 4);
      return 0;
    case ADD_FLAGS:
      addFlags(second);
      return 0;
    case WRITE_QUESTION:
      return writeQuestion(second, (first & 16) !== 0);
    case WRITE_RECORD:
      recordForm = first;
      recordTtlSeconds = second;
      return 0;
    case MESSAGE_LENGTH:
      return messageLength();
    default:
      return 0;
  }
}

function start(): void {
  recordForm = 0;
  recordTtlSeconds = 0;
  forgetMessage();
  forgetNames();
  startMessage(0, 0);
}

/** Address at which a datagram goes. */
export function room(): i32 {
  return DATAGRAM;
}

/** Reads the datagram at {@link room}, or writes the record of `WRITE_RECORD`. */
export function feed(byteLength: i32): i32 {
  if (recordForm === 0) return readMessage(byteLength);
  const form: i32 = recordForm;
  recordForm = 0;
  return writeRecord(form, recordTtlSeconds, byteLength);
}

/** Moves to the next question or record. */
export function finish(): i32 {
  return next();
}
