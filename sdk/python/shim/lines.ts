/** What Python prints, in lines of the console's log. */
import { LogLevel, raw } from "svc";
import { malloc } from "./micropython";

/**
 * What the console's log keeps of a line, whatever the app is called and the time is (LIMIT_UNITS of log-line.ts); the rest of a
 * longer one becomes lines of its own.
 */
const LINE_BYTES: i32 = 112;
const LF: u8 = 10;
const EBADF: i32 = 8;
const STANDARD_OUTPUT: i32 = 1;
const STANDARD_ERROR: i32 = 2;

let line: usize = 0;
let length: i32 = 0;
let level: i32 = LogLevel.INFO;

export function openLines(): void {
  line = malloc(LINE_BYTES);
}

/** From now on, what is printed is an error. */
export function logErrors(): void {
  flushLines();
  level = LogLevel.ERROR;
}

export function flushLines(): void {
  if (length > 0) writeLine();
}

function writeLine(): void {
  if (!isOfRuntime()) raw.log(level, line, length);
  length = 0;
}

/** Whether the line is a traceback's, and names a place of `svc.py`, which the author of a script does not know. */
function isOfRuntime(): bool {
  // `  File "<stdin>", line …`
  return (
    level === LogLevel.ERROR &&
    length > 9 &&
    load<u32>(line, 0) === 0x69462020 &&
    load<u32>(line, 4) === 0x2220656c &&
    load<u8>(line, 8) === 0x3c
  );
}

function write(text: usize, bytes: i32): void {
  for (let at = 0; at < bytes; at++) {
    const byte = load<u8>(text + at);
    if (byte === LF) writeLine();
    else {
      if (length === LINE_BYTES) writeLine();
      store<u8>(line + length++, byte);
    }
  }
}

export function fd_write(descriptor: i32, parts: usize, count: i32, written: usize): i32 {
  if (descriptor !== STANDARD_OUTPUT && descriptor !== STANDARD_ERROR) return EBADF;
  let total = 0;
  for (let part = 0; part < count; part++) {
    const bytes = load<i32>(parts + part * 8, 4);
    write(load<usize>(parts + part * 8), bytes);
    total += bytes;
  }
  store<i32>(written, total);
  return 0;
}

/** Standard input is at its end. */
export function fd_read(_descriptor: i32, _parts: usize, _count: i32, read: usize): i32 {
  store<i32>(read, 0);
  return 0;
}
