/**
 * Where a failed assertion, an exception or an index out of bounds ends: a line in the log says what and
 * where, then the app traps, and the console logs the functions that led there. Every AssemblyScript app is
 * built with it. (Its neighbour `svc.ts` is generated; this is written by hand.)
 *
 * What failed may have been an allocation or the stack, so nothing here allocates or takes stack: text is
 * handled by its address, and the line has its own place.
 */
import { LogLevel, raw } from "svc";

const LINE_BYTES: usize = 192;
const line: usize = memory.data(192);
/** Room for a number of ten digits, a colon and a space. */
const NUMBER_BYTES: usize = 12;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const BYTES_PER_UNIT: usize = 3;

export function abort(message: string | null, file: string | null, row: u32, _column: u32): void {
  let end = line;
  if (isString(changetype<usize>(file))) {
    end = append(end, changetype<usize>(file));
    store<u8>(end++, 0x3a); // ":"
    end = appendNumber(end, row);
    store<u8>(end++, 0x3a);
    store<u8>(end++, 0x20);
    end = append(end, changetype<usize>(message));
  } else end = append(end, changetype<usize>("stack overflow"));
  raw.log(LogLevel.ERROR, line, i32(end - line));
  unreachable();
}

/**
 * The name of a source file is a string. Only the check for a stack overflow, which the compiler (0.28) adds when the data is complete,
 * passes addresses in the stack, at which there is no text but references: none of them is the number of a class, which stands
 * before a string. (`__heap_base` cannot tell them apart: where this function is compiled only for that check, reading it crashes the compiler.)
 */
function isString(text: usize): bool {
  return text != 0 && load<u32>(text - 8) == idof<string>();
}

/** Writes as much of `text`, the address of a string or 0, as there is room for, and returns where it ends. */
function append(at: usize, text: usize): usize {
  const end = line + LINE_BYTES - NUMBER_BYTES;
  if (!text || at >= end) return at;
  const room = (end - at) / BYTES_PER_UNIT;
  const units = min(<usize>load<u32>(text - 4) >> 1, room); // before a string stands its length in bytes
  return at + String.UTF8.encodeUnsafe(text, i32(units), at);
}

function appendNumber(at: usize, value: u32): usize {
  if (value > 9) at = appendNumber(at, value / 10);
  store<u8>(at, u8(0x30 + (value % 10)));
  return at + 1;
}
