/** Numbers in network byte order (RFC 1035 §2.3.2). */
import { load8, store8 } from "../memory.js";

export function loadBig16(address: i32): i32 {
  return (load8(address) << 8) | load8(address + 1);
}

export function storeBig16(address: i32, value: i32): void {
  store8(address, (value >> 8) & 0xff);
  store8(address + 1, value & 0xff);
}
