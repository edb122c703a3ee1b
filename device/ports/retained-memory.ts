/**
 * Memory that survives a restart and a crash but not a loss of power: RTC memory on a board. Its initial content is
 * arbitrary, so each user marks and checks its own part.
 */
export interface RetainedMemory {
  readonly byteLength: number;
  /** Fills `into` from `offset`. Throws a `RangeError` outside the memory. */
  read(into: Uint8Array, offset: number): void;
  /** Writes all of `bytes` at `offset`. Throws a `RangeError` outside the memory. */
  write(bytes: Uint8Array, offset: number): void;
}
