/** `memory.ts` for AssemblyScript: the same functions on the program's linear memory. Only `tools/sandbox.ts` reads it. */

export function load8(address: i32): i32 {
  return load<u8>(address);
}

export function load16(address: i32): i32 {
  return load<u16>(address);
}

export function loadSigned16(address: i32): i32 {
  return load<i16>(address);
}

export function load32(address: i32): i32 {
  return load<i32>(address);
}

export function store8(address: i32, value: i32): void {
  store<u8>(address, value as u8);
}

export function store16(address: i32, value: i32): void {
  store<u16>(address, value as u16);
}

export function store32(address: i32, value: i32): void {
  store<i32>(address, value);
}

export function copy(to: i32, from: i32, byteLength: i32): void {
  memory.copy(to, from, byteLength);
}

export function fill(address: i32, value: i32, byteLength: i32): void {
  memory.fill(address, value as u8, byteLength);
}

export function multiply(one: i32, other: i32): i32 {
  return one * other;
}

export function isBelow(one: i32, other: i32): boolean {
  return (one as u32) < (other as u32);
}

export function trap(): void {
  unreachable();
}
