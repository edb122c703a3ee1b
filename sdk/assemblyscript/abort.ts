/**
 * Where a failed assertion, an exception or an index out of bounds ends: the message goes to the log, then
 * the app traps, and the console logs the functions that led there. Every AssemblyScript app is built with
 * it; it is written by hand, other than its neighbour.
 *
 * What failed may have been an allocation or the stack, so nothing here allocates or takes stack: text is
 * handled by its address.
 */
import { LogLevel, raw } from "svc";

const LINE_BYTES: usize = 192;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const BYTES_PER_UNIT: usize = 3;
const line: usize = memory.data(192);

export function abort(message: string | null, file: string | null, row: u32, column: u32): void {
  let end = append(line, changetype<usize>(file));
  store<u8>(end++, 0x3a); // ":"
  end = appendNumber(end, row);
  store<u8>(end++, 0x3a);
  store<u8>(end++, 0x20);
  end = append(end, changetype<usize>(message));
  raw.log(LogLevel.ERROR, line, i32(end - line));
  unreachable();
}

/** Writes as much of `text`, the address of a string or 0, as fits, and returns where it ends. */
function append(at: usize, text: usize): usize {
  if (!text) return at;
  const room = (line + LINE_BYTES - NUMBER_BYTES - at) / BYTES_PER_UNIT;
  const units = min(<usize>load<u32>(text - 4) >> 1, room); // before a string stands its length in bytes
  return at + String.UTF8.encodeUnsafe(text, i32(units), at);
}

/** Ten digits, two colons and a space. */
const NUMBER_BYTES: usize = 13;

function appendNumber(at: usize, value: u32): usize {
  if (value > 9) at = appendNumber(at, value / 10);
  store<u8>(at, u8(0x30 + (value % 10)));
  return at + 1;
}
