/**
 * Sandboxed programs: code for strangers' bytes that can reach only its own linear memory, since it is WebAssembly
 * before it is C (docs/adr/0030-the-sandbox.md).
 */

/** Programs by their folder in `device/sandbox`. */
export type SandboxProgramName = "validator" | "inflater" | "http-head" | "usb-line" | "dns";

export interface Sandbox {
  /**
   * Start a program with zeroed memory.
   * @returns the program; the caller closes it
   * @throws {Error} when no memory is left
   */
  open(name: SandboxProgramName): SandboxProgram;
}

/**
 * A running program. Numbers are signed integers of 32 bits, and their meaning is the program's. Every call throws an
 * `Error` if the program traps. It is not closed then, but its state is undefined: start a new task.
 */
export interface SandboxProgram {
  /** Its linear memory, for input and results; length 0 once closed. */
  readonly memory: Uint8Array;
  /** Start a task. */
  begin(first: number, second: number): number;
  /** @returns the address at which the next input goes */
  room(): number;
  /** Process `byteLength` bytes that were written to {@link room}. */
  feed(byteLength: number): number;
  /** End the input. */
  finish(): number;
  /** Free the memory. Can be called twice. */
  close(): void;
}
