/** Assertions for the contract suites, which run on XS as well as in Node and so import neither's. */

/** A requirement on every host, as a sentence, and the code that checks it. */
export interface ContractCase<Port> {
  readonly name: string;
  /** Throws, or rejects, when the requirement is not met. `port` is fresh for each case. */
  run(port: Port): void | Promise<void>;
}

/** Compares with `Object.is`. */
export function equal<Value>(actual: Value, expected: Value, what = "value"): void {
  if (!Object.is(actual, expected)) throw new Error(`${what}: got ${show(actual)}, not ${show(expected)}`);
}

/** Compares bytes, whatever view or buffer they are in. */
export function equalBytes(actual: Uint8Array | ArrayBuffer, expected: Uint8Array, what = "bytes"): void {
  const bytes = actual instanceof ArrayBuffer ? new Uint8Array(actual) : actual;
  equal(hexOf(bytes), hexOf(expected), what);
}

/** @param what name of `action` in the message */
export function throws(action: () => unknown, what = "the call"): Error {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`${what} threw ${show(error)}, which is not an Error`);
  }
  throw new Error(`${what} did not throw`);
}

/** @param name of the error's class, which may be from another realm than this file */
export function throwsA(name: string, action: () => unknown, what = "the call"): void {
  const error = throws(action, what);
  if (error.name !== name)
    throw new Error(`${what} threw ${error.name} instead of ${name}: ${error.message}`);
}

export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** @param hex pairs of hexadecimal digits; spaces and line feeds are for the reader */
export function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  const digits = hex.replaceAll(" ", "").replaceAll("\n", "");
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index++)
    bytes[index] = Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16);
  return bytes;
}

/** ASCII text as bytes, without TextEncoder, which another contract tests. */
export function ascii(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
