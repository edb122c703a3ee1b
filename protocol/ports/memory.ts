/**
 * Memory outside of the management VM's heap (PSRAM on a board), for the few buffers that are too large for
 * a heap of 128 KiB.
 */
export interface Memory {
  /**
   * @returns a block of zeros
   * @throws {Error} where there is none left
   */
  allocate(byteLength: number): MemoryBlock;
}

export interface MemoryBlock {
  /** Has no length once the block is closed. */
  readonly bytes: Uint8Array;
  /** Gives the block back. May be called twice. */
  close(): void;
}
