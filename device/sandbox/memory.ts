/**
 * The linear memory of a sandboxed program that runs in Node as TypeScript: one program at a time, for tests.
 * AssemblyScript compiles `memory-wasm.ts` instead. Addresses are bytes from 0; numbers are little-endian.
 */
let bytes = new Uint8Array(0);
let view = new DataView(bytes.buffer);

/** Replaces the memory by `byteLength` zeros. @returns the memory */
export function createMemory(byteLength: number): Uint8Array {
  bytes = new Uint8Array(byteLength);
  view = new DataView(bytes.buffer);
  return bytes;
}

export function load8(address: i32): i32 {
  return view.getUint8(address);
}

export function load16(address: i32): i32 {
  return view.getUint16(address, true);
}

export function loadSigned16(address: i32): i32 {
  return view.getInt16(address, true);
}

export function load32(address: i32): i32 {
  return view.getInt32(address, true);
}

export function store8(address: i32, value: i32): void {
  view.setUint8(address, value);
}

export function store16(address: i32, value: i32): void {
  view.setUint16(address, value, true);
}

export function store32(address: i32, value: i32): void {
  view.setInt32(address, value, true);
}

/** Copies `byteLength` bytes; the two ranges may overlap. */
export function copy(to: i32, from: i32, byteLength: i32): void {
  if (to + byteLength > bytes.length) throw new RangeError("out of bounds");
  bytes.copyWithin(to, from, from + byteLength);
}

export function fill(address: i32, value: i32, byteLength: i32): void {
  if (address + byteLength > bytes.length) throw new RangeError("out of bounds");
  bytes.fill(value, address, address + byteLength);
}

/** Product modulo 2^32. */
export function multiply(one: i32, other: i32): i32 {
  return Math.imul(one, other);
}

/** Whether `one` is less than `other`, both taken as unsigned. */
export function isBelow(one: i32, other: i32): boolean {
  return one >>> 0 < other >>> 0;
}

/** Ends the program's call with an error. */
export function trap(): void {
  throw new Error("The program has trapped");
}
